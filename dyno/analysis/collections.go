package analysis

import (
	"math"
	"slices"

	"dyno.example/dyno/load/profile"
)

// collectedBySpeed is by what a figure of Go's collector is to be multiplied, or divided, at most
// for the usual speed, of a trial on a machine that was so many times slower. It is not known of
// other runtimes, whose collectors choose by the clock how much a heap may grow.
//
// A collection comes when the heap has grown by so much: in a closed loop it comes the more often
// the more is served. Under a rate the same is allocated in a second; but what is allocated while
// a collection marks is left to the next, and marking takes f times as long. As it takes no longer
// than the time between two collections, there are no more than f times as many or as few of them:
// fewer where the heap may double what is left, more where it may come to the least there is (4 MB
// at GOGC=100). A pause, and the CPU time of a collection, takes f times as long.
func (e *evidence) collectedBySpeed(metric string, cell, block int, slower float64) (by float64, known bool) {
	at := slices.Index(e.blocks, block)
	allocated, _ := e.Values("allocs", cell)
	if at < 0 || at >= len(allocated) || math.IsNaN(allocated[at]) {
		return 0, false // Go tells what it allocates
	}
	if e.builders[cell].mode != profile.Closed {
		if busy, ok := e.builders[cell].disturbed[block].busyShare(); !ok || busy > mostBusy || busy/slower > mostBusy {
			return 0, false
		}
		switch metric {
		case "gc.cycles":
			return slower, true
		case "gc.pause", "gc.cpu":
			return slower * slower, true
		}
		return 0, false
	}
	switch metric {
	case "gc.cycles", "gc.pause":
		return slower, true
	case "gc.cpu":
		return 1 / slower, true
	}
	return 0, false
}
