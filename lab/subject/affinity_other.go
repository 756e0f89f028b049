//go:build !linux

package subject

import "runtime"

// OnlineCPUs returns the numbers of all CPUs: what this process may use of
// them can't be asked here.
func OnlineCPUs() ([]int, error) {
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	return cpus, nil
}
