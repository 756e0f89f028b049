//go:build !linux

package machine

import "runtime"

// OnlineCPUs returns the numbers of the CPUs that this process may run on, in
// ascending order. Here they are only counted.
func OnlineCPUs() []int { return firstCPUs(runtime.NumCPU()) }
