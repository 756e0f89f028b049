package analysis

import (
	"math"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
)

func TestCoarse(t *testing.T) {
	for ns := int64(0); ns < 1<<40; ns += ns/7 + 1 {
		if got := coarse(ns); math.Abs(1e3*got-float64(ns)) > 0.5+float64(ns)/512 {
			t.Fatalf("%d ns is taken for %v µs", ns, got)
		}
	}
}

func TestResponseCounts(t *testing.T) {
	w := window(0, 1000, time.Millisecond)
	if err := w.Client.Hist[measure.Response].RecordValues(int64(9*time.Millisecond), 10); err != nil {
		t.Fatal(err)
	}
	w.Client.Shed, w.Client.Unfinished, w.Client.Errors.Timeout = 3, 2, 1
	got := responseCounts(&w)
	if len(got) != 3 || got[0].Count != 1000 || got[1].Count != 10 || got[2] != (stats.Bucket{Value: math.Inf(1), Count: 6}) {
		t.Fatalf("got %v", got)
	}
	if math.Abs(got[0].Value-1000) > 4 || math.Abs(got[1].Value-9000) > 36 {
		t.Errorf("got %v", got)
	}
	if got := responseCounts(&archive.Window{}); got != nil {
		t.Errorf("without a histogram: %v", got)
	}
}

// Of a long trial, neighbouring windows are put together; none is lost.
func TestResponseWindows(t *testing.T) {
	for _, c := range []struct{ windows, kept, each int }{{1, 1, 1}, {600, 600, 1}, {601, 301, 2}, {1200, 600, 2}, {1201, 301, 4}, {5000, 313, 16}} {
		r := responseWindows{each: 1}
		for w := range c.windows {
			r.add(stats.Counts{{Value: float64(w), Count: 2}})
		}
		if len(r.counts) != c.kept || r.each != c.each {
			t.Errorf("%d windows: %d of %d each, want %d of %d", c.windows, len(r.counts), r.each, c.kept, c.each)
		}
		next := 0.0
		for _, counts := range r.counts {
			for _, b := range counts {
				if b.Value != next || b.Count != 2 {
					t.Fatalf("%d windows: %v comes after %v others", c.windows, b, next)
				}
				next++
			}
		}
		if int(next) != c.windows || len(r.counts[0]) != min(c.each, c.windows) {
			t.Errorf("%d windows: %v are kept, %d in the first", c.windows, next, len(r.counts[0]))
		}
	}
}

// sheetOf takes in one trial for each list of windows.
func builderOf(t *testing.T, trials ...[]archive.Window) *cellBuilder {
	t.Helper()
	s := newCellBuilder(&study.Cell{Profile: profile.Profile{Mode: profile.Closed}})
	run := &archive.Run{}
	for i, windows := range trials {
		trial := archive.Trial{Status: archive.Complete, Windows: windows}
		trial.Index, trial.Block = i, i
		run.Trials = append(run.Trials, trial)
	}
	for i := range run.Trials {
		if _, err := s.take(run, i, figures()); err != nil {
			t.Fatal(err)
		}
	}
	s.estimate(&confidence{strict: level})
	return s
}

func TestMergedQuantiles(t *testing.T) {
	var trials [][]archive.Window
	for i := range 8 {
		warm := window(-1, 5000, time.Second)
		slow := window(1, 5000, time.Duration(100+i)*100*time.Microsecond) // 10 to 10.7 ms
		invalid := window(2, 5000, time.Second)
		invalid.Level = finding.Invalid
		trials = append(trials, []archive.Window{warm, window(0, 5000, time.Millisecond), slow, invalid})
	}
	s := builderOf(t, trials...)
	p99 := s.Merged["response.p99"]
	if !near(p99.Estimate, 10_700) || p99.Low < 10_000 || p99.Low >= p99.High || p99.High > 11_100 || p99.N != 8 || p99.Level != 0.95 {
		t.Errorf("p99 is %+v", p99)
	}
	if p90 := s.Merged["response.p90"]; p90.Estimate >= p99.Estimate || p90.Low > p90.Estimate || p90.High < p90.Estimate {
		t.Errorf("p90 is %+v", p90)
	}
	if _, ok := s.Merged["response.p99.99"]; ok {
		t.Error("p99.99 has an interval")
	}
}

// A ratio of the blocks in which something is above zero would be a choice among
// them: here there was no response in one block of three.
func TestNoRatioOfZero(t *testing.T) {
	trials := func(completed ...uint64) *cellBuilder {
		var list [][]archive.Window
		for _, n := range completed {
			w := window(0, int(max(n, 1)), time.Millisecond)
			w.Client.Completed = n
			list = append(list, []archive.Window{w})
		}
		return builderOf(t, list...)
	}
	reference := trials(1000, 1000, 1000)
	for name, c := range map[string]struct {
		of     *cellBuilder
		ratios bool
	}{"above zero": {trials(2000, 2000, 2000), true}, "zero once": {trials(2000, 0, 2000), false}} {
		c.of.compare(reference, &confidence{strict: level})
		if _, there := c.of.Ratios["throughput"]; there != c.ratios {
			t.Errorf("%s: throughput %v, ratios %v", name, c.of.Values["throughput"], c.of.Ratios)
		}
	}
	none := trials(0, 1000, 1000)
	reference.compare(none, &confidence{strict: level})
	if r, there := reference.Ratios["throughput"]; there {
		t.Errorf("a ratio to zero: %+v", r)
	}
}

func TestMergedQuantilesThatCannotBeTold(t *testing.T) {
	s := builderOf(t, []archive.Window{window(0, 500, time.Millisecond)}, []archive.Window{window(0, 500, time.Millisecond)})
	if got := s.Merged["response.p90"]; got.Level != 0.5 || !strings.Contains(got.Note.String(), "need ≥ 6 restarts") {
		t.Errorf("two trials: %+v", got)
	}
	if got, ok := s.Merged["response.p99.9"]; ok {
		t.Errorf("p99.9 of 1,000 requests is %+v", got)
	}
	if got := builderOf(t).Merged; len(got) != 0 {
		t.Errorf("no trials: %+v", got)
	}
}
