package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/internal/i18n"
)

func TestTargetHoldsNoSecret(t *testing.T) {
	if got := Target(fixture().Spec); got != "http://127.0.0.1:8080/a%20b/json" {
		t.Error(got)
	}
}

func TestCSV(t *testing.T) {
	var out bytes.Buffer
	if err := CSV(&out, fixture()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows, want names and four windows", len(rows))
	}
	text := func(row int, name string) string {
		i := slices.Index(rows[0], name)
		if i < 0 {
			t.Fatalf("no column %q in %q", name, rows[0])
		}
		return rows[row][i]
	}
	for _, want := range []struct {
		row        int
		name, text string
	}{
		{1, "window", "-1"}, {2, "window", "0"}, {2, "start_unix_s", "1795262400.000000"}, {2, "length_s", "1"},
		{2, "validity", "valid"}, {3, "findings", "steal;shed"}, {4, "validity", "invalid"},
		{2, "throughput_per_s", "90"}, {2, "completed", "90"}, {3, "errors_timeout", "10"}, {2, "status_2xx", "90"}, {2, "status_4xx", "0"}, {2, "bytes_in", "900"},
		{2, "in_flight", "1.5"}, {2, "generator_cpu_s", "0.002"}, {2, "lag_p99_us", ""}, {2, "connect_max_us", ""},
	} {
		if got := text(want.row, want.name); got != want.text {
			t.Errorf("row %d: %s is %q, want %q", want.row, want.name, got, want.text)
		}
	}
	// Of 100, the 90th is p90: 90 ms; what is beyond timed out.
	for name, bound := range map[string]bool{"p50": false, "p90": false, "p99": true, "p99.99": true, "mean": true, "max": true} {
		if got := text(3, "response_"+name+"_us"); strings.HasPrefix(got, ">=") != bound {
			t.Errorf("%s with time-outs is %q", name, got)
		}
		if got := text(2, "response_"+name+"_us"); strings.HasPrefix(got, ">=") {
			t.Errorf("%s without is %q", name, got)
		}
	}
	// Of 100, none lies beyond p99.9.
	if p99, none := text(2, "response_p99_us"), text(2, "response_p99.9_us"); p99 == "" || none != "" {
		t.Errorf("p99 of 100 is %q, p99.9 %q", p99, none)
	}
	if us, err := strconv.ParseFloat(text(3, "response_p90_us"), 64); err != nil || math.Abs(us-90_000) > 90 {
		t.Errorf("p90 of the third row: %v, %v", us, err)
	}
}

// Column names say their unit, and are names in any tool.
func TestCSVColumns(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range csvColumns() {
		if seen[c.name] || !regexp.MustCompile(`^[a-z][a-z0-9_.]*$`).MatchString(c.name) {
			t.Errorf("column %q", c.name)
		}
		seen[c.name] = true
	}
}

