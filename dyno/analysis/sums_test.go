package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
)

// window has n requests of the given time, in a second.
func window(index, n int, each time.Duration) archive.Window {
	w := archive.Window{Level: finding.Valid}
	w.Client = measure.Window{
		Index: index, Length: time.Second, Offered: uint64(n), Sent: uint64(n), Completed: uint64(n), BytesIn: 152 * uint64(n),
		CPUUser: 3 * time.Millisecond, CPUSys: 3 * time.Millisecond, Spun: 2 * time.Millisecond,
	}
	for clock := range w.Client.Hist {
		w.Client.Hist[clock] = measure.NewHistogram()
		w.Client.Hist[clock].RecordValues(int64(each), int64(n))
	}
	w.Server.Length = time.Second
	w.Server.Process = &probe.Process{
		CPU: 20 * time.Millisecond, CPUUser: 5 * time.Millisecond, CPUSys: 15 * time.Millisecond, RSS: uint64(n) << 10,
		SwitchesVol: 1000, SwitchesInvol: 500, RunQueue: 6 * time.Millisecond,
	}
	return w
}

// sumsOf adds windows as those of a trial.
func sumsOf(mode profile.Mode, windows ...archive.Window) *sums {
	s := newSums(mode, measure.Response, measure.Service, measure.FirstByte, measure.Lag)
	for i := range windows {
		s.add(&windows[i])
	}
	return s
}

// value computes the metric named.
func value(t *testing.T, s *sums, metric string) (float64, string) {
	t.Helper()
	for _, f := range figures() {
		if f.Name == metric {
			value, missing := f.of(s)
			return value, missing.String()
		}
	}
	t.Fatalf("no metric %q", metric)
	return 0, ""
}

// What a window can't tell is no zero.
func TestFiguresThatAreMissing(t *testing.T) {
	const unseen, whole = "the subject's process could not be seen", "user and system time could not be told apart"
	const unswitched, unqueued = "the subject's context switches could not be seen", "how long the subject's threads waited for a CPU could not be seen"
	lacking := func(missing ...string) archive.Window {
		w := window(1, 1_000, time.Millisecond)
		w.Server.Missing = missing
		return w
	}
	all := window(0, 1_000, time.Millisecond)
	tests := []struct {
		name    string
		windows []archive.Window
		want    map[string]any // figure, or why there is none
	}{
		{"nothing", []archive.Window{all}, map[string]any{"cpu": 20., "cpu.user": 5., "rss": 1024e3}},
		{"the split", []archive.Window{all, lacking("cpu_split: no")}, map[string]any{"cpu": 20., "cpu.user": whole, "cpu.sys": whole}},
		{"CPU of one window", []archive.Window{all, lacking("cpu: no")}, map[string]any{"cpu": 20., "cpu.sys": 15.}},
		{"CPU", []archive.Window{lacking("cpu: no")}, map[string]any{"cpu": unseen, "cpu.user": unseen, "rss": 1024e3}},
		{"memory", []archive.Window{lacking("rss: no")}, map[string]any{"cpu": 20., "rss": unseen}},
		{"switches", []archive.Window{all, lacking("switches: no")}, map[string]any{"switches": unswitched, "preemptions": unswitched, "run_queue": 6.}},
		{"the run queue", []archive.Window{all, lacking("run_queue: no")}, map[string]any{"switches": 1.5, "preemptions": 0.5, "run_queue": unqueued}},
		{"a process of the tree", []archive.Window{lacking("process: no")}, map[string]any{"cpu": unseen, "rss": unseen}},
	}
	for _, c := range tests {
		s := sumsOf(profile.Closed, c.windows...)
		for metric, want := range c.want {
			got, missing := value(t, s, metric)
			figure, isFigure := want.(float64)
			if isFigure && (missing != "" || !near(got, figure)) || !isFigure && missing != want {
				t.Errorf("%s is missing: %s is %v %q, want %v", c.name, metric, got, missing, want)
			}
		}
	}
}

func TestSecondLeavesOutWhatIsMissing(t *testing.T) {
	w := window(0, 1, time.Millisecond)
	w.Server.Runtime = &probe.Runtime{GCCycles: 2}
	w.Server.Missing = []string{"run_queue: no", "switches: no", "sched: no"}
	s := newSecond(&archive.Trial{}, &w)
	if s.RunQueue != nil || s.Switches != nil || s.SchedP99 != nil {
		t.Errorf("second = %+v, want neither run queue nor switches nor scheduling", s)
	}
	if s.CPU == nil || *s.CPU != 0.02 || s.GCCycles == nil || *s.GCCycles != 2 || s.GCPause == nil {
		t.Errorf("second = %+v, want CPU time and collections", s)
	}
}

// What a load waits for at its end has come to its clients too, and so have wrong responses.
func TestReceivedOfAllResponses(t *testing.T) {
	w := window(0, 1_000, time.Millisecond)
	w.Client.Drained, w.Client.Errors = 250, measure.Errors{Status: 20, Expect: 30, Timeout: 40}
	w.Client.BytesIn = 1_300 * 80
	if got, missing := value(t, sumsOf(profile.Closed, w), "received"); got != 80 || missing != "" {
		t.Errorf("%v %s, want 80", got, missing)
	}
	if _, missing := value(t, newSums(profile.Open), "received"); missing == "" {
		t.Error("there is a figure of no response")
	}
}

