package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"dyno.example/dyno/study"
)

// MostKept is how many bytes a kept file has at most.
const MostKept = 64 << 20

// Kept is a file that a trial has for other tools, such as a profile of its subject; or, with
// a reason, one that it lacks.
type Kept struct {
	Kind    Kind   `json:"kind"`
	File    string `json:"file,omitempty"` // its name in the trial's folder; empty if it is missing
	Bytes   int    `json:"bytes,omitempty"`
	Missing string `json:"missing,omitempty"` // why it isn't there
	Note    string `json:"note,omitempty"`    // when and why it was taken, if that isn't the same for all

	// Content is set of a trial that is to be written, or is only in memory: see [Run.Kept].
	Content []byte `json:"-"`
}

// Kind is what a kept file is.
type Kind string

// The kinds.
const (
	CPUProfile     Kind = "cpu"          // of the subject's processes, sampled from outside
	SlowProfile    Kind = "cpu-slow"     // of them only what ran for slow requests
	OtherProfile   Kind = "cpu-others"   // the same for ordinary requests
	RuntimeProfile Kind = "pprof-cpu"    // that the subject took itself
	AllocProfile   Kind = "pprof-allocs" // the same: where it allocated meanwhile
	HeapProfile    Kind = "pprof-heap"   // the same: what its heap was at the end

	OffCPUProfile      Kind = "off-cpu"        // where the subject's threads were while off the CPU
	SlowOffCPUProfile  Kind = "off-cpu-slow"   // of that only what slow requests waited for
	OtherOffCPUProfile Kind = "off-cpu-others" // the same for ordinary requests
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{CPUProfile, SlowProfile, OtherProfile, OffCPUProfile, SlowOffCPUProfile, OtherOffCPUProfile, RuntimeProfile, AllocProfile, HeapProfile}
}

// FlightTrace is the kind of an execution trace of a Go subject's last seconds, taken when a
// request was slow. A trial may have several; go tool trace opens them.
const FlightTrace Kind = "flight"

// PacketHeaders is the kind of a capture of the headers of the subject's packets, which
// Wireshark opens.
const PacketHeaders Kind = "packets"

// files are the kinds' files, which other tools know by their ends.
var files = map[Kind]string{
	CPUProfile: "cpu.pb.gz", SlowProfile: "cpu-slow.pb.gz", OtherProfile: "cpu-others.pb.gz",
	OffCPUProfile: "off-cpu.pb.gz", SlowOffCPUProfile: "off-cpu-slow.pb.gz", OtherOffCPUProfile: "off-cpu-others.pb.gz",
	RuntimeProfile: "pprof-cpu.pb.gz", AllocProfile: "pprof-allocs.pb.gz", HeapProfile: "pprof-heap.pb.gz", PacketHeaders: "packets.pcapng.gz",
}

// Keep adds a file. One that is too large, or that holds a secret, is left out, with the
// reason; text is what of the content would show it.
func (t *Trial) Keep(kind Kind, content, text []byte, secrets study.Secrets) {
	t.keep(Kept{Kind: kind, File: files[kind], Bytes: len(content), Content: content}, text, secrets)
}

// KeepFlight adds an execution trace, with the same limits.
func (t *Trial) KeepFlight(content []byte, note string, secrets study.Secrets) {
	n := 1
	for _, k := range t.Kept {
		if k.Kind == FlightTrace {
			n++
		}
	}
	t.keep(Kept{Kind: FlightTrace, File: fmt.Sprintf("flight-%d.trace", n), Bytes: len(content), Note: note, Content: content}, content, secrets)
}

func (t *Trial) keep(k Kept, text []byte, secrets study.Secrets) {
	kind, content := k.Kind, k.Content
	switch {
	case len(content) > MostKept:
		k = Kept{Kind: kind, Missing: fmt.Sprintf("it has %d MiB, of %d at most", len(content)>>20, MostKept>>20)}
	case holds(text, secrets):
		k = Kept{Kind: kind, Missing: "it holds a secret of the study"}
	}
	t.Kept = append(t.Kept, k)
}

func holds(text []byte, secrets study.Secrets) bool {
	for value := range secrets {
		if bytes.Contains(text, []byte(value)) {
			return true
		}
	}
	return false
}

// Lack adds that a file is missing, and why.
func (t *Trial) Lack(kind Kind, why error) {
	t.Kept = append(t.Kept, Kept{Kind: kind, Missing: why.Error()})
}

// Kept reads a file of r.Trials[i]. It is nil if the trial has none of that kind. An error is
// a [*Damage] if the file isn't there.
func (r *Run) Kept(i int, kind Kind) ([]byte, error) {
	t := &r.Trials[i]
	for _, k := range t.Kept {
		if k.Kind != kind || k.File == "" {
			continue
		}
		if r.Dir == "" {
			return k.Content, nil
		}
		path := filepath.Join(trialFolder(r.Dir, t.Index), k.File)
		content, err := readKept(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = &Damage{File: path, Err: errors.New("is not there")}
		}
		return content, err
	}
	return nil, nil
}

// Flights are the execution traces of r.Trials[i] that are on disk: their paths, each with
// its note.
func (r *Run) Flights(i int) (list [][2]string) {
	for _, k := range r.Trials[i].Kept {
		if k.Kind == FlightTrace && k.File != "" && r.Dir != "" {
			list = append(list, [2]string{filepath.Join(trialFolder(r.Dir, r.Trials[i].Index), k.File), k.Note})
		}
	}
	return list
}

// KeptFile is where a kept file of r.Trials[i] is; empty if there is none of that kind.
func (r *Run) KeptFile(i int, kind Kind) string {
	for _, k := range r.Trials[i].Kept {
		if k.Kind == kind && k.File != "" && r.Dir != "" {
			return filepath.Join(trialFolder(r.Dir, r.Trials[i].Index), k.File)
		}
	}
	return ""
}

// KeptName is a kept file of a trial within the run's folder, with slashes; empty if there is none
// of that kind.
func (t *Trial) KeptName(kind Kind) string {
	for _, k := range t.Kept {
		if k.Kind == kind && k.File != "" {
			return path.Join(trialsFolder, trialName(t.Index), k.File)
		}
	}
	return ""
}

func readKept(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, MostKept+1))
	if err == nil && len(content) > MostKept {
		err = &Damage{File: path, Err: fmt.Errorf("has more than %d MiB", MostKept>>20)}
	}
	return content, err
}

// checkKept refuses names that are no plain file's of the trial's folder.
func checkKept(path string, t *Trial) error {
	for _, k := range t.Kept {
		if k.File != "" && (strings.HasPrefix(k.File, hidden) || strings.ContainsAny(k.File, `/\`) || !filepath.IsLocal(k.File)) {
			return &Damage{File: path, Err: fmt.Errorf("%q is no name of a kept file", k.File)}
		}
	}
	return nil
}
