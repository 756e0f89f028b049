package runner

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/internal/i18n"
)

// confine keeps all threads of this process on the given CPUs, so that probes,
// archive and garbage collection don't run on the subject's. undo lets them go
// everywhere they could before.
func confine(cpus []int) (undo func(), err error) {
	if len(cpus) == 0 {
		return func() {}, nil
	}
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, i18n.Errorf("runner.reading-cpus-process", "reading the CPUs of this process: %w", err)
	}
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := setThreads(&set); err != nil {
		return nil, err
	}
	return func() { setThreads(&before) }, nil
}

// setThreads sets the CPUs of every thread of this process. New threads take
// over those of the one that starts them, which may not have been set yet: it
// looks again until there are no more.
func setThreads(set *unix.CPUSet) error {
	known := make(map[string]bool)
	for before := -1; len(known) > before; {
		before = len(known)
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return i18n.Errorf("runner.listing-threads-process", "listing the threads of this process: %w", err)
		}
		for _, task := range tasks {
			tid, err := strconv.Atoi(task.Name())
			if err != nil || known[task.Name()] {
				continue
			}
			known[task.Name()] = true
			if err := unix.SchedSetaffinity(tid, set); err != nil && err != unix.ESRCH {
				return i18n.Errorf("runner.pinning-self", "keeping this process off the subject's CPUs: %w", err)
			}
		}
	}
	return nil
}
