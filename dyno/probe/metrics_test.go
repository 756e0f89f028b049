package probe

import (
	"slices"
	"testing"
	"time"
)

func TestMetricsOfAnotherProcess(t *testing.T) {
	at := func(start, cpu float64) MetricsTotals {
		return MetricsTotals{map[string]float64{seriesStart: start, seriesCPU: cpu}}
	}
	tests := []struct {
		name          string
		before, after MetricsTotals
		want          bool
	}{
		{"the same", at(1000, 1), at(1000, 1), false},
		{"the machine's clock was set", at(1000, 1), at(1000.5, 2), false},
		{"a later start", at(1000, 1), at(1010, 2), true},
		{"a counter went back", at(1000, 2), at(1000, 1), true},
		{"no start is told", MetricsTotals{}, MetricsTotals{map[string]float64{seriesCPU: 1}}, false},
	}
	for _, c := range tests {
		if got := c.after.restarted(c.before); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func TestMetricsOfOtherLanguages(t *testing.T) {
	span := metricsSpan{
		before: MetricsTotals{map[string]float64{seriesCPU: 1, seriesOpenFiles: 4}},
		after:  MetricsTotals{map[string]float64{seriesCPU: 1.25, seriesOpenFiles: 5, seriesThreads: 6}},
	}
	p := span.process()
	if p == nil || p.CPU != 250*time.Millisecond || p.OpenFiles != 5 || p.Threads != 6 || !p.Reported {
		t.Errorf("process = %+v", p)
	}
	if r := span.runtime(); r != nil {
		t.Errorf("runtime = %+v, want none", r)
	}
	want := []string{
		"cpu_split: metrics don't tell", "faults: metrics don't tell", "processes: metrics don't tell",
		"rss: metrics have no process_resident_memory_bytes", "run_queue: metrics don't tell",
		"switches: metrics don't tell", "throttled: metrics don't tell",
	}
	if got := span.missing.list(); !slices.Equal(got, want) {
		t.Errorf("missing = %q\nwant %q", got, want)
	}
}

func TestWindowLacks(t *testing.T) {
	w := Window{Missing: []string{"run_queue: no", "process: 7: gone"}}
	for figure, want := range map[string]bool{"run_queue": true, "process": true, "run": false, "cpu": false, "run_queue: no": false} {
		if got := w.Lacks("rss", figure); got != want {
			t.Errorf("lacks %s: got %v", figure, got)
		}
	}
	if w.Lacks() {
		t.Error("lacks nothing: got true")
	}
}
