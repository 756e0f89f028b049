package collect

import (
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/kernel"
	"dyno.example/dyno/load/measure"
)

// TestAlwaysOn: whoever needs all of the time gets it at a rate at which the probes would be paused.
func TestAlwaysOn(t *testing.T) {
	for _, always := range []bool{false, true} {
		k := &Collector{
			config: Config{Always: always}, probes: &kernel.Probes{}, sampler: evidence.NewSampler(), duty: duty{share: 1},
			times: measure.NewHistogram(),
		}
		w := &measure.Window{Length: time.Second, Completed: 10_000}
		h := measure.NewHistogram()
		if err := h.RecordValues(1e6, 10_000); err != nil {
			t.Fatal(err)
		}
		w.Hist[measure.Response] = h
		k.cost.watch(nil)
		k.Window(w)
		if always != (k.duty.share == 1) {
			t.Errorf("always %t: on for %v of the time", always, k.duty.share)
		}
	}
}
