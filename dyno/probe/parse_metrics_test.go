package probe

import (
	"maps"
	"math"
	"strings"
	"testing"
)

func TestParseMetrics(t *testing.T) {
	tests := []struct {
		name, text string
		want       map[string]float64
	}{
		{"as Go's client writes it", `# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.34
go_gc_duration_seconds{quantile="0"} 1.9e-05
go_gc_duration_seconds_sum 0.0025
go_gc_duration_seconds_count 7
go_memstats_heap_alloc_bytes 2.1e+06
`, map[string]float64{seriesCPU: 12.34, seriesGCPause: 0.0025, seriesGCCycles: 7, seriesHeap: 2.1e6}},
		{"labels", `process_open_fds{app="a } b",path="C:\\",text="say \"}\"\n"} 3` + "\n", map[string]float64{seriesOpenFiles: 3}},
		{"no labels", "process_open_fds{} 3\n", map[string]float64{seriesOpenFiles: 3}},
		{"a time", "process_open_fds 3 1395066363000\n", map[string]float64{seriesOpenFiles: 3}},
		{"spaces", " \tprocess_open_fds \t{a=\"b\"} \t3 \r\n\n", map[string]float64{seriesOpenFiles: 3}},
		{"no end of line", "process_threads 9", map[string]float64{seriesThreads: 9}},
		{"others are not looked into", "x NaN\nprocess_open_fds_x {\n\xff\nprocess_open_fds 3\n", map[string]float64{seriesOpenFiles: 3}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseMetrics([]byte(c.text))
			if err != nil || !maps.Equal(got, c.want) {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestParseMetricsProblems(t *testing.T) {
	const none = "the response has none of the process_… and go_… series of Prometheus' client libraries"
	tests := []struct{ name, text, want string }{
		{"empty", "", none},
		{"a page", "<html>process_open_fds 3</html>\n", none},
		{"a comment", "#process_open_fds 3\n", none},
		{"two processes", "process_open_fds{pid=\"1\"} 3\nprocess_open_fds{pid=\"2\"} 3\n",
			"line 2: process_open_fds is there twice: the endpoint must tell about one process only"},
		{"no value", "\nprocess_open_fds\n", "line 2: process_open_fds: expected a value and perhaps a time, got 0 words"},
		{"words", "process_open_fds 3 4 5\n", "line 1: process_open_fds: expected a value and perhaps a time, got 3 words"},
		{"open labels", "process_open_fds{a=\"} 3\n", "line 1: process_open_fds: the labels have no end"},
		{"no space", "process_open_fds=3\n", `line 1: process_open_fds: expected a space after the name, got "="`},
		{"not a number", "process_open_fds three\n", `line 1: process_open_fds: expected a number of at least 0, got "three"`},
		{"NaN", "process_open_fds NaN\n", `line 1: process_open_fds: expected a number of at least 0, got "NaN"`},
		{"infinite", "process_open_fds +Inf\n", `line 1: process_open_fds: expected a number of at least 0, got "+Inf"`},
		{"too large", "process_open_fds 1e999\n", `line 1: process_open_fds: expected a number of at least 0, got "1e999"`},
		{"negative", "process_open_fds -1\n", `line 1: process_open_fds: expected a number of at least 0, got "-1"`},
		{"long", "process_open_fds " + strings.Repeat("x", 100) + "\n", `line 1: process_open_fds: expected a number of at least 0, got "` + strings.Repeat("x", 40) + `"`},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseMetrics([]byte(c.text))
			if err == nil || err.Error() != c.want || got != nil {
				t.Errorf("got %v, %v; want %s", got, err, c.want)
			}
		})
	}
}

// FuzzMetrics looks for texts that give figures no program has.
func FuzzMetrics(f *testing.F) {
	f.Add([]byte("process_cpu_seconds_total 1\n"), []byte("process_cpu_seconds_total{a=\"}\\\"\"} 2 3\ngo_goroutines 1e300\n"))
	f.Add([]byte("go_gc_duration_seconds_count 0x1p60\n"), []byte("go_gc_duration_seconds_count 1e308\nprocess_open_fds 5\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		before, err := parseMetrics(first)
		if err != nil {
			return
		}
		after, err := parseMetrics(second)
		if err != nil {
			return
		}
		for series, value := range after {
			if !isWanted(series) || !(value >= 0) || math.IsInf(value, 0) {
				t.Errorf("%s is %v", series, value)
			}
		}
		a, b := MetricsTotals{before}, MetricsTotals{after}
		if b.restarted(a) {
			return
		}
		span := metricsSpan{before: a, after: b}
		if p := span.process(); p != nil && (p.CPU < 0 || p.Threads < 0 || p.OpenFiles < 0) {
			t.Errorf("process = %+v", p)
		}
		if r := span.runtime(); r != nil && r.GCPause < 0 {
			t.Errorf("runtime = %+v", r)
		}
	})
}
