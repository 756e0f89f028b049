package speed

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/machine"
)

// The thread is on the CPU while it works, and has all it had before afterwards,
// also if one of the CPUs is not there.
func TestAThreadIsGivenBack(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	had := affinity(t)
	cpus := machine.OnlineCPUs()
	err := onEach(append(cpus, 1<<20), func(cpu int) {
		if now := affinity(t); now.Count() != 1 || !now.IsSet(cpu) {
			t.Errorf("working on CPU %d, the thread may run on %d CPUs", cpu, now.Count())
		}
	})
	if err == nil {
		t.Error("no error for a CPU that is not there")
	}
	if now := affinity(t); now != had {
		t.Errorf("the thread may run on %d CPUs, %d before", now.Count(), had.Count())
	}
}

// affinity is what the calling thread may run on.
func affinity(t *testing.T) (set unix.CPUSet) {
	t.Helper()
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	return set
}
