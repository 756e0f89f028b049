package subject

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// OnlineCPUs returns the CPUs this process may run on, in order
// (sched_getaffinity(2)); it knows of taskset and cpusets.
func OnlineCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("ask which CPUs can be used: %w", err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// pinThread gives the calling thread, and what is forked from it, the CPUs,
// and returns how to take that back. The caller has locked the thread.
func pinThread(cpus []int) (restore func(), err error) {
	var before, set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	return func() { _ = unix.SchedSetaffinity(0, &before) }, nil
}
