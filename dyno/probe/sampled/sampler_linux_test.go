package sampled

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano/wire/clock"
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
	for cpuTime(t) < 1500*time.Millisecond { // time of its own: a busy machine gives it less
		bothWorks()
	}
}

// cpuTime is what this process has used so far.
func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A process is sampled from the outside, with the names of its functions and callers; one in
// another folder isn't.
func TestSampler(t *testing.T) {
	dir, other := real(t), real(t)
	s, err := Start(Config{CPUs: []int{0, 1}[:cpus()], Wanted: func(_ int, d string) bool { return d == dir }, Moments: true})
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var started []*exec.Cmd
	begin := clock.Now()
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
	// Samples are drawn: of n, the share of three quarters lies within five deviations.
	n := float64(small + large)
	if large < 50 || math.Abs(float64(large)-n*3/4) > 5*math.Sqrt(n*3/16) || all.Total < small+large || all.Self > large/10 {
		t.Errorf("small %d, large %d, all %+v of %d samples; %+v", small, large, all, list[0].Samples, list[0].Functions())
	}
	half := begin + (clock.Now()-begin)/2
	whole, first := Profile(list, func(Moment) bool { return true }), Profile(list, func(m Moment) bool { return m.At >= begin && m.At < half })
	others := Profile(list, func(m Moment) bool { return m.At < begin || m.Thread <= 0 })
	if n := whole.Sum(0); n != int64(list[0].Samples) || first.Sum(0) == 0 || first.Sum(0) >= n || others.Sum(0) != 0 || whole.Functions(0)[0].Name != name+"largeWork" {
		t.Errorf("%d samples, of the first half %d, of no time %d", n, first.Sum(0), others.Sum(0))
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

// A process's own children are below it, and it isn't below them.
func TestBelow(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 60 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var child int
	if _, err := fmt.Fscan(out, &child); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(child, syscall.SIGKILL)
	shell := cmd.Process.Pid
	if !Below(child, []int{shell}) || !Below(child, []int{os.Getpid()}) || !Below(shell, []int{shell}) || Below(shell, []int{child}) || Below(child, nil) {
		t.Errorf("shell %d, child %d", shell, child)
	}
}
