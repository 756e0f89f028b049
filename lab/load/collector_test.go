package load

import (
	"math/rand/v2"
	"testing"
	"time"
)

// filledSlot holds n answers of about 100 µs with a tail.
func filledSlot(n int) *slot {
	s := newSlot()
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		d := int64(50_000 + rng.ExpFloat64()*50_000)
		r := recorder{slot: s}
		r.answered(0, d/10, d, d)
	}
	return s
}

// BenchmarkCollect is what one window costs beside the loop.
func BenchmarkCollect(b *testing.B) {
	s := filledSlot(4000)
	c := newCollector(&Spec{Profile: Profile{Mode: Open, Connections: 1, Rate: 4000}}, 1, &Result{})
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
		s.tallies[Response].record(1)
		s.clear(0, 0, 0)
	}
}