func TestHistogramLog(t *testing.T) {
	var out bytes.Buffer
	if err := HistogramLog(&out, fixture()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, part := range []string{"#[Histogram log format version 1.3]", "#[StartTime: 1795262400.000 ", "#[GivenUp: response 10: percentiles above 95 are lower bounds]"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
	// The reader of the library, not ours.
	reader := hdrhistogram.NewHistogramLogReader(&out)
	total, lines := hdrhistogram.New(1, int64(time.Hour), 3), 0
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		if h.Tag() != "response" || h.StartTimeMs()%1000 != 0 {
			t.Errorf("tag %q from %d ms", h.Tag(), h.StartTimeMs())
		}
		total.Merge(h)
		lines++
	}
	if lines != 2 || total.TotalCount() != 190 || math.Abs(float64(total.Max())-90e6) > 90e3 {
		t.Errorf("%d lines with %d times up to %d", lines, total.TotalCount(), total.Max())
	}
}

// A line of results, as https://go.dev/design/14313-benchmark-format has it: a
// name, a count, and pairs of a value and a unit.
var benchmark = regexp.MustCompile(`^Benchmark[A-Z]\S* [1-9]\d*( [-+.\deE]+ \S+)+$`)

func TestBenchstat(t *testing.T) {
	var out bytes.Buffer
	if err := Benchstat(&out, fixture(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "s3cr3t") {
		t.Error("a secret is in it")
	}
	var samples []map[string]float64
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "#"), line == "pkg: dyno/load":
		case fields[0] == "Unit":
			if len(fields) != 3 {
				t.Errorf("line %q", line)
			}
		case benchmark.MatchString(line):
			if fields[0] != "BenchmarkLoad/GET=%2Fa%2520b%2Fjson/open/c=4/rate=100.5" {
				t.Errorf("name %q", fields[0])
			}
			sample := make(map[string]float64)
			for i := 2; i < len(fields); i += 2 {
				if _, err := fmt.Sscan(fields[i], new(float64)); err != nil {
					t.Errorf("line %q: %v", line, err)
				}
				sample[fields[i+1]], _ = strconv.ParseFloat(fields[i], 64)
			}
			samples = append(samples, sample)
		default:
			t.Errorf("line %q is none of the format's", line)
		}
	}
	if len(samples) != 2 {
		t.Fatalf("%d samples, want one for each window that counts", len(samples))
	}
	if s := samples[0]; math.Abs(s["ns/op"]-49.95e6) > 45e3 || s["req/s"] != 90 || s["err-%"] != 0 || math.Abs(s["p99-ns"]-90e6) > 90e3 {
		t.Errorf("first sample %v", s)
	}
	for _, unit := range []string{"p99-ns", "ns/op", "max-ns"} {
		if _, ok := samples[1][unit]; ok {
			t.Errorf("%s of a window with time-outs is given as if it were known", unit)
		}
	}
	if _, ok := samples[0]["p99.9-ns"]; ok {
		t.Error("p99.9 of 100 requests is given")
	}
	if samples[1]["err-%"] != 10 || !strings.Contains(out.String(), "# window 1: p99-ns >= 9") {
		t.Errorf("second sample %v\n%s", samples[1], out.String())
	}
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	err := JUnit(&out, &Suite{
		Tool: "dyno load", Name: "GET <x>", Started: started, Took: 1500 * time.Millisecond, Properties: [][2]string{{"seed", "7"}, {"odd", "a\x00\x1bb\xff"}},
		Checks: []Check{
			{"a < 1", Passed, i18n.Verbatim("a = 0"), ""}, {"b < 1", Failed, i18n.Verbatim("b = 2 & \"more\""), ""}, {"c < 1", Unknown, i18n.Verbatim("c >= 0"), ""}, {"d < 1", Broken, i18n.Verbatim("refused"), ""}, {"e < 1", Skipped, i18n.Verbatim("interrupted"), ""},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if got.Tests != 5 || got.Failures != 2 || got.Errors != 1 || got.Skipped != 1 || got.Time != "1.500" || len(got.Suites) != 1 {
		t.Fatalf("got %+v", got)
	}
	s := got.Suites[0]
	if s.Name != "GET <x>" || s.Timestamp != "2026-11-21T12:00:00" || s.Failures != 2 || s.Properties[0] != (junitProperty{"seed", "7"}) || s.Properties[1].Value != "ab\uFFFD" {
		t.Errorf("suite %+v", s)
	}
	c := s.Cases
	if c[0].Failure != nil || c[0].Error != nil || c[0].Skipped != nil || !strings.Contains(c[0].Out, "a = 0") {
		t.Errorf("what passed: %+v", c[0])
	}
	if c[1].Failure == nil || c[1].Failure.Message != `b = 2 & "more"` || c[2].Failure.Type != "unknown" || c[3].Error == nil || c[4].Skipped == nil {
		t.Errorf("what did not: %+v", c[1:])
	}
	if c[1].Name != "b < 1" || c[1].Class != "dyno.load" {
		t.Errorf("case %+v", c[1])
	}
}

// slowWriter writes when it is let.
type slowWriter struct {
	gate chan struct{}
	out  bytes.Buffer
}

func (w *slowWriter) Write(p []byte) (int, error) {
	<-w.gate
	return w.out.Write(p)
}

func TestEventsAreLinesInOrder(t *testing.T) {
	w := &slowWriter{gate: make(chan struct{})}
	e := NewEvents(w)
	for i := range 100 { // none of which waits for the writer
		e.Add(map[string]int{"n": i})
	}
	close(w.gate)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(w.out.String()) {
		var event struct{ N int }
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.N != n || !strings.HasSuffix(line, "\n") {
			t.Fatalf("line %d is %q: %v", n, line, err)
		}
		n++
	}
	if n != 100 {
		t.Errorf("%d lines", n)
	}
}

func TestEventsThatFindNoReaderAreCounted(t *testing.T) {
	w := &slowWriter{gate: make(chan struct{})}
	e := NewEvents(w)
	for range eventQueue + 11 { // one of which the writer holds, perhaps
		e.Add(1)
	}
	close(w.gate)
	if err := e.Close(); err == nil || !regexp.MustCompile(`^1[01] events were dropped`).MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestEventsTellTheFirstError(t *testing.T) {
	e := NewEvents(fullWriter{})
	e.Add(1)
	e.Add(2)
	if err := e.Close(); err == nil || err.Error() != "no space left on device" {
		t.Errorf("got %v", err)
	}
	e = NewEvents(new(bytes.Buffer))
	e.Add(math.NaN())
	if err := e.Close(); err == nil {
		t.Error("what is no JSON was written")
	}
}

// CI systems tell cases apart by their names: none is there twice.
func TestJUnitNamesAreUnique(t *testing.T) {
	var out bytes.Buffer
	check := Check{Name: "p99 < 1s", Result: Passed}
	if err := JUnit(&out, &Suite{Tool: "dyno load", Checks: []Check{check, check, check, {Name: "login", Of: "request", Result: Passed}}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`name="p99 &lt; 1s" class`, `name="p99 &lt; 1s (2)"`, `name="p99 &lt; 1s (3)"`, `name="login" classname="dyno.load.request"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in:\n%s", want, out.String())
		}
	}
}