func TestFiguresOfATrial(t *testing.T) {
	invalid := window(2, 9_000, time.Second)
	invalid.Level = finding.Invalid
	s := sumsOf(profile.Closed,
		window(-1, 5_000, time.Second), window(0, 3_000, time.Millisecond), window(1, 1_000, 9*time.Millisecond), invalid)
	for metric, want := range map[string]float64{
		"throughput":    2_000,
		"cpu":           10,
		"cpu.user":      2.5,
		"cpu.sys":       7.5,
		"switches":      0.75,
		"preemptions":   0.25,
		"run_queue":     3,
		"received":      152,
		"rss":           3_000 << 10,
		"errors":        0,
		"generator.cpu": 2,
		// Of 3,000 requests of 1 ms and 1,000 of 9 ms. The mean of the windows'
		// medians would be 5 ms.
		"response.p50":   1_000,
		"response.p90":   9_000,
		"response.mean":  3_000,
		"service.max":    9_000,
		"first_byte.p99": 9_000,
		"lag.p99":        9_000,
	} {
		got, missing := value(t, s, metric)
		if !near(got, want) || missing != "" {
			t.Errorf("%s is %v %q, want %v", metric, got, missing, want)
		}
	}
	if s.windows != 2 || s.invalid != 1 {
		t.Errorf("%d windows used, %d invalid", s.windows, s.invalid)
	}
}

func TestFiguresThatCannotBeTold(t *testing.T) {
	blind := window(0, 1_000, time.Millisecond)
	blind.Server = probe.Window{}
	none := window(0, 0, time.Millisecond)
	for _, c := range []struct {
		name    string
		window  archive.Window
		metrics []string
	}{
		{"no probe", blind, []string{"cpu", "cpu.user", "cpu.sys", "rss"}},
		{"no request", none, []string{"cpu", "rss", "errors", "generator.cpu", "response.mean", "response.p50", "service.max", "lag.p99"}},
		{"few requests", window(0, 999, time.Millisecond), []string{"response.p99", "response.p99.9", "response.p99.99", "lag.p99"}},
	} {
		s := sumsOf(profile.Closed, c.window)
		for _, metric := range c.metrics {
			if got, missing := value(t, s, metric); got != 0 || missing == "" {
				t.Errorf("%s: %s is %v, want none and why", c.name, metric, got)
			}
		}
		if got, missing := value(t, s, "throughput"); got != float64(c.window.Client.Completed) || missing != "" {
			t.Errorf("%s: throughput %v %q", c.name, got, missing)
		}
	}
}

func TestAProbeThatMissesAWindowIsNotZero(t *testing.T) {
	blind := window(1, 1_000, time.Millisecond)
	blind.Server = probe.Window{}
	if got, _ := value(t, sumsOf(profile.Closed, window(0, 1_000, time.Millisecond), blind), "cpu"); got != 20 {
		t.Errorf("cpu is %v, want 20 from the window that was seen", got)
	}
}

func TestErrorShare(t *testing.T) {
	w := window(0, 960, time.Millisecond)
	w.Client.Drained = 20
	w.Client.Errors = measure.Errors{Timeout: 5, Status: 15}
	if got, _ := value(t, sumsOf(profile.Open, w), "errors"); got != 2 {
		t.Errorf("errors %v %%, want 2", got)
	}
}

func TestWhatIsCensored(t *testing.T) {
	w := window(0, 1_000, time.Millisecond)
	w.Client.Shed, w.Client.Unfinished, w.Client.Errors.Timeout, w.Client.Unconnected = 100, 10, 1, 1000
	for _, c := range []struct {
		mode  profile.Mode
		clock measure.Clock
		want  int64
	}{
		{profile.Open, measure.Response, 1111}, {profile.Open, measure.Service, 11}, {profile.Open, measure.FirstByte, 11}, {profile.Open, measure.Lag, 1110},
		{profile.Closed, measure.Response, 1111}, {profile.Closed, measure.Service, 11},
	} {
		if got := sumsOf(c.mode, w).distribution(c.clock).censored; got != c.want {
			t.Errorf("%s loop, %s: %d censored, want %d", c.mode, c.clock, got, c.want)
		}
	}
}

// TestArrivalsCountByWhenTheyWereDue: what was due in a window that counts is in the figures
// also if it ended in one that is left out, and what was due in such a one in none but the
// throughput.
func TestArrivalsCountByWhenTheyWereDue(t *testing.T) {
	first, second, out := window(0, 100, time.Millisecond), window(1, 100, time.Millisecond), window(2, 50, time.Second)
	carried := window(-1, 10, time.Millisecond).Client
	second.Client.Parts = []measure.Window{carried}
	due := window(1, 30, time.Second).Client
	due.Unfinished = 60
	out.Level, out.Client.Unfinished, out.Client.Parts = finding.Invalid, 200, []measure.Window{due}
	s := sumsOf(profile.Open, first, second, out)
	if got, _ := s.throughput(); got != 100 {
		t.Errorf("%v requests/s", got)
	}
	if s.right != 220 || s.unfinished != 60 || s.hist[measure.Response].TotalCount() != 220 {
		t.Errorf("%d right, %d unfinished, %d timed", s.right, s.unfinished, s.hist[measure.Response].TotalCount())
	}
	if _, missing := s.distribution(measure.Response).quantile(0.9); missing.IsZero() {
		t.Error("p90 is known, and a fifth had no response")
	}
}
