package stats

import (
	"testing"
	"time"

	"dyno.example/nanogate/internal/request"
)

func TestRead(t *testing.T) {
	c := New(2)
	for i, o := range []request.Outcome{
		{Status: 200, Tries: 1, Began: 0, Ended: 1e6}, {Status: 204, Tries: 3, Ended: 2e6}, {Status: 503, Failed: request.NoEndpoint, Ended: 3e6}, {Failed: request.ClientGone},
	} {
		c.Of(i).Count(&o)
	}
	f := c.Read()
	if f.Requests != 4 || f.Status != [6]uint64{0: 1, 2: 2, 5: 1} || f.Failed[request.NoEndpoint] != 1 || f.Failed[request.ClientGone] != 1 || f.Retried != 2 {
		t.Errorf("%+v", f)
	}
	if f.Took.Count() != 4 || f.Took.Sum != 6*time.Millisecond {
		t.Errorf("%d durations, %v", f.Took.Count(), f.Took.Sum)
	}
}

// Each duration lies in its bucket, and buckets lie side by side.
func TestBuckets(t *testing.T) {
	for bucket := range buckets - 1 {
		end := int64(Upper(bucket))
		if got := bucketOf(end - 1); got != bucket {
			t.Errorf("%d ns are in bucket %d, whose end is %v; want bucket %d", end-1, got, Upper(got), bucket)
		}
		if got := bucketOf(end); got != bucket+1 {
			t.Errorf("%d ns are in bucket %d, want %d", end, got, bucket+1)
		}
	}
	if bucketOf(1<<62) != buckets-1 || bucketOf(0) != 0 {
		t.Error("the ends")
	}
}

func TestQuantile(t *testing.T) {
	c := New(1)
	for i := range int64(1000) {
		c.Of(0).Count(&request.Outcome{Status: 200, Ended: (i + 1) * 1e5}) // 0.1 to 100 ms
	}
	h := c.Read().Took
	for _, want := range []struct {
		q    float64
		low  time.Duration
		high time.Duration
	}{{0.5, 50 * time.Millisecond, 63 * time.Millisecond}, {0.99, 99 * time.Millisecond, 124 * time.Millisecond}, {1, 100 * time.Millisecond, 125 * time.Millisecond}} {
		if got := h.Quantile(want.q); got < want.low || got > want.high {
			t.Errorf("%v: %v, want %v to %v", want.q, got, want.low, want.high)
		}
	}
	if (&Histogram{}).Quantile(0.5) != 0 {
		t.Error("of nothing")
	}
}

func TestCountAllocatesNothing(t *testing.T) {
	c := New(1)
	o := request.Outcome{Status: 200, Tries: 1, Ended: 1e6}
	if n := testing.AllocsPerRun(100, func() { c.Of(0).Count(&o) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
