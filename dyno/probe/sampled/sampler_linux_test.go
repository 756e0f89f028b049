package sampled

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// workVariable makes this test a program that is busy in two functions, one three times as
// long as the other.
const workVariable = "DYNO_TEST_SAMPLED"

var sink uint64

// The race detector's calls would be what is seen.
//
//go:noinline
//go:norace
func smallWork(n int) {
	for i := range n {
		sink = sink*31 + uint64(i)
	}
}

//go:noinline
//go:norace
func largeWork(n int) {
	for i := range 3 * n {
		sink = sink*31 + uint64(i)
	}
}

//go:noinline
func bothWorks() {
	smallWork(10_000)
	largeWork(10_000)
}

func TestWorks(t *testing.T) {
	if os.Getenv(workVariable) == "" {
		t.Skip("a part of another test")
	}
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); {
		bothWorks()
	}
}

// A process is sampled from the outside, with the names of its functions and callers; one in
// another folder isn't.
func TestSampler(t *testing.T) {
	dir, other := real(t), real(t)
	s, err := Start([]int{0, 1}[:cpus()], func(d string) bool { return d == dir })
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var started []*exec.Cmd
	for _, in := range []string{dir, other} {
		cmd := exec.Command("sh", "-c", "exec "+self+" -test.run=^TestWorks$")
		cmd.Dir, cmd.Env = in, append(os.Environ(), workVariable+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, cmd)
	}
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	list, lost := s.Stop()
	if len(list) != 1 || list[0].Dir != dir {
		t.Fatalf("%d processes, %d samples lost", len(list), lost)
	}
	const name = "dyno.example/dyno/probe/sampled."
	seen := map[string]Function{}
	for _, f := range list[0].Functions() {
		seen[f.Name] = f
	}
	small, large, all := seen[name+"smallWork"].Self, seen[name+"largeWork"].Self, seen[name+"TestWorks"]
	if large < 50 || float64(large) < 2*float64(small) || float64(large) > 4.5*float64(small) || all.Total < small+large || all.Self > large/10 {
		t.Errorf("small %d, large %d, all %+v of %d samples; %+v", small, large, all, list[0].Samples, list[0].Functions())
	}
	// Functions without a frame of their own, as the two are, hide who called them, and no more.
	if callers := list[0].Callers(name + "largeWork"); callers[name+"TestWorks"] != seen[name+"largeWork"].Total {
		t.Errorf("callers %v", callers)
	}
}

func real(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func cpus() int {
	if _, err := os.Stat("/sys/devices/system/cpu/cpu1"); err != nil {
		return 1
	}
	return 2
}
