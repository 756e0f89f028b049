package subject

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cgroupsV1 skips a test where limits can't be made with version 1.
func cgroupsV1(t *testing.T) {
	t.Helper()
	trees, err := ownTrees()
	if err != nil {
		t.Fatal(err)
	}
	for _, controller := range []string{"cpu", "memory", "cpuset"} {
		tree, ok := trees[controller]
		if !ok || syscall.Access(tree.own, 2) != nil {
			t.Skipf("the %s controller of version 1 can't be used here", controller)
		}
	}
}

// limitGroupsOf reads which cgroups hold a subject's limits.
func limitGroupsOf(t *testing.T, s StartSpec, in *Instance) []string {
	t.Helper()
	e, err := readEntry(Entry{PID: in.PID()}.file(s.StateDir))
	if err != nil {
		t.Fatal(err)
	}
	return e.LimitGroups
}

func allGone(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

func TestLimits(t *testing.T) {
	cgroupsV1(t)
	cpus, err := OnlineCPUs()
	if err != nil {
		t.Fatal(err)
	}
	last := cpus[len(cpus)-1]
	s := serverSpec(t, "good")
	s.Limits = Limits{CPUs: 0.5, Memory: 256 << 20, CPUSet: []int{last}}
	in := startServer(t, s)
	if left := in.Unenforced(); len(left) > 0 {
		t.Errorf("not enforced: %q", left)
	}
	groups := limitGroupsOf(t, s, in)
	if len(groups) != 3 {
		t.Fatalf("limit groups: %v", groups)
	}
	for file, want := range map[string]string{
		"cpu.cfs_quota_us": "50000", "cpu.cfs_period_us": "100000", "memory.limit_in_bytes": "268435456", "cpuset.cpus": cpuList([]int{last}),
	} {
		seen := ""
		for _, path := range groups {
			if data, err := os.ReadFile(filepath.Join(path, file)); err == nil {
				seen = strings.TrimSpace(string(data))
				if members := openCgroup(path).members(); !slices.Equal(members, []int{in.PID()}) {
					t.Errorf("%s has members %v, want the subject %d alone", path, members, in.PID())
				}
			}
		}
		if seen != want {
			t.Errorf("%s is %q, want %q", file, seen, want)
		}
	}
	stopServer(t, in)
	allGone(t, groups)
}

// TestQuotaHolds lets a limited subject spin: it must not get more CPU time than
// it may have.
func TestQuotaHolds(t *testing.T) {
	cgroupsV1(t)
	s := serverSpec(t, "good")
	s.Limits = Limits{CPUs: 0.05} // what it would get on a busy machine too
	in := startServer(t, s)
	eventually(t, "it is throttled", func() bool {
		get(t, in.URL()+"/spin?ms=1000")
		return !slices.ContainsFunc(limitGroupsOf(t, s, in), func(path string) bool {
			data, err := os.ReadFile(filepath.Join(path, "cpu.stat"))
			if err != nil {
				t.Fatal(err)
			}
			return !strings.Contains(string(data), "nr_throttled") || strings.Contains(string(data), "nr_throttled 0\n")
		})
	})
}

func TestOutOfMemory(t *testing.T) {
	cgroupsV1(t)
	s := serverSpec(t, "good")
	s.Limits = Limits{Memory: 48 << 20}
	in := startServer(t, s)
	groups := limitGroupsOf(t, s, in)
	if resp, err := pollingClient(nil).Get(in.URL() + "/eat?mib=256"); err == nil {
		resp.Body.Close()
	}
	select {
	case <-in.Done():
	case <-time.After(time.Minute):
		t.Fatal("it has eaten five times what it may have, and lives")
	}
	if err := in.Err(); err == nil || !strings.Contains(err.Error(), "signal: killed: the kernel killed 1 of its processes, which needed more than the limit of memory, 48 MiB") {
		t.Errorf("error %v", err)
	}
	stopServer(t, in)
	allGone(t, groups)
}

// TestChildOutOfMemory: what the kernel kills need not be the first process.
func TestChildOutOfMemory(t *testing.T) {
	cgroupsV1(t)
	s := serverSpec(t, "good")
	s.Limits = Limits{Memory: 48 << 20}
	in, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Stop(t.Context())
	get(t, in.URL()+"/child?mib=256")
	if in.Err() != nil {
		t.Skipf("the kernel chose the first process: %v", in.Err())
	}
	err = in.Stop(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the kernel killed 1 of the processes of subject go/good") {
		t.Errorf("error %v", err)
	}
}

func TestSweepRemovesLimitGroups(t *testing.T) {
	cgroupsV1(t)
	s := serverSpec(t, "good")
	s.Limits = Limits{CPUs: 1, Memory: 1 << 30}
	cmd, e := victim(t, s)
	if len(e.LimitGroups) != 2 {
		t.Fatalf("limit groups: %v", e.LimitGroups)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill9(t, e.Keeper.PID)
	kill9(t, cmd.Process.Pid)
	_ = cmd.Wait()
	if _, err := Sweep(t.Context(), s.StateDir); err != nil {
		t.Fatal(err)
	}
	allGone(t, append(e.LimitGroups, e.Cgroup))
}

func TestLimitsRefused(t *testing.T) {
	for want, l := range map[string]Limits{"limits: cpus: 0.001": {CPUs: 0.001}, "limits: cpus: -1": {CPUs: -1}, "limits: memory: 5 bytes": {Memory: 5}} {
		s := serverSpec(t, "good")
		s.Limits = l
		if _, err := Start(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v", l, err)
		}
	}
}

// TestWithoutControllers: where there are none, the next best is done, and said.
func TestWithoutControllers(t *testing.T) {
	o := launchRequest{CPUs: []int{3, 4, 5, 6}, Limits: Limits{CPUs: 1.5, Memory: 64 << 20}}
	var c child
	c.noteUnenforced(&o, map[string]error{"cpu": os.ErrPermission, "memory": os.ErrPermission})
	if !slices.Equal(o.CPUs, []int{3, 4}) {
		t.Errorf("kept on CPUs %v", o.CPUs)
	}
	if len(c.unenforced) != 2 || !strings.Contains(c.unenforced[0], "not limited to 1.5 CPUs; instead, the subject was kept on CPUs [3 4]: permission denied") ||
		!strings.Contains(c.unenforced[1], "memory is not limited to 64 MiB: permission denied") {
		t.Errorf("said %q", c.unenforced)
	}
}

// TestVersion2 makes a limited cgroup in a tree of plain files, which shows where
// it goes and what is written; that the kernel heeds it, it does not show.
func TestVersion2(t *testing.T) {
	point := t.TempDir()
	put := func(path, text string) {
		file := filepath.Join(point, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		"cgroup.controllers": "cpuset cpu memory pids\n", "cgroup.subtree_control": "cpu memory pids\n",
		"user/cgroup.controllers": "cpu memory pids\n", "user/cgroup.subtree_control": "memory\n",
		"user/session/cgroup.controllers": "memory\n", "user/session/cgroup.subtree_control": "\n",
	} {
		put(path, text)
	}
	tree := cgroupTree{own: filepath.Join(point, "user/session"), point: point, v2: true}
	l := Limits{CPUs: 0.5, Memory: 1 << 30}
	g, err := limitedCgroup(tree, "dyno-1", &l)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(point, "user/dyno-1"); g.path != want {
		t.Errorf("made %s, want %s", g.path, want)
	}
	for file, want := range map[string]string{
		"user/cgroup.subtree_control": "+cpu", "user/dyno-1/cpu.max": "50000 100000",
		"user/dyno-1/memory.max": "1073741824", "user/dyno-1/memory.swap.max": "0", "user/dyno-1/memory.oom.group": "1",
	} {
		if data, err := os.ReadFile(filepath.Join(point, file)); string(data) != want {
			t.Errorf("%s: %q (%v), want %q", file, data, err, want)
		}
	}
	put("user/dyno-1/memory.events", "low 0\noom 3\noom_kill 2\n")
	if n := (limitGroup{cgroup: g}).oomKills(); n != 2 {
		t.Errorf("%d kills", n)
	}
	l.CPUSet = []int{0, 2} // the controller is offered at the top only
	if g, err = limitedCgroup(tree, "dyno-2", &l); err != nil || g.path != filepath.Join(point, "dyno-2") {
		t.Errorf("%+v, %v", g, err)
	}
	put("cgroup.controllers", "cpu\n")
	put("cgroup.subtree_control", "cpu\n")
	if _, err = limitedCgroup(tree, "dyno-3", &l); err == nil || !strings.Contains(err.Error(), "controller") {
		t.Errorf("error %v", err)
	}
}
