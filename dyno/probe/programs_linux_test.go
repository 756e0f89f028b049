package probe

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startHog starts a process that burns a CPU, pinned to the first that this
// process may use, until the test ends.
func startHog(t *testing.T) (pid, cpu int) {
	t.Helper()
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	for !allowed.IsSet(cpu) {
		cpu++
	}
	hog := exec.Command("/bin/sh", "-c", "echo begun; while :; do :; done")
	out, err := hog.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hog.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hog.Process.Kill(); hog.Wait() })
	var one unix.CPUSet
	one.Set(cpu)
	if err := unix.SchedSetaffinity(hog.Process.Pid, &one); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return hog.Process.Pid, cpu
}

// A process that burns a CPU is found, with its name and where it is; not so if it
// is what is measured.
func TestProgramsNameAHog(t *testing.T) {
	pid, cpu := startHog(t)
	all, without := NewPrograms(), NewPrograms(pid)
	defer all.Close()
	defer without.Close()
	first, err := all.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Snapshot(); err != nil {
		t.Fatal(err)
	}
	is := func(p Program) bool { return p.PID == pid }
	var got Programs
	// However little of the CPU others leave to it, it is seen some time.
	for end := time.Now().Add(time.Minute); !slices.ContainsFunc(got.Top, is) && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		now, err := all.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		got = now.Since(first)
		first = now
	}
	i := slices.IndexFunc(got.Top, is)
	if i < 0 {
		t.Fatalf("the hog, process %d, is not among %+v", pid, got)
	}
	if p := got.Top[i]; p.Name != "sh" || !slices.Equal(p.On, []int{cpu}) || p.CPU <= 0 || p.CPU > got.CPU {
		t.Errorf("got %+v of %v, want sh on CPU %d", p, got.CPU, cpu)
	}
	now, err := without.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := now.by[pid]; !ok || !p.measured {
		t.Errorf("the hog is measured, but got %+v", p)
	}
	if self := now.by[os.Getpid()]; !self.measured && self.classified {
		t.Errorf("this process is among the programs: %+v", self)
	}
}

// What works for this process uses its time, and is no other program.
func TestSelfWithHelpers(t *testing.T) {
	pid, _ := startHog(t)
	m := NewMachine(0)
	defer m.Close()
	m.WatchPrograms([]int{pid})
	begin, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	before, err := processCPU(pid)
	if err != nil {
		t.Fatal(err)
	}
	var used time.Duration
	for used < 100*time.Millisecond {
		time.Sleep(10 * time.Millisecond)
		now, err := processCPU(pid)
		if err != nil {
			t.Fatal(err)
		}
		used = now - before
	}
	end, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	w := end.Since(begin)
	if w.Self.CPU < used {
		t.Errorf("this process and what works for it used %v, of which the latter alone %v", w.Self.CPU, used)
	}
	if slices.ContainsFunc(w.Programs.Top, func(p Program) bool { return p.PID == pid }) {
		t.Errorf("it is among the programs: %+v", w.Programs.Top)
	}
}

func TestSelf(t *testing.T) {
	p := NewSelf()
	defer p.Close()
	a, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for b := a; b.CPU < a.CPU+20*time.Millisecond; {
		if b, err = p.Snapshot(); err != nil {
			t.Fatal(err)
		}
		if b.CPU < a.CPU || b.RunQueue < 0 {
			t.Fatalf("from %+v to %+v", a, b)
		}
	}
}
