package keeping

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/probe/sampled"
)

// A trial whose load didn't begin says that this is why.
func TestNothingBegan(t *testing.T) {
	var trial archive.Trial
	k := &Keeping{fetcher: newFetcher("http://localhost", nil, nil), unable: errors.New("no rights")}
	k.End(t.Context(), &trial)
	if got := fmt.Sprint(trial.Kept); len(trial.Kept) != 4 || !strings.Contains(got, "no rights") || !strings.Contains(got, "didn't begin") {
		t.Error(got)
	}
}

func TestStretchesHold(t *testing.T) {
	list := []*evidence.Record{
		{Intended: 1000, Intervals: []evidence.Interval{
			{Stage: evidence.OnCPU, From: 100, To: 200, Thread: 7}, {Stage: evidence.Lock, From: 200, To: 300, Thread: 7}, {Stage: evidence.OnCPU, From: 300, To: 310, Thread: 8},
		}},
		{Intended: 500, Intervals: []evidence.Interval{{Stage: evidence.OnCPU, From: 0, To: 1000, Thread: 7}, {Stage: evidence.Disk, From: 750, To: 760, Thread: 7}}},
	}
	r := stretchesOf(list, runs)
	for _, c := range []struct {
		at     int64
		thread int32
		want   bool
	}{
		{1100, 7, true}, {1199, 7, true}, {1250, 7, true}, {1500, 7, false}, {499, 7, false}, {500, 7, true}, {1300, 8, true}, {1310, 8, false}, {1105, 8, false}, {1100, 9, false},
	} {
		if got := r.holds(sampled.Moment{At: c.at, Thread: c.thread}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Waits of a thread that overlap count for each request that they belonged to, and no others'.
func TestStretchesWithin(t *testing.T) {
	list := []*evidence.Record{
		{Intended: 1000, Intervals: []evidence.Interval{{Stage: evidence.Disk, From: 0, To: 1000, Thread: 7}, {Stage: evidence.OnCPU, From: 1000, To: 2000, Thread: 7}}},
		{Intended: 1500, Intervals: []evidence.Interval{{Stage: evidence.Disk, From: 0, To: 500, Thread: 7, Behind: true}, {Stage: evidence.Network, From: 500, To: 600}}},
	}
	for n := range int64(100) { // short ones that begin later and hide none that is longer
		list = append(list, &evidence.Record{Intended: 1001 + n, Intervals: []evidence.Interval{{Stage: evidence.Lock, From: 0, To: 1, Thread: 7}}})
	}
	w := stretchesOf(list, waits)
	for _, c := range []struct {
		thread         int32
		from, to, want int64
	}{
		{7, 1200, 1300, 100}, {7, 1400, 1600, 300}, {7, 1900, 9000, 200}, {7, 0, 1000, 0}, {7, 2000, 2500, 0}, {8, 1200, 1300, 0}, {0, 1000, 3000, 0}, {7, 1000, 1101, 201},
	} {
		if got := w.within(c.thread, c.from, c.to); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestFlightsAreBounded: traces are taken of ever slower requests, so many and so far apart
// at most, and what has none says why.
func TestFlightsAreBounded(t *testing.T) {
	l, err := probe.ListenForFlight(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := newFlights(l)
	slow := func(ms int64) *evidence.Record { return &evidence.Record{Class: evidence.Tail, Done: ms * 1e6} }
	f.slow(slow(10))
	f.slow(slow(99)) // too soon
	if f.begun != 1 {
		t.Errorf("%d begun", f.begun)
	}
	for _, ms := range []int64{5, 20, 15, 30, 40, 50} {
		f.next = time.Time{}
		f.slow(slow(ms))
	}
	var trial archive.Trial
	f.end(&trial, nil)
	if f.begun != mostFlights || f.slowest != 30e6 || len(trial.Kept) != 1 || !strings.Contains(trial.Kept[0].Missing, "dynoprobe/flight") {
		t.Errorf("%d begun, slowest %d: %+v", f.begun, f.slowest, trial.Kept)
	}
	var quiet archive.Trial
	newFlights(l).end(&quiet, nil)
	if len(quiet.Kept) != 1 || quiet.Kept[0].Missing != errNoneSlow.Error() {
		t.Errorf("%+v", quiet.Kept)
	}
}
