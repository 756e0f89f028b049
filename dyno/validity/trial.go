// Package validity says what a trial is worth, and what a cell's trials are
// worth together: it judges what was recorded at both ends, and changes none of
// it.
//
// What the generator knows of itself is judged where it is known, in package
// load; here is what takes the server's side, or more than one window, to see.
// Every check has its evidence and its limit in the finding, its row in
// dyno/docs/findings.md, and can be accepted by its name and in no other way.
package validity

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// Conditions are what a trial was done under, as far as judging it takes them.
type Conditions struct {
	Profile     profile.Profile
	Loops       int     // CPUs that only the generator's loops use; 0 if it has none of its own
	SubjectCPUs float64 // CPUs that the subject may use; 0 if not known
	// CPUs that the generator and the subject were told to stay on, ascending; nil
	// if the subject is not ours, or they are not known.
	GeneratorCPUs, ItsCPUs []int
	UpstreamCPUs           []int // of a subject's upstream that has CPUs of its own; nil if it is on the generator's
	// ServiceCPUs are the CPUs of what the subject stands on, by the names in the windows;
	// one that isn't there is on the generator's.
	ServiceCPUs map[string][]int
	Quota       bool           // the study limits the subject's CPU time on purpose
	Accept      []finding.Name // names of findings that don't lower what the trial is worth
}

// Trial adds what speaks against each window to what the generator said, and
// returns what holds for the trial: said, which the generator found, and what is
// found here. Windows must have their histograms.
func Trial(said []finding.Finding, windows []archive.Window, c Conditions) []finding.Finding {
	var single []finding.Finding // of measured windows
	stepped := frequencySteps(windows)
	measured := 0
	for i := range windows {
		w := &windows[i]
		server := append(judgeServer(w, &c), stepped[w.Client.Index]...)
		w.Why = finding.Accept(slices.Concat(w.Client.Findings, server), c.Accept)
		w.Level = finding.Worst(w.Why)
		if !w.Client.Warmup() {
			measured++
			single = append(single, server...)
		}
	}
	all := together(windows, c)
	leaveWarmUp(windows, all, c.Accept)
	settle(windows)
	found := slices.Concat(said, finding.Merge(single, measured), all)
	return finding.Accept(lenient(found), c.Accept)
}

// leaveWarmUp takes the seconds in which the subject was found to be warming up out of
// figures, unless that is accepted, or they are most of what there is.
func leaveWarmUp(windows []archive.Window, found []finding.Finding, accept []finding.Name) {
	for _, f := range found {
		if f.Name != finding.StillWarmingUp || f.Validity == finding.Invalid || slices.Contains(accept, f.Name) {
			continue
		}
		for i := range windows {
			if w := &windows[i]; slices.Contains(f.Windows, w.Client.Index) {
				out := f
				out.Validity, out.Windows = finding.Invalid, []int{w.Client.Index}
				w.Why, w.Level = append(w.Why, out), finding.Invalid
			}
		}
	}
}

// ByBothSides are the findings of a load without those of how steady the service was, which
// are judged again by what both sides know.
func ByBothSides(said []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(said), func(f finding.Finding) bool {
		return f.Name == finding.StillWarmingUp || f.Name == finding.Drifting || f.Name == finding.NeverSteady
	})
}

// settle drops those parts of the windows that change no figure, now that it is known which
// windows count.
func settle(windows []archive.Window) {
	out := make(map[int]bool)
	for i := range windows {
		out[windows[i].Client.Index] = !windows[i].Counts()
	}
	for i := range windows {
		w := &windows[i]
		w.Client.Settle(w.Counts(), func(index int) bool { return index >= 0 && !out[index] })
	}
}

// together names what only the windows of a trial together show.
func together(windows []archive.Window, c Conditions) []finding.Finding {
	s := newSeries(windows, c.Profile)
	return slices.Concat(judgeBottleneck(windows, c), judgeProcesses(windows), s.Series.Judge(), judgeGrowth(s))
}

// newFinding makes one of a trial.
func newFinding(name finding.Name, level finding.Validity, windows []int, detail i18n.Message) finding.Finding {
	return finding.Finding{Name: name, Validity: level, Windows: windows, Detail: detail}
}
