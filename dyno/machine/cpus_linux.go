package machine

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// OnlineCPUs returns the numbers of the CPUs that this process may run on, in ascending
// order: those online, less what an affinity or cpuset takes away. Call it before
// pinning anything.
func OnlineCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &set); err != nil {
		return firstCPUs(runtime.NumCPU())
	}
	cpus := make([]int, 0, set.Count())
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
