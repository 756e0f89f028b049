package calibrate

import (
	"slices"

	"dyno.example/dyno/machine"
)

// others returns the CPUs for the null server: those that the generator is not
// pinned to; none, which leaves the choice to the kernel, if there are none or
// the generator is not pinned.
func others(generator []int) []int {
	if len(generator) == 0 {
		return nil
	}
	return slices.DeleteFunc(machine.OnlineCPUs(), func(cpu int) bool { return slices.Contains(generator, cpu) })
}

// firstOf returns the first CPU, or -1.
func firstOf(cpus []int) int {
	if len(cpus) == 0 {
		return -1
	}
	return cpus[0]
}
