package subject

import (
	"fmt"
	"math"
)

// Limits is what a subject may use at most, all its processes together. What is
// zero is not limited.
type Limits struct {
	CPUs   float64 `json:"cpus,omitempty"`         // seconds of CPU time per second
	Memory int64   `json:"memory_bytes,omitempty"` // without swap; what needs more is killed
	CPUSet []int   `json:"cpuset,omitempty"`       // CPUs to run on
}

// Least limits: the kernel takes no quota below 1 ms a period (of 100 ms), and
// little runs in less memory.
const (
	leastCPUs   = 0.01
	leastMemory = 1 << 20
)

func (l *Limits) check() error {
	switch {
	case l.CPUs != 0 && !(l.CPUs >= leastCPUs):
		return fmt.Errorf("limits: cpus: %v is too little; at least %v can be given", l.CPUs, leastCPUs)
	case l.Memory != 0 && l.Memory < leastMemory:
		return fmt.Errorf("limits: memory: %d bytes is too little; at least 1 MiB can be given", l.Memory)
	}
	return nil
}

func (l *Limits) none() bool { return l.CPUs == 0 && l.Memory == 0 && len(l.CPUSet) == 0 }

// affine returns the CPUs, of those that may be used, whose number is closest to
// a limit of CPU time: the next best thing where there is no quota.
func (l *Limits) affine(cpus []int) []int {
	if l.CPUs == 0 {
		return cpus
	}
	return cpus[:min(len(cpus), int(math.Ceil(l.CPUs)))]
}

// memoryText is the limit of memory in words.
func (l *Limits) memoryText() string {
	if l.Memory%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", l.Memory>>20)
	}
	return fmt.Sprintf("%d bytes", l.Memory)
}
