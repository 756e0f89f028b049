package load

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestTallyIsAnHDRHistogram records the same durations in both.
func TestTallyIsAnHDRHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sum, part, want := newBuckets(), newBuckets(), NewHistogram()
	for i := range 200_000 {
		v := int64(1) << rng.IntN(40)
		v = min(v+rng.Int64N(v), longest)
		if i < 3 {
			v = [...]int64{0, longest, 63}[i]
		}
		part.record(v)
		want.RecordValue(v)
		if i%1000 == 999 {
			sum.add(part)
			part.reset()
		}
	}
	got := sum.histogram()
	if got.TotalCount() != want.TotalCount() {
		t.Fatalf("%d recorded, want %d", got.TotalCount(), want.TotalCount())
	}
	for p := 0.0; p <= 100; p += 0.01 {
		if g, w := got.ValueAtPercentile(p), want.ValueAtPercentile(p); g != w {
			t.Fatalf("p%.2f is %d, want %d", p, g, w)
		}
	}
}

func TestTallyOutOfRange(t *testing.T) {
	a := newBuckets()
	a.record(-5)
	a.record(int64(time.Hour))
	if h := a.histogram(); h.TotalCount() != 2 || h.ValueAtPercentile(1) > histogramUnit || h.Max() < longest {
		t.Errorf("%d recorded, from %d to %d", h.TotalCount(), h.Min(), h.Max())
	}
	a.reset()
	if a.histogram() != nil {
		t.Error("something is left after a reset")
	}
}

func BenchmarkRecord(b *testing.B) {
	a := newBuckets()
	for i := range b.N {
		a.record(50_000 + int64(i&0xffff))
	}
}
