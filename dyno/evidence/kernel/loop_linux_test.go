package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"dyno.example/dyno/evidence"
)

// python is a server with one loop, written in Python.
func python(t *testing.T) (addr string, pid int) {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no Python here")
	}
	cmd := exec.Command(interpreter, "testdata/loop.py", t.TempDir())
	return start(t, cmd)
}

// TestInjectedTruthOfALoop: causes in a server of one thread that isn't Go's.
func TestInjectedTruthOfALoop(t *testing.T) {
	addr, pid := python(t)
	p := opened(t, addr, pid)
	c, other := dial(t, addr), dial(t, addr)
	ask := func(path string) *evidence.Record {
		s := c.send(t, path)
		c.receive(t, &s)
		r := record(t, p, &s, 0)
		return &r
	}
	for range 5 {
		ask("/")
		s := other.send(t, "/")
		other.receive(t, &s)
	}
	for _, tt := range []struct {
		path  string
		stage evidence.Stage
	}{{"/burn", evidence.OnCPU}, {"/sleep", evidence.Sleep}, {"/lock", evidence.Lock}, {"/fsync", evidence.Disk}} {
		t.Run(tt.path, func(t *testing.T) {
			injected(t, []int{pid}, func(stall time.Duration) string { return lacks(ask(stalled(tt.path, stall)), stall, tt.stage) })
		})
	}
	t.Run("busy with another", func(t *testing.T) {
		injected(t, []int{pid}, func(stall time.Duration) string {
			first := other.send(t, stalled("/burn", stall))
			time.Sleep(stall / 10)
			s := c.send(t, "/")
			c.receive(t, &s)
			other.receive(t, &first)
			r := record(t, p, &s, 0)
			if wrong := lacks(&r, stall, evidence.LoopQueue); wrong != "" {
				return wrong
			}
			if !slices.ContainsFunc(r.Intervals, func(v evidence.Interval) bool {
				return len(v.Others) > 0 && v.Others[0].Connection == first.Connection
			}) {
				return fmt.Sprintf("nobody names connection %x: %+v", first.Connection, r.Intervals)
			}
			return ""
		})
	})
	t.Run("stopped", func(t *testing.T) {
		injected(t, []int{pid}, func(stall time.Duration) string {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			time.Sleep(stall / 10)
			s := c.send(t, "/")
			time.Sleep(stall)
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			c.receive(t, &s)
			r := record(t, p, &s, 0)
			return lacks(&r, stall, evidence.Stopped)
		})
	})
	t.Run("slow client", func(t *testing.T) {
		injected(t, []int{pid}, func(stall time.Duration) string {
			s := c.send(t, "/large")
			time.Sleep(stall)
			c.receive(t, &s)
			r := record(t, p, &s, 0)
			if b := r.Budget(); b[evidence.SendQueue] < int64(stall)/2 || r.SendQueue == 0 {
				return fmt.Sprintf("%v, %d bytes in the send queue", b, r.SendQueue)
			}
			return ""
		})
	})
	t.Run("not accepted", func(t *testing.T) {
		injected(t, []int{pid}, func(stall time.Duration) string {
			first := other.send(t, stalled("/sleep", stall))
			time.Sleep(stall / 10)
			late := dial(t, addr)
			s := late.send(t, "/")
			late.receive(t, &s)
			other.receive(t, &first)
			r := record(t, p, &s, 0)
			return lacks(&r, stall, evidence.AcceptQueue)
		})
	})
}

