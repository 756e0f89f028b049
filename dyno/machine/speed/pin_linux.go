package speed

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// onEach calls do on each of the CPUs in turn, and then gives the thread back
// those it had (sched_setaffinity(2)).
func onEach(cpus []int, do func(cpu int)) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("asking for the CPUs of a thread: %w", err)
	}
	defer func() { err = errors.Join(err, unix.SchedSetaffinity(0, &before)) }()
	for _, cpu := range cpus {
		var one unix.CPUSet
		one.Set(cpu)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return fmt.Errorf("pinning a thread to CPU %d: %w", cpu, err)
		}
		do(cpu)
	}
	return nil
}
