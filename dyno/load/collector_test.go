package load

import (
	"math/rand/v2"
	"testing"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// filledSlot holds n responses of about 100 µs with a tail.
func filledSlot(n int) *engine.Slot {
	s := engine.NewSlot(0)
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		d := int64(50_000 + rng.ExpFloat64()*50_000)
		r := engine.Recorder{Slot: s}
		r.Responded(engine.Times{Sent: d / 10, First: d, Done: d})
	}
	return s
}

// BenchmarkCollect is what one window costs apart from the loop.
func BenchmarkCollect(b *testing.B) {
	s := filledSlot(4000)
	c := newCollector(&Spec{Profile: profile.Profile{Mode: profile.Open, Connections: 1, Rate: 4000}}, 1, &Result{})
	c.begin(0)
	defer c.health.close()
	b.ReportAllocs()
	for b.Loop() {
		s.Index, s.Length = 0, time.Second
		c.merge(s)
		c.deliver(0)
		c.result.Windows = c.result.Windows[:0]
	}
}

func BenchmarkClearSlot(b *testing.B) {
	s := filledSlot(4000)
	for b.Loop() {
		s.Durations.Timed[measure.Response].Record(1)
		s.Clear(0, 0, 0)
	}
}

// TestALoopThatEndsEarlyHoldsNothingUp: loops that end by their requests don't do
// so at the same time.
func TestALoopThatEndsEarlyHoldsNothingUp(t *testing.T) {
	var delivered []int
	s := Spec{Profile: profile.Profile{Mode: profile.Closed, Connections: 2}, Threads: 2, OnWindow: func(w measure.Window) { delivered = append(delivered, w.Index) }}
	c := newCollector(&s, 2, &Result{})
	c.begin(0)
	defer c.health.close()
	give := func(loop, index int, last bool) {
		s := engine.NewSlot(0)
		s.Loop, s.Index, s.Length, s.Last = loop, index, time.Second, last
		c.take(s)
	}
	for _, step := range []struct {
		loop, index int
		last        bool
		want        int // windows delivered so far
	}{
		{0, 0, false, 0}, {1, 0, false, 1}, {1, 1, false, 1}, {1, 2, false, 1}, {0, 1, true, 3}, {1, 3, false, 4}, {1, 4, true, 5},
	} {
		if give(step.loop, step.index, step.last); len(delivered) != step.want {
			t.Fatalf("after window %d of loop %d: %v were delivered, want %d", step.index, step.loop, delivered, step.want)
		}
	}
}
