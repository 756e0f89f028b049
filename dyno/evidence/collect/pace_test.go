package collect

import (
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/nano/wire/clock"
)

// TestPace has a collector whose records take long: it takes its share of the time only, and gives
// up samples that nothing may be known of any more.
func TestPace(t *testing.T) {
	now := clock.Now()
	collector := func() *Collector {
		k := &Collector{sampler: evidence.NewSampler(), numbers: make(map[number]uint32)}
		k.header.Started = now - int64(time.Minute)
		return k
	}
	sample := func(ago time.Duration) *evidence.Sample {
		done := now - int64(ago)
		return &evidence.Sample{Class: evidence.Body, Weight: 1, Connection: 1, Intended: done - 1e6, Sent: done - 1e6, Done: done}
	}
	k := collector()
	if !k.take(sample(0)) || len(k.records) != 1 {
		t.Fatalf("%d records of the first", len(k.records))
	}
	if rest := k.rests - clock.Now(); k.rests <= now || rest > int64(time.Minute) {
		t.Errorf("it rests until %d, at %d", k.rests, now)
	}
	k.rests = now + int64(time.Hour)
	if k.take(sample(0)) || len(k.records) != 1 || k.header.Counts.Dropped != 0 {
		t.Errorf("%d records while it rests, %d given up", len(k.records), k.header.Counts.Dropped)
	}
	k.rests = 0
	if !k.take(sample(10*time.Second)) || len(k.records) != 1 || k.header.Counts.Dropped != 1 {
		t.Errorf("%d records of what is long over, %d given up", len(k.records), k.header.Counts.Dropped)
	}
	k = collector()
	k.duty.share = 0.05
	if !k.take(sample(10*time.Second)) || len(k.records) != 1 {
		t.Errorf("%d records of what was 10 s ago, with the probes on for a twentieth of the time", len(k.records))
	}
	if k.rests = 0; !k.take(sample(30*time.Second)) || len(k.records) != 1 || k.header.Counts.Dropped != 1 {
		t.Errorf("%d records, %d given up: 30 s are too long then too", len(k.records), k.header.Counts.Dropped)
	}
	k = collector()
	k.header.Started = now + 1
	if !k.take(sample(10*time.Second)) || k.header.Counts.Dropped != 0 {
		t.Errorf("%d of the warm-up given up", k.header.Counts.Dropped)
	}
}
