package study

import (
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

// Kept is something that a run keeps of its trials in addition to what it measures.
type Kept string

// What a study may have kept.
const (
	// KeepCPU is where the subject's processes spend their CPU time, sampled from outside.
	KeepCPU Kept = "cpu"
	// KeepOffCPU is where the subject's threads were in their own code while they were off the
	// CPU, and for how long.
	KeepOffCPU Kept = "off-cpu"
	// KeepPprof is the CPU and heap profile that a subject offers itself, see
	// [Subject.Pprof].
	KeepPprof Kept = "pprof"
	// KeepFlight is the last seconds of a Go subject's execution trace when a request was
	// slow, as evidence of it tells.
	KeepFlight Kept = "flight"
	// KeepBuffers is what waits in the subject's sockets, each second; a study that explains
	// has it anyway.
	KeepBuffers Kept = "buffers"
	// KeepPackets is the headers of the packets to and from the subject's port, without what
	// they carry, up to a number.
	KeepPackets Kept = "packets"
)

// Keepable is all that a study may have kept.
func Keepable() []Kept {
	return []Kept{KeepCPU, KeepOffCPU, KeepPprof, KeepFlight, KeepBuffers, KeepPackets}
}

// Keeps reports whether something is to be kept.
func (s *Study) Keeps(what Kept) bool { return slices.Contains(s.Keep, what) }

// keepAt reads what is to be kept, of a study whose subjects are read, and whether it explains.
func keepAt(at scope, s *Study) []Kept {
	list := wordsOf(at, Keepable())
	if slices.Contains(list, KeepPprof) && !slices.ContainsFunc(s.Subjects, func(one Subject) bool { return one.Pprof != "" }) {
		at.Report(i18n.New("study.no-subject-has-pprof", "no subject says where its profiles are"), i18n.New("study.add-pprof-to-subject", "add to a subject: pprof: /debug/pprof"))
	}
	if slices.Contains(list, KeepFlight) && !s.Explain {
		at.Report(i18n.New("study.flight-without-explain", "flight takes evidence of requests, to know which are slow"), i18n.New("study.add-field", "add: %s: %s", "explain", "true"))
	}
	return list
}

// PprofURL is where the subject's own profiles are when it is up at base, without a slash at
// its end; empty if it has none.
func (s Subject) PprofURL(base string) string {
	at := strings.TrimSuffix(s.Pprof, "/")
	if strings.HasPrefix(at, "/") {
		return strings.TrimSuffix(base, "/") + at
	}
	return at
}
