package measure

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestBucketsIsAnHDRHistogram records the same durations in both.
func TestBucketsIsAnHDRHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sum, part, want := NewBuckets(), NewBuckets(), NewHistogram()
	for i := range 200_000 {
		v := int64(1) << rng.IntN(40)
		v = min(v+rng.Int64N(v), Longest)
		if i < 3 {
			v = [...]int64{0, Longest, 63}[i]
		}
		part.Record(v)
		want.RecordValue(v)
		if i%1000 == 999 {
			sum.add(part)
			part.reset()
		}
	}
	got := sum.Histogram()
	if got.TotalCount() != want.TotalCount() {
		t.Fatalf("%d recorded, want %d", got.TotalCount(), want.TotalCount())
	}
	for p := 0.0; p <= 100; p += 0.01 {
		if g, w := got.ValueAtPercentile(p), want.ValueAtPercentile(p); g != w {
			t.Fatalf("p%.2f is %d, want %d", p, g, w)
		}
	}
}

func TestBucketsOutOfRange(t *testing.T) {
	a := NewBuckets()
	a.Record(-5)
	a.Record(int64(time.Hour))
	if h := a.Histogram(); h.TotalCount() != 2 || h.ValueAtPercentile(1) > Resolution || h.Max() < Longest {
		t.Errorf("%d recorded, from %d to %d", h.TotalCount(), h.Min(), h.Max())
	}
	a.reset()
	if a.Histogram() != nil {
		t.Error("something is left after a reset")
	}
}

func BenchmarkRecord(b *testing.B) {
	a := NewBuckets()
	for i := range b.N {
		a.Record(50_000 + int64(i&0xffff))
	}
}
