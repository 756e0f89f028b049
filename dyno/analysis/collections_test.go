package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
)

// collected is a heap that is collected whenever it has doubled, or come to 4 MB.
type collected struct{ live, rate, mark float64 } // bytes, bytes allocated a second, s to mark

// left is what a collection leaves: of what is allocated while it marks, nothing is taken.
func (c collected) left() float64 { return c.live + c.rate*c.mark }

// figures are what is reported: a second, or of the bytes that a request allocates, with as much
// CPU time as it takes to mark and a hundredth of that in pauses.
func (c collected) figures() map[string]float64 {
	cycles := c.rate / (max(4e6, 2*c.left()) - c.left())
	return map[string]float64{"gc.cycles": cycles, "gc.pause": cycles * c.mark / 100, "gc.cpu": cycles * c.mark / c.rate}
}

// Truth: what the collector does at the usual speed, of a closed loop and under a rate, of heaps
// at their least and beyond.
func TestCollectionsBySpeed(t *testing.T) {
	for _, mode := range []profile.Mode{profile.Closed, profile.Open} {
		e := &evidence{blocks: []int{0}, builders: []*cellBuilder{{
			mode: mode, places: []int{0}, known: map[string][]knowable{"allocs": {{3, 3}}},
			disturbed: map[int]*disturbed{0: {looked: time.Second, busy: time.Second / 2}},
		}}}
		for _, slower := range []float64{1.1, 1.4, 1.7} {
			for _, live := range []float64{1e5, 1e6, 1.9e6, 3e7} {
				for _, rate := range []float64{1e6, 1e8, 1e9} {
					for _, mark := range []float64{1e-5, 1e-3, 1e-2} {
						usual := collected{live, rate, mark}
						was := usual
						if was.mark *= slower; mode == profile.Closed {
							was.rate /= slower
						}
						for name, measured := range was.figures() {
							truth := usual.figures()[name]
							by, ok := e.bySpeed(name, 0, 0, slower)
							if low, high := measured*min(by, 1/by), measured*max(by, 1/by); !ok || truth < low*(1-1e-9) || truth > high*(1+1e-9) {
								t.Errorf("%s, %s of %+v, %.1f times slower: from %.4g to %.4g, bounded %v; it is %.4g", mode, name, usual, slower, low, high, ok, truth)
							}
						}
					}
				}
			}
		}
	}
}

// Nothing is known of what tells no allocations, as only Go does, nor of CPUs that are full.
func TestCollectionsWithoutABound(t *testing.T) {
	known := map[string][]knowable{"allocs": {{3, 3}}}
	for name, b := range map[string]cellBuilder{
		"another runtime": {mode: profile.Closed, places: []int{0}},
		"a full CPU":      {mode: profile.Open, places: []int{0}, known: known, disturbed: map[int]*disturbed{0: {looked: time.Second, busy: time.Second}}},
		"an old archive":  {mode: profile.Open, places: []int{0}, known: known},
	} {
		e := &evidence{blocks: []int{0}, builders: []*cellBuilder{&b}}
		if by, ok := e.bySpeed("gc.cycles", 0, 0, 1.4); ok {
			t.Errorf("%s: %v", name, by)
		}
	}
}
