package speed

import (
	"time"

	"dyno.example/nano/wire/clock"
)

// Glance reads how long a CPU takes for the work of a tenth of a millisecond at most: the
// best of a few times, as an interrupt may fall into one. It says less than [Measure] and is
// for readings of which there are many. The thread has its CPUs back when it returns.
func Glance(cpu int) (took time.Duration, err error) {
	const glances, few = 3, turns / 4
	err = onEach([]int{cpu}, func(int) {
		x := uint64(cpu)
		for range glances {
			began := clock.Now()
			x = wide(few, chain(few, x))
			if d := time.Duration(clock.Now() - began); took == 0 || d < took {
				took = d
			}
		}
	})
	return took, err
}