// TestOwnQuotaAndANeighbour look alike on the run queue, and are told apart.
func TestOwnQuotaAndANeighbour(t *testing.T) {
	addr, pid := python(t)
	p := opened(t, addr, pid)
	c := dial(t, addr)
	t.Run("quota", func(t *testing.T) {
		group := "/sys/fs/cgroup/cpu/dyno-test-" + strconv.Itoa(pid)
		if err := os.Mkdir(group, 0o755); err != nil {
			t.Skip("no group with a quota can be made here: ", err)
		}
		back := groupOf(t, pid)
		set := func(folder, file, value string) {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(value), 0o644); err != nil {
				t.Error(err)
			}
		}
		t.Cleanup(func() {
			set(back, "cgroup.procs", strconv.Itoa(pid))
			if err := os.Remove(group); err != nil {
				t.Error(err)
			}
		})
		set(group, "cpu.cfs_quota_us", "5000")
		set(group, "cpu.shares", "262144") // or many threads outside leave it less than its quota
		set(group, "cgroup.procs", strconv.Itoa(pid))
		before := throttledTime(t, group)
		s := c.send(t, stalled("/burn", stall))
		c.receive(t, &s)
		r := record(t, p, &s, 0)
		// How long it was the kernel says: on a busy machine others can have had the CPU too.
		truly := throttledTime(t, group) - before
		if truly < stall {
			t.Skipf("the group was throttled for %v only", truly)
		}
		if b := r.Budget(); b[evidence.Throttled]*2 < int64(truly) || b[evidence.Throttled]*2 > 3*int64(truly) {
			t.Errorf("throttled %v of %v, the kernel says %v: %v", time.Duration(b[evidence.Throttled]), time.Duration(r.Response()), truly, b)
		}
	})
	t.Run("neighbour", func(t *testing.T) {
		one := exec.Command("taskset", "-cp", "0", strconv.Itoa(pid))
		if err := one.Run(); err != nil {
			t.Skip("no taskset here: ", err)
		}
		hog := exec.Command("taskset", "-c", "0", "sh", "-c", "while :; do :; done")
		hog.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = hog.Process.Kill()
			_ = hog.Wait()
		}()
		time.Sleep(stall / 10)
		group := groupOf(t, pid)
		before, waited := throttled(group), int64(0)
		for range 3 {
			s := c.send(t, stalled("/burn", stall))
			c.receive(t, &s)
			r := record(t, p, &s, 0)
			b := r.Budget()
			if b[evidence.Throttled] > 0 && throttled(group) == before {
				t.Errorf("throttled %v by no quota", time.Duration(b[evidence.Throttled]))
			}
			for _, v := range r.Intervals {
				if v.Stage == evidence.CPUWait && v.By != nil && v.By.Comm != "" { // the hog, or whoever else is there
					waited += v.To - v.From
				}
			}
		}
		if waited < int64(stall)/10 {
			t.Errorf("others are said to have had the CPU for %v only", time.Duration(waited))
		}
	})
}

// groupOf is the folder of the group by which a process gets CPU time.
func groupOf(t *testing.T, pid int) string {
	t.Helper()
	groups, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	folder := "/sys/fs/cgroup/cpu"
	for line := range strings.Lines(string(groups)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); slices.Contains(strings.Split(parts[1], ","), "cpu") {
			folder = filepath.Join(folder, parts[2])
		}
	}
	return folder
}

// cpuStat is what the kernel says of a group's CPU time by a name; empty if it says nothing.
func cpuStat(group, name string) string {
	stat, _ := os.ReadFile(filepath.Join(group, "cpu.stat"))
	for line := range strings.Lines(string(stat)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// throttled is how often a group had used up its quota; empty if it has none.
func throttled(group string) string { return cpuStat(group, "nr_throttled") }

// throttledTime is for how long a group has had no CPU so far because of its quota.
func throttledTime(t *testing.T, group string) time.Duration {
	t.Helper()
	text := cpuStat(group, "throttled_time")
	if text == "" {
		t.Skip("this kernel doesn't say how long a group was throttled")
	}
	ns, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(ns)
}

// TestNothingStays: programs go with the process that loaded them, however it ends.
func TestNothingStays(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		cmd := itself("holder")
		line, pid := start(t, cmd)
		if strings.HasPrefix(line, "none") {
			t.Skip(line)
		}
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(line) {
			id, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			gone(t, ebpf.ProgramID(id))
		}
	}
}

// gone waits until a program is.
func gone(t *testing.T, id ebpf.ProgramID) {
	t.Helper()
	for patience := time.Now().Add(20 * time.Second); time.Now().Before(patience); time.Sleep(10 * time.Millisecond) {
		p, err := ebpf.NewProgramFromID(id)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
	}
	t.Errorf("program %d is still there", id)
}
