package runner

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/study"
)

// The network that is put before a subject is dyno's work, and no other program's.
func TestNetworkIsNoOtherProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	if os.Geteuid() != 0 {
		t.Skip("a network for a subject takes root")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip("no TUN devices here: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: far
subjects: [{name: far, run: %q, ready: /, network: {rtt: 200us}, env: {%s: ""}}]
requests: [{name: root, get: /, expect: [body == ok]}]
loads: [{name: saturate, closed: {connections: 8}}]
trial: {warmup: 0s, duration: 2s}
blocks: 1
`, self, troubleVariable), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &Runner{KeepGoing: true, Study: s, Plan: plan, Command: []string{"dyno"}, Version: "test", CacheDir: t.TempDir(), StateDir: dir, Store: archive.Store{Dir: dir + "/runs"}}
	var keepers []int
	r.Observe = func(e Event) {
		if e.Kind == WindowDone {
			keepers = append(keepers, ownKeepers()...)
		}
	}
	run := archivedBy(t, r)
	trial := run.Trials[0]
	if trial.Status != archive.Complete {
		t.Fatalf("the trial is %s: %s", trial.Status, trial.Error)
	}
	if len(keepers) == 0 {
		t.Fatal("no keeper was seen")
	}
	for _, w := range trial.Windows {
		m := w.Server.Machine
		if m == nil || m.Self == nil || m.Programs == nil {
			t.Fatalf("window %d: the machine wasn't looked at", w.Client.Index)
		}
		for _, p := range m.Programs.Top {
			if slices.Contains(keepers, p.PID) {
				t.Errorf("window %d: the network is among the other programs: %+v", w.Client.Index, p)
			}
		}
	}
}

// ownKeepers lists the processes that this one keeps subjects with, which the kernel names
// after /proc/self/exe. Those of other programs are other programs here too.
func ownKeepers() (list []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		comm, _ := os.ReadFile("/proc/" + e.Name() + "/comm")
		if strings.TrimSpace(string(comm)) == "exe" && sampled.Below(pid, []int{os.Getpid()}) {
			list = append(list, pid)
		}
	}
	return list
}
