package analysis

import (
	"math"
	"strings"
	"testing"
	"time"

	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/stats"
	"dyno/lab/study"
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
	if err := w.Client.Hist[load.Response].RecordValues(int64(9*time.Millisecond), 10); err != nil {
		t.Fatal(err)
	}
	w.Client.Shed, w.Client.Unfinished, w.Client.Errors.Timeout = 3, 2, 1
	for mode, lost := range map[load.Mode]uint64{load.Open: 6, load.Closed: 4} {
		got := responseCounts(&w, mode)
		if len(got) != 3 || got[0].Count != 1000 || got[1].Count != 10 || got[2] != (stats.Bucket{Value: math.Inf(1), Count: lost}) {
			t.Fatalf("%s loop: got %v", mode, got)
		}
		if math.Abs(got[0].Value-1000) > 4 || math.Abs(got[1].Value-9000) > 36 {
			t.Errorf("%s loop: got %v", mode, got)
		}
	}
	if got := responseCounts(&archive.Window{}, load.Open); got != nil {
		t.Errorf("without a histogram: %v", got)
	}
}

// sheetOf takes in one trial for each list of windows.
func sheetOf(t *testing.T, trials ...[]archive.Window) *sheet {
	t.Helper()
	s := newSheet(&study.Cell{Profile: load.Profile{Mode: load.Closed}})
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
		invalid.Level = load.Invalid
		trials = append(trials, []archive.Window{warm, window(0, 5000, time.Millisecond), slow, invalid})
	}
	s := sheetOf(t, trials...)
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

func TestMergedQuantilesThatCannotBeTold(t *testing.T) {
	s := sheetOf(t, []archive.Window{window(0, 500, time.Millisecond)}, []archive.Window{window(0, 500, time.Millisecond)})
	if got := s.Merged["response.p90"]; got.Level != 0.5 || !strings.Contains(got.Note, "need ≥ 6 restarts") {
		t.Errorf("two trials: %+v", got)
	}
	if got, ok := s.Merged["response.p99.9"]; ok {
		t.Errorf("p99.9 of 1,000 requests is %+v", got)
	}
	if got := sheetOf(t).Merged; len(got) != 0 {
		t.Errorf("no trials: %+v", got)
	}
}
