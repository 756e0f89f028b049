package probe

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func newSampler(t testing.TB, c Config) *Sampler {
	s := New(c)
	t.Cleanup(s.Close)
	return s
}

func TestSamplerWindows(t *testing.T) {
	a := newActor(t)
	s := newSampler(t, Config{PID: a.pid()})
	before := s.Snapshot()
	a.tell("burn 50")
	w := s.Between(before, s.Snapshot())
	if w.Process == nil || w.Machine == nil || w.Runtime != nil {
		t.Fatalf("window = %+v, want process and machine", w)
	}
	if w.Start != before.Time || w.Length < 50*time.Millisecond {
		t.Errorf("the window of %v starts at %d, want %d", w.Length, w.Start, before.Time)
	}
	if w.Process.CPU < 50*time.Millisecond {
		t.Errorf("CPU = %v, 50ms were burnt", w.Process.CPU)
	}
}

func TestSamplerOfVanishedProcess(t *testing.T) {
	a := newActor(t)
	s := newSampler(t, Config{PID: a.pid()})
	before := s.Snapshot()
	a.end()
	after := s.Snapshot()
	if after.Process != nil || !errors.Is(after.Err(), ErrEnded) {
		t.Errorf("process = %v, error = %v", after.Process, after.Err())
	}
	w := s.Between(before, after)
	if w.Process != nil || w.Machine == nil {
		t.Errorf("window = %+v, want the machine alone", w)
	}
	if !slices.ContainsFunc(w.Missing, func(m string) bool { return strings.HasPrefix(m, "process: ") }) {
		t.Errorf("missing = %q, want the process among it", w.Missing)
	}
}

func TestSamplerWithoutProcess(t *testing.T) {
	s := newSampler(t, Config{})
	before := s.Snapshot()
	after := s.Snapshot()
	if w := s.Between(before, after); w.Process != nil || w.Machine == nil || after.Err() != nil {
		t.Errorf("window = %+v, error = %v", w, after.Err())
	}
}

// Metrics of a process that can be seen are asked for its Go runtime only.
func TestSamplerWithoutHelperTakesMetrics(t *testing.T) {
	url, _ := serve(t, goMetrics(1), goMetrics(2))
	w := windows(newPatient(t, Config{PID: os.Getpid(), Metrics: url, Runtime: newListener(t)}), 1)[0]
	if w.Runtime == nil || w.Runtime.GCCycles != 3 || w.Lacks("runtime") || !w.Lacks("sched") {
		t.Errorf("runtime = %+v, missing %q; want that of the metrics", w.Runtime, w.Missing)
	}
	if w.Process == nil || w.Process.Reported || w.Process.Threads == 0 || w.Lacks("cpu_split", "switches") {
		t.Errorf("process = %+v, missing %q; want the kernel's", w.Process, w.Missing)
	}
}

// collector is a program that collects its garbage when it is told to.
const collector = `package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"

	_ "dynoprobe"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		runtime.GC()
		fmt.Println("done")
	}
}
`

// The subjects' own helper, in a program built for this, and the listener
// understand each other.
func TestSamplerWithHelper(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	helper, err := filepath.Abs("../subjects/go/dynoprobe")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module actor\n\ngo 1.26.0\n\nrequire dynoprobe v0.0.0\n\nreplace dynoprobe => " + helper + "\n",
		"main.go": collector,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-o", "actor", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l := newListener(t)
	a := startProgram(filepath.Join(dir, "actor"), helperEnv+"="+l.path)
	t.Cleanup(a.end)
	settle(t, l, 1)
	s := newSampler(t, Config{PID: a.pid(), Runtime: l})
	var before, after Snapshot
	for range 10 { // on a busy machine the helper may be late
		before = s.Snapshot()
		a.tell("")
		a.tell("")
		if after = s.Snapshot(); before.Err() == nil && after.Err() == nil {
			break
		}
	}
	if before.Err() != nil || after.Err() != nil {
		t.Fatal(before.Err(), after.Err())
	}
	r := s.Between(before, after).Runtime
	if r == nil {
		t.Fatal("no runtime in the window")
	}
	if r.GCCycles != 2 || r.GCPause == 0 || r.GCPauseMax == 0 || r.Heap == 0 || r.Goroutines < 2 || r.HelperCPUus <= 0 || r.SchedMax < r.SchedP50 {
		t.Errorf("runtime = %+v, want two collections", r)
	}
}

func BenchmarkSnapshot20Threads(b *testing.B) {
	a := newActor(b)
	a.tell("threads 15")
	s := newSampler(b, Config{PID: a.pid()})
	b.ReportAllocs()
	for b.Loop() {
		if snap := s.Snapshot(); snap.Err() != nil {
			b.Fatal(snap.Err())
		}
	}
}
