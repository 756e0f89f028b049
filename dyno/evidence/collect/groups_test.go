package collect

import (
	"os"
	"runtime"
	"testing"

	"dyno.example/dyno/evidence"
)

func TestGroupOf(t *testing.T) {
	for text, want := range map[string]string{
		"0::/system.slice/backup.service\n":                              "/system.slice/backup.service",
		"11:memory:/a\n4:cpu,cpuacct:/kubepods/pod1\n0::/system.slice\n": "/kubepods/pod1",
		"4:cpuset:/b\n0::/c:d\n":                                         "/c:d",
		"4:cpu:/\n0::/\n":                                                "",
		"":                                                               "",
		"nonsense":                                                       "",
	} {
		if got := groupOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Only of waits for a CPU is it said who had it, and one that has ended has no group.
func TestGroupsAreNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc")
	}
	self := &evidence.Task{PID: int32(os.Getpid()), Comm: "hog"}
	r := evidence.Record{Intervals: []evidence.Interval{{Stage: evidence.CPUWait, By: self}, {Stage: evidence.Lock, By: self}, {Stage: evidence.CPUWait, By: &evidence.Task{PID: 1 << 30}}, {Stage: evidence.CPUWait}}}
	g := groups{int32(os.Getpid()): "/noisy"}
	g.name(&r)
	if got := r.Intervals[0].By; got.Cgroup != "/noisy" || got.Comm != "hog" {
		t.Errorf("%+v", got)
	}
	if r.Intervals[1].By.Cgroup != "" || r.Intervals[2].By.Cgroup != "" || self.Cgroup != "" {
		t.Errorf("%+v", r.Intervals)
	}
}
