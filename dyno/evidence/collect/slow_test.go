package collect

import (
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/load/measure"
)

// Where one in 25 requests waits for the same time, to the microsecond, they are the slow ones: the
// 99th percentile is among them, and none is above it.
func TestSlowRequestsThatTakeEquallyLong(t *testing.T) {
	k := &Collector{sampler: evidence.NewSampler(), times: measure.NewHistogram()}
	const limit = 2300 * time.Millisecond
	h := measure.NewHistogram()
	h.RecordValues(int64(time.Millisecond), 960)
	h.RecordValues(int64(limit), 40)
	w := &measure.Window{Length: time.Second, Completed: 1000}
	w.Hist[measure.Response] = h
	k.cost.watch(nil)
	k.Window(w)
	k.sampler.Awake(true)
	loop := k.sampler.Loop(0)
	for took, want := range map[time.Duration]evidence.Class{limit: evidence.Tail, limit + time.Second: evidence.Tail, 990 * limit / 1000: evidence.Body} {
		got := loop.Wants(1, 0, 0, int64(took)).Class
		if (got == evidence.Tail) != (want == evidence.Tail) {
			t.Errorf("a request that took %v is %q, want %q", took, got, want)
		}
	}
}
