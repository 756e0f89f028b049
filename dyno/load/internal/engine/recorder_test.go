package engine

import (
	"testing"
	"time"
)

// TestInFlightIsExact: however seldom the ledger is taken on, what is in flight
// over time is the sum of the requests' times, which Little's law is judged by.
func TestInFlightIsExact(t *testing.T) {
	noUsage := func() (time.Duration, time.Duration) { return 0, 0 }
	r := NewRecorder(0, 0, make(chan *Slot, SlotsPerLoop), NewSlots(0, 0), noUsage)
	sum := 0.0
	for i := range int64(1000) {
		intended := i * 100_000
		if i%3 == 0 {
			r.Advance(intended-40_000, int64(time.Second))
		}
		r.arrived(intended, intended+7_000)
		if i%2 == 0 {
			r.Advance(intended+20_000, int64(time.Second))
		}
		done := intended + 60_000
		r.left(intended, done)
		sum += float64(done - intended)
	}
	r.Advance(200_000_000, int64(time.Second))
	if r.Pending != sum || r.inFlight != 0 {
		t.Errorf("%.0f ns in flight, want %.0f; %d left", r.Pending, sum, r.inFlight)
	}
}
