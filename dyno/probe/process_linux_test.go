package probe

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func threadCPU() time.Duration {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}

// watch makes a probe that is closed with the test.
func watch(t testing.TB, pid int) *ProcessProbe {
	p := NewProcess(pid)
	t.Cleanup(p.Close)
	return p
}

func snapshot(t testing.TB, p *ProcessProbe) ProcessTotals {
	t.Helper()
	s, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProcessCPUCountsEndedThreads(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	before := snapshot(t, p)
	a.tell("burn 200") // in a thread that has ended when it responds
	w := snapshot(t, p).Since(before)
	if w.CPU < 200*time.Millisecond {
		t.Errorf("CPU = %v, at least 200ms were burnt", w.CPU)
	}
	if w.CPUUser+w.CPUSys != w.CPU || w.CPUUser == 0 {
		t.Errorf("user %v + system %v are not %v", w.CPUUser, w.CPUSys, w.CPU)
	}
	if w.SwitchesVol == 0 || w.FaultsMinor == 0 {
		t.Errorf("window = %+v, want switches and faults", w)
	}
	if w.RSS < 1<<20 || w.Processes != 1 || w.Threads < 2 {
		t.Errorf("window = %+v, want the actor's memory and threads", w)
	}
}

func TestProcessHoldings(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	a.tell("files 1") // the first makes the runtime open some of its own
	before := snapshot(t, p).Since(ProcessTotals{})
	a.tell("threads 20")
	a.tell("files 30")
	after := snapshot(t, p).Since(ProcessTotals{})
	if after.Threads < 20 {
		t.Errorf("%d threads, 20 are held", after.Threads)
	}
	if after.OpenFiles != before.OpenFiles+30 {
		t.Errorf("open files went from %d to %d, 30 were added", before.OpenFiles, after.OpenFiles)
	}
}

func TestTreeWithGrandchild(t *testing.T) {
	for name, scan := range map[string]bool{"children listed": false, "children searched": true} {
		t.Run(name, func(t *testing.T) {
			a := newActor(t)
			p := watch(t, a.pid())
			p.scan = scan
			before := snapshot(t, p)
			a.tell("child")
			a.tell("tell-child child")
			a.tell("tell-child tell-child burn 100")
			during := snapshot(t, p)
			if w := during.Since(before); w.Processes != 3 || w.CPU < 100*time.Millisecond {
				t.Errorf("%d processes used %v, want 3 and 100ms by the grandchild", w.Processes, w.CPU)
			}
			a.tell("tell-child end-child")
			a.tell("end-child")
			after := snapshot(t, p)
			if w := after.Since(during); w.Processes != 1 {
				t.Errorf("%d processes are left, want 1", w.Processes)
			}
			if after.used.cpu < during.used.cpu || after.used.voluntary < during.used.voluntary {
				t.Errorf("what ended children had used is lost: %+v, then %+v", during.used, after.used)
			}
			if files := p.files.spare; len(p.members) != 1 || files < maxOpenFiles-100 {
				t.Errorf("%d members, %d files to spare: ended members keep files", len(p.members), files)
			}
		})
	}
}

// What is used between two snapshots by children that neither of them saw is
// known from their parent.
func TestShortLivedChildren(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	before := snapshot(t, p)
	a.tell("short 100")
	first := snapshot(t, p).Since(before)
	// The kernel tells the CPU time of children in whole ticks, user and system
	// each.
	if first.CPU < 100*time.Millisecond-2*tick {
		t.Errorf("CPU = %v, an ended child burnt 100ms", first.CPU)
	}
	middle := snapshot(t, p)
	if idle := snapshot(t, p).Since(middle); idle.CPU > 80*time.Millisecond {
		t.Errorf("CPU = %v when nothing ran: children were counted twice", idle.CPU)
	}
}

// A child that was seen and then waited for is in two accounts; it must count
// once.
func TestEndedChildCountsOnce(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	before := snapshot(t, p)
	a.tell("child")
	a.tell("tell-child burn 1000")
	snapshot(t, p)
	a.tell("end-child")
	got := snapshot(t, p).Since(before).CPU
	if got < time.Second || got > 1900*time.Millisecond { // the rest is its own beginning and end
		t.Errorf("CPU = %v, one child burnt 1s once", got)
	}
}

func TestOrphanStaysMember(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	child, err := strconv.Atoi(a.tell("child"))
	if err != nil {
		t.Fatal(err)
	}
	if grandchild, err := strconv.Atoi(a.tell("tell-child child")); err != nil || grandchild == 0 {
		t.Fatal(err)
	}
	if got := snapshot(t, p).processes; got != 3 {
		t.Fatalf("%d processes, want 3", got)
	}
	unix.Kill(child, unix.SIGSTOP) // keeps it from ending its own child
	unix.Kill(a.pid(), unix.SIGKILL)
	a.cmd.Wait()
	got := snapshot(t, p)
	if got.processes != 2 {
		t.Errorf("%d processes, want the two that are left", got.processes)
	}
	unix.Kill(child, unix.SIGKILL)
}

func TestVanishedProcess(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	before := snapshot(t, p)
	a.tell("burn 50")
	a.end()
	after, err := p.Snapshot()
	if !errors.Is(err, ErrEnded) {
		t.Errorf("error = %v, want %v", err, ErrEnded)
	}
	if after.used.cpu < before.used.cpu {
		t.Errorf("CPU went from %v to %v", before.used.cpu, after.used.cpu)
	}
	if _, err := p.Snapshot(); !errors.Is(err, ErrEnded) {
		t.Errorf("error = %v the second time", err)
	}
	if p.files.spare != maxOpenFiles {
		t.Errorf("%d files to spare of %d: ended processes keep files", p.files.spare, maxOpenFiles)
	}
}

func TestProcessThatNeverWas(t *testing.T) {
	p := watch(t, 1<<22-1)
	if _, err := p.Snapshot(); !errors.Is(err, ErrEnded) {
		t.Errorf("error = %v, want %v", err, ErrEnded)
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	a := startActor()
	t.Cleanup(func() { a.cmd.Wait() })
	a.tell("hello")
	p := watch(t, a.pid())
	snapshot(t, p)
	a.stdin.Close()
	// Wait for its end without taking its status.
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, a.pid(), &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Snapshot(); !errors.Is(err, ErrEnded) {
		t.Errorf("error = %v, want %v", err, ErrEnded)
	}
}

// A probe that may keep no files open reads the same.
func TestProcessWithoutSpareFiles(t *testing.T) {
	a := newActor(t)
	p := watch(t, a.pid())
	p.files.spare = 0
	before := snapshot(t, p)
	a.tell("child")
	a.tell("tell-child burn 50")
	w := snapshot(t, p).Since(before)
	if w.Processes != 2 || w.CPU < 50*time.Millisecond || w.SwitchesVol == 0 {
		t.Errorf("window = %+v", w)
	}
}

func TestProbeOfOwnProcessClosesItsFiles(t *testing.T) {
	open := func() int {
		n, err := countOpenFiles(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := open()
	for range 3 {
		p := NewProcess(os.Getpid())
		snapshot(t, p)
		p.Close()
	}
	if after := open(); after != before {
		t.Errorf("open files went from %d to %d", before, after)
	}
}

func BenchmarkProcess20Threads(b *testing.B) {
	a := newActor(b)
	a.tell("threads 15")
	p := watch(b, a.pid())
	b.ReportAllocs()
	for b.Loop() {
		t, err := p.Snapshot()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(t.threads), "threads")
	}
}

// Only what was there at the first snapshot is said to have ended.
func TestEndedProcessesAreNamed(t *testing.T) {
	a := newActor(t)
	a.tell("child")
	p := watch(t, a.pid())
	first := snapshot(t, p)
	a.tell("end-child")
	a.tell("child")
	second := snapshot(t, p)
	if w := second.Since(first); len(w.Ended) != 1 || w.Begun != 1 || !strings.Contains(w.Ended[0], " (process ") {
		t.Errorf("ended %q, begun %d; want the child, and the one after it", w.Ended, w.Begun)
	}
	a.tell("end-child")
	if w := snapshot(t, p).Since(second); len(w.Ended) != 0 || w.Begun != 0 {
		t.Errorf("ended %q, begun %d: it was not there when the load began", w.Ended, w.Begun)
	}
}
