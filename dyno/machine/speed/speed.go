// Package speed measures how fast CPUs run a fixed piece of work at the moment:
// what a CPU's clock rate comes to, and what is left of its core where another
// thread has a share of it. Virtual machines show neither in any file.
//
// It sees what arithmetic sees. A neighbour that takes away cache or memory
// bandwidth only is not seen, nor is one that comes and goes within milliseconds.
package speed

import (
	"math"
	"time"

	"dyno.example/nano/wire/clock"
)

// Reading is how fast a CPU did the work at one moment, in operations per
// nanosecond: the best of several rounds, so that interrupts and other programs,
// which have findings of their own, don't count.
type Reading struct {
	CPU int `json:"cpu"`
	// Chain is the rate of operations of which each waits for the one before. It
	// goes with the clock rate, and hardly feels a neighbour: it leaves most of the
	// core unused.
	Chain float64 `json:"chain"`
	// Wide is the rate of operations that wait for few others, so many that they
	// fill the core. It goes with the clock rate too, and with the share of the core
	// that a busy hyper-thread beside it leaves.
	Wide float64 `json:"wide"`
}

// How long it may take, and in what pieces.
const (
	each   = 2 * time.Millisecond  // for a CPU
	all    = 10 * time.Millisecond // for all together …
	fewest = 3                     // … if that leaves so many rounds for each
	turns  = 1 << 14               // of each kind of work in a round: tens of microseconds, to fit between interrupts
)

// Measure reads the speed of the CPUs, one after the other: those that share a
// core would slow each other down. The calling thread has the CPUs it had before
// when it returns. It takes 2 ms for each CPU, 10 ms at most for up to 60 or so.
// Where threads can't be pinned the error is [errors.ErrUnsupported].
func Measure(cpus []int) ([]Reading, error) {
	if len(cpus) == 0 {
		return nil, nil
	}
	budget := min(each, all/time.Duration(len(cpus)))
	readings := make([]Reading, 0, len(cpus))
	err := onEach(cpus, func(cpu int) { readings = append(readings, read(cpu, budget)) })
	if err != nil {
		return nil, err
	}
	return readings, nil
}

// read does rounds of the work on the CPU that the thread is on, until the time is
// up, and takes the best of each kind.
func read(cpu int, budget time.Duration) Reading {
	quickestChain, quickestWide := int64(math.MaxInt64), int64(math.MaxInt64)
	x := uint64(cpu)
	for end, round := clock.Now()+int64(budget), 0; round < fewest || clock.Now() < end; round++ {
		began := clock.Now()
		x = chain(turns, x)
		between := clock.Now()
		x = wide(turns, x)
		quickestChain = min(quickestChain, between-began)
		quickestWide = min(quickestWide, clock.Now()-between)
	}
	return Reading{CPU: cpu, Chain: rate(turns*chainOperations, quickestChain), Wide: rate(turns*wideOperations, quickestWide)}
}

// rate is operations per ns, to four places: more would be noise in the archive.
func rate(operations, ns int64) float64 {
	return math.Round(1e4*float64(operations)/float64(max(ns, 1))) / 1e4
}
