package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/lab/load"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0µs", 499: "0µs", 1e3: "1µs", 999_499: "999µs", 999_500: "1ms", 1_234_567: "1.23ms", 99.96e6: "100ms", 999.4e6: "999ms",
		999.6e6: "1s", 1e9: "1s", 12.345e9: "12.3s", 600e9: "600s",
	} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.4: "0", 999: "999", 999.6: "1,000", 12345: "12,345", 1234567.8: "1,234,568", 1e9: "1,000,000,000"} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB", 1 << 40: "1.0 TiB", 1 << 52: "4096.0 TiB",
	} {
		if got := bytesText(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1499 * time.Millisecond: "1s", 90 * time.Second: "1m30s", 12*time.Minute + 31*time.Second: "13m", 90 * time.Minute: "1h30m",
	} {
		if got := roughly(d); got != want {
			t.Errorf("roughly(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestParseCPUs(t *testing.T) {
	for list, want := range map[string][]int{"": nil, "0": {0}, "0,2-4": {0, 2, 3, 4}, "3,1": {3, 1}, "7-7": {7}} {
		if got, err := parseCPUs(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("parseCPUs(%q) = %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{",", "0,", "a", "-1", "3-1", "1-", "0-4096", "0 1", "1-2-3", "99999999999999999999"} {
		if got, err := parseCPUs(list); err == nil {
			t.Errorf("parseCPUs(%q) = %v, want an error", list, got)
		}
	}
}

func TestParseShare(t *testing.T) {
	for s, want := range map[string]float64{"0": 0, "1%": 0.01, "0.01": 0.01, "100 %": 1, "1": 1, "2.5%": 0.025} {
		if got, err := parseShare(s); err != nil || got != want {
			t.Errorf("parseShare(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "%", "101%", "-1%", "2", "NaN", "many"} {
		if got, err := parseShare(s); err == nil {
			t.Errorf("parseShare(%q) = %v, want an error", s, got)
		}
	}
	if got := formatShare(0.025); got != "2.5 %" {
		t.Errorf("formatShare(0.025) = %q", got)
	}
}

// Figures that requests without a time could change are lower bounds, and shown
// as such: a request that timed out has no response and no service time, but
// was sent, so its lag is known.
func TestLowerBoundsAreMarked(t *testing.T) {
	w := load.Window{Completed: 95}
	w.Errors.Timeout = 5
	for _, clock := range []load.Clock{load.Response, load.Service, load.Lag} {
		w.Hist[clock] = load.NewHistogram()
		w.Hist[clock].RecordValues(int64(3*time.Millisecond), 95)
	}
	var out bytes.Buffer
	english(t, &out).clocks(&w)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("want a heading and three clocks:\n%s", out.String())
	}
	for _, line := range lines[1:3] {
		fields := strings.Fields(line)
		if strings.Count(line, ">=") != 5 || strings.HasPrefix(fields[2], ">=") || strings.HasPrefix(fields[3], ">=") {
			t.Errorf("want mean, p99, p99.9, p99.99 and max as lower bounds, p50 and p90 not: %s", line)
		}
	}
	if strings.Contains(lines[3], ">=") {
		t.Errorf("the lag of all is known: %s", lines[3])
	}
}
