package probe

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// A process that wants more than its quota is held back, and that is seen.
// Making a group needs rights that not every machine gives.
func TestThrottledByQuota(t *testing.T) {
	group := fmt.Sprintf("/sys/fs/cgroup/cpu/dyno-test-%d", os.Getpid())
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skip("no cgroup of version 1 can be made here:", err)
	}
	t.Cleanup(func() { os.Remove(group) })
	a := newActor(t) // ends before the group is removed
	for _, w := range []struct{ file, value string }{
		{"cpu.cfs_period_us", "20000"},
		{"cpu.cfs_quota_us", "5000"},
		{"cgroup.procs", fmt.Sprint(a.pid())},
	} {
		if err := os.WriteFile(group+"/"+w.file, []byte(w.value), 0o600); err != nil {
			t.Skip("no quota can be set here:", err)
		}
	}
	p := watch(t, a.pid())
	before := snapshot(t, p)
	// On a busy machine it may not even get its quota for a while.
	for end := time.Now().Add(time.Minute); ; {
		a.tell("burn 30")
		w := snapshot(t, p).Since(before)
		if w.Throttled > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("window = %+v, want it throttled", w)
		}
	}
}
