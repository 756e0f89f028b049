package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/export"
	"dyno.example/internal/freeport"
)

// undisturbed runs a load; again, if the machine was so busy with other things that dyno
// rightly calls the measurement invalid, or some of its seconds.
func undisturbed(t *testing.T, home string, args ...string) outcome {
	t.Helper()
	for range 20 {
		o := dyno(t, home, args...)
		if !strings.Contains(o.stdout, "the measurement is invalid") && !strings.Contains(o.stdout, "left out  ") {
			return o
		}
	}
	t.Skip("this machine is too busy for any valid measurement")
	return outcome{}
}

func TestLoadThresholds(t *testing.T) {
	t.Parallel()
	server := serve(t, "good")
	home := t.TempDir()
	o := undisturbed(t, home, "load", "-c", "2", "-n", "200", server, "--fail", "p99 < 60s, errors < 1%", "--fail", "every window: service.p50<60s")
	o.want(t, 0, o.stdout, "thresholds", "pass p99 < 60s, errors < 1%: p99 = ", "pass every window: service.p50 < 60s: holds in ")
	o = undisturbed(t, home, "load", "-c", "2", "-n", "200", "--json", server, "--fail", "p99<1ns", "--fail", "p99 > 1ns", "--fail", "connect.p99 < 1s, completed > 1M")
	o.want(t, 1, o.stderr, "--fail: 2 of 3 thresholds not met: p99 < 1ns (p99 = ")
	var got struct{ Thresholds []export.Threshold }
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatal(err)
	}
	decisions := ""
	for _, j := range got.Thresholds {
		decisions += j.Decision + " "
	}
	if decisions != "fails holds fails " {
		t.Errorf("decisions %s: %+v", decisions, got.Thresholds)
	}
}

// What time-outs leave open does not pass, and what they don't does not fail.
func TestLoadThresholdsOnWhatIsCensored(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if n.Add(1)%20 == 0 {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	o := until(func() outcome {
		return undisturbed(t, home, "load", "-c", "2", "-n", "100", "-T", "300ms", "--max-errors", "50%", server.URL, "-o", "w.csv", "-o", "o.json",
			"--fail", "p99 < 60s", "--fail", "p50 < 60s", "--fail", "p99 < 1ns")
	}, func(outcome) bool { // no others are late
		return loadJSONOf(t, outcome{stdout: read(t, filepath.Join(home, "o.json"))}).Errors["timeout"] == 5
	})
	o.want(t, 1, o.stdout, "FAIL p99 < 60s: can't be decided: p99 >= ", "pass p50 < 60s: p50 = ", "FAIL p99 < 1ns: p99 >= ", " >=")
	contains(t, o.stderr, "1 of 3 thresholds not met: p99 < 1ns (p99 >= ", "1 of 3 thresholds undecided: p99 < 60s (p99 >= ")
	if rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(home, "w.csv")))).ReadAll(); err != nil || !strings.Contains(strings.Join(rows[1], ","), ",>=") {
		t.Errorf("no lower bound in %v, %v", rows, err)
	}
	var object struct {
		AtLeast map[string][]string `json:"latency_at_least"`
		Windows []struct {
			AtLeast []string `json:"response_at_least"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(home, "o.json"))), &object); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(object.AtLeast["response"], " "); got != "mean p99 p99.9 p99.99 max" || object.AtLeast["lag"] != nil || len(object.Windows[0].AtLeast) == 0 {
		t.Errorf("lower bounds are %q", object.AtLeast)
	}
}

// Percentiles that none of so few requests lies beyond don't exist: no threshold
// holds by them, and no output has them.
func TestLoadFiguresThatTakeMoreRequests(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := until(func() outcome {
		return undisturbed(t, home, "load", "-c", "2", "-n", "50", serve(t, "good"), "--fail", "p99.99<60s", "--fail", "p90 < 60s", "-o", "o.json", "-o", "w.csv", "-o", "b.bench", "--junit", "j.xml", "-o", "e.jsonl")
	}, func(outcome) bool { // all are in the first second
		return len(loadJSONOf(t, outcome{stdout: read(t, filepath.Join(home, "o.json"))}).Windows) == 1
	})
	o.want(t, 1, o.stdout, "FAIL p99.99 < 60s: can't be decided: p99.99 >= ", "of only 50 requests, and it takes 10000", "pass p90 < 60s")
	contains(t, o.stderr, "--fail: 1 of 2 thresholds")
	if suite := suiteOf(t, read(t, filepath.Join(home, "j.xml"))); suite.Failures != 1 || !strings.Contains(suite.Suite.Cases[1].Failure.Message, "it takes 10000") {
		t.Errorf("suite %+v", suite)
	}
	var object struct {
		Latency map[string]map[string]*float64 `json:"latency_us"`
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(home, "o.json"))), &object); err != nil {
		t.Fatal(err)
	}
	for name, exists := range map[string]bool{"mean": true, "p50": true, "p90": true, "p99": false, "p99.9": false, "p99.99": false, "max": true} {
		if got, told := object.Latency["response"][name]; !told || (got != nil) != exists {
			t.Errorf("%s of 50 requests is told as %v", name, got)
		}
	}
	if got := object.Latency["tls_full"]["p50"]; got != nil {
		t.Errorf("the handshakes that there were not took %v", *got)
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(home, "w.csv")))).ReadAll()
	if err != nil || rows[1][slices.Index(rows[0], "response_p50_us")] == "" || rows[1][slices.Index(rows[0], "response_p99_us")] != "" {
		t.Errorf("rows %v, %v", rows, err)
	}
	if bench := read(t, filepath.Join(home, "b.bench")); strings.Contains(bench, "p99") {
		t.Errorf("p99 is in %s", bench)
	}
	for _, e := range eventsOf(t, read(t, filepath.Join(home, "e.jsonl"))) {
		if response, ok := e["response_us"].(map[string]any); ok && (response["p50"] == nil || response["p99"] != nil) {
			t.Errorf("event %v", e)
		}
	}
}

// Of a target that is not there, no numbers are shown that were not
// measured.
func TestLoadOfNothingHasNoFigures(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "load", "-d", "1s", "-n", "100", freeport.Address(t), "--json", "--fail", "p99 < 1s", "--junit", "j.xml", "-o", "w.csv")
	o.want(t, 1, o.stderr, "connection refused")
	var object map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &object); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"throughput", "censored", "generator_cpu_us_per_request"} {
		if got, told := object[name]; !told || got != nil {
			t.Errorf("%s is %v, want null", name, got)
		}
	}
	for clock, figures := range object["latency_us"].(map[string]any) {
		for name, got := range figures.(map[string]any) {
			if got != nil {
				t.Errorf("%s %s is %v, want null", clock, name, got)
			}
		}
	}
	contains(t, o.stdout, `"verdict": "unknown"`)
	if suite := suiteOf(t, read(t, filepath.Join(home, "j.xml"))); suite.Errors != 2 {
		t.Errorf("suite %+v", suite)
	}
	if _, err := os.Stat(filepath.Join(home, "w.csv")); !os.IsNotExist(err) {
		t.Errorf("there are windows of it: %v", err)
	}
}

func TestLoadThresholdsOfAnInvalidResult(t *testing.T) {
	t.Parallel()
	// More than a tenth of errors is not the service's work that was measured.
	half := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(half.Close)
	o := dyno(t, t.TempDir(), "load", "-c", "2", "-n", "100", "--max-errors", "100%", half.URL, "--fail", "throughput > 0")
	o.want(t, 1, o.stdout, "FAIL throughput > 0: can't be decided: the measurement is invalid (", "errors")
}

func TestLoadInterruptedEvaluatesNoThreshold(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	t.Cleanup(server.Close)
	home := t.TempDir()
	s := start(t, home, "load", "-c", "2", "-d", "1h", "-R", "100", server.URL, "--fail", "p99 < 1ns", "--junit", "j.xml", "-o", "events.jsonl", "-o", "w.csv")
	eventually(t, "requests", func() bool { return served.Load() > 20 })
	s.signal(t, os.Interrupt)
	o := s.wait(t)
	o.want(t, 130, o.stdout, "validity", "p99 < 1ns: not evaluated, as the load was interrupted")
	if strings.Contains(o.stderr, "thresholds") {
		t.Errorf("it is an error of thresholds: %s", o.stderr)
	}
	suite := suiteOf(t, read(t, filepath.Join(home, "j.xml")))
	if suite.Skipped != 2 || suite.Failures+suite.Errors != 0 {
		t.Errorf("suite %+v", suite)
	}
	events := eventsOf(t, read(t, filepath.Join(home, "events.jsonl")))
	if last := events[len(events)-1]; last["event"] != "finished" || last["interrupted"] != true {
		t.Errorf("the last event is %v", last)
	}
	contains(t, read(t, filepath.Join(home, "w.csv")), "response_p99_us")
}

// junitFile is what the tests read of a JUnit file.
type junitFile struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suite    struct {
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Cases []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func suiteOf(t *testing.T, text string) (f junitFile) {
	t.Helper()
	if err := xml.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

func eventsOf(t *testing.T, text string) (events []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		event := make(map[string]any)
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if event["event"] == nil || event["time"] == nil {
			t.Errorf("no event or no time: %s", line)
		}
		events = append(events, event)
	}
	if len(events) == 0 {
		t.Fatal("no event")
	}
	return events
}

func TestLoadOutputs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "real.csv"), []byte("of yesterday"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.csv", filepath.Join(home, "link.csv")); err != nil {
		t.Fatal(err)
	}
	o := undisturbed(t, home, "load", "-c", "2", "-d", "2s", "-w", "1s", "-R", "200", "--seed", "7", serve(t, "good"),
		"-o", "hlog=h.log", "-o", "w.CSV", "-o", "o.json", "-o", "events.jsonl", "-o", "b.bench", "-o", "r.md", "-o", "r.html", "-o", "csv=link.csv",
		"--junit", "j.xml", "--fail", "p50 < 60s", "--fail", "sent > 1M")
	o.want(t, 1, o.stdout, "throughput")

	rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(home, "w.CSV")))).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][0] != "-1" || rows[3][0] != "1" {
		t.Errorf("%v, %v", rows, err)
	}
	if read(t, filepath.Join(home, "real.csv")) != read(t, filepath.Join(home, "w.CSV")) {
		t.Error("what a link points to is not written")
	}
	contains(t, read(t, filepath.Join(home, "r.html")), "<!doctype html>")
	contains(t, read(t, filepath.Join(home, "r.md")), "## Can these numbers be trusted?")
	contains(t, read(t, filepath.Join(home, "b.bench")), "\nBenchmarkLoad/GET=%2F/open/c=2/rate=200 ", " ns/op ", " p99-ns ")
	suite := suiteOf(t, read(t, filepath.Join(home, "j.xml")))
	if suite.Tests != 3 || suite.Failures != 1 || suite.Suite.Cases[2].Name != "sent > 1M" || suite.Suite.Cases[2].Failure == nil {
		t.Errorf("suite %+v", suite)
	}
	properties := make(map[string]string)
	for _, p := range suite.Suite.Properties {
		properties[p.Name] = p.Value
	}
	if properties["seed"] != "7" || properties["rate"] != "200/s" || properties["connections"] != "2" || !strings.HasPrefix(properties["target"], "http://127.0.0.1:") {
		t.Errorf("properties %v", properties)
	}
	checkEvents(t, eventsOf(t, read(t, filepath.Join(home, "events.jsonl"))))
	checkLog(t, read(t, filepath.Join(home, "h.log")), loadJSONOf(t, outcome{stdout: read(t, filepath.Join(home, "o.json"))}))
	left, err := filepath.Glob(filepath.Join(home, ".dyno-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func checkEvents(t *testing.T, events []map[string]any) {
	t.Helper()
	var order []string
	for _, e := range events {
		if name := e["event"].(string); name != "finding" {
			order = append(order, name)
		}
	}
	if got := strings.Join(order, " "); got != "started window window window finished" {
		t.Errorf("events are %s", got)
	}
	first, last := events[0], events[len(events)-1]
	if first["seed"] != 7.0 || first["rate"] != 200.0 || last["windows"] != nil || last["validity"] == nil || last["thresholds"] == nil {
		t.Errorf("first %v, last %v", first, last)
	}
}

// checkLog compares a log of histograms, as their library reads it, with the
// object of the same load.
func checkLog(t *testing.T, log string, r loadResult) {
	t.Helper()
	reader := hdrhistogram.NewHistogramLogReader(strings.NewReader(log))
	total := hdrhistogram.New(1, 1e12, 3)
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		if h.Tag() == "response" {
			total.Merge(h)
		}
	}
	if got, want := float64(total.ValueAtPercentile(99))/1e3, r.Latency["response"]["p99"]; total.TotalCount() == 0 || got < 0.99*want || got > 1.01*want {
		t.Errorf("p99 of the log is %v µs, of the object %v, of %d", got, want, total.TotalCount())
	}
}

func TestLoadOutputToStandardOutput(t *testing.T) {
	t.Parallel()
	server := serve(t, "good")
	o := dyno(t, t.TempDir(), "load", "-c", "2", "-n", "50", server, "-o", "jsonl=-")
	o.want(t, 0, o.stderr)
	if events := eventsOf(t, o.stdout); events[0]["event"] != "started" {
		t.Errorf("events %v", events)
	}
	o = dyno(t, t.TempDir(), "load", "-c", "2", "-n", "50", server, "-o", "csv=-")
	o.want(t, 0, o.stderr)
	if rows, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll(); err != nil || len(rows) < 2 {
		t.Errorf("rows %v, %v", rows, err)
	}
}

func TestLoadOutputsOfNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "load", "-c", "1", "-n", "5", freeport.Address(t), "--junit", "j.xml", "--fail", "p99 < 1s", "-o", "o.json", "-o", "e.jsonl", "-o", "w.csv")
	o.want(t, 1, o.stderr, "connection refused")
	if suite := suiteOf(t, read(t, filepath.Join(home, "j.xml"))); suite.Errors != 2 || suite.Tests != 2 {
		t.Errorf("suite %+v", suite)
	}
	contains(t, read(t, filepath.Join(home, "o.json")), "unreachable")
	if events := eventsOf(t, read(t, filepath.Join(home, "e.jsonl"))); events[0]["event"] != "failed" {
		t.Errorf("events %v", events)
	}
	if _, err := os.Stat(filepath.Join(home, "w.csv")); err == nil {
		t.Error("there are rows about nothing")
	}
}

// What can't be written is found out before any request is sent.
func TestLoadOutputsThatCantBeWritten(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	t.Cleanup(server.Close)
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{"-o", "no/such/w.csv"}, 1, "no/such/w.csv"},
		{[]string{"-o", "jsonl=no/such/e"}, 1, "no/such/e"},
		{[]string{"-o", "csv=."}, 1, "is a folder"},
		{[]string{"--junit", "no/such/j.xml"}, 1, "--junit: no/such/j.xml"},
		{[]string{"-o", "cvs=w"}, 2, "did you mean csv?"},
		{[]string{"-o", "w.txt"}, 2, "FORMAT=FILE"},
		{[]string{"-o", "csv="}, 2, "the file is missing"},
		{[]string{"-o", "w.csv", "-o", "csv=./w.csv"}, 2, "both write to w.csv"},
		{[]string{"-o", "csv=-", "--json"}, 2, "both write to standard output"},
		{[]string{"--fail", "p99 < 20"}, 2, "column 9"},
		{[]string{"--fail", "p99 < 20ms, trouhput > 5"}, 2, "did you mean throughput?"},
		{[]string{"--remote-write", "ftp://user:s3cr3t@host"}, 2, "must be an http or https URL"},
		{[]string{"--remote-write", "http://user:s3cr3t@[::1"}, 2, "must be an http or https URL"},
		{[]string{"--otlp", "localhost:4318"}, 2, "--otlp: must be"},
		{[]string{"--otlp", "http://h", "--otlp-header", "s3cr3t"}, 2, "'Name: value'"},
		{[]string{"--otlp", "http://h", "--otlp-header", "a b: s3cr3t"}, 2, "'Name: value'"},
		{[]string{"--otlp-header", "A: s3cr3t"}, 2, "of no use without --otlp"},
		{[]string{"--label", "a-b=c"}, 2, "NAME=VALUE"},
		{[]string{"--label", "le=c"}, 2, "dyno's own"},
	} {
		o := dyno(t, home, append([]string{"load", "-n", "5", server.URL}, c.args...)...)
		o.want(t, c.code, o.stderr, c.why)
		if strings.Contains(o.stderr, "s3cr3t") {
			t.Errorf("%q: a secret is told: %s", c.args, o.stderr)
		}
	}
	if served.Load() > 0 {
		t.Errorf("%d requests were sent", served.Load())
	}
}

// Metrics go out while the load runs; what is not delivered is reported, without
// secrets, and is no failure of the load.
func TestLoadPush(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		switch {
		case r.Header.Get("Authorization") != "Bearer s3cr3t":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case r.URL.Path == "/api/v1/write" || r.URL.Path == "/v1/metrics":
			posts.Add(1)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(receiver.Close)
	server, home := serve(t, "good"), t.TempDir()
	o := measured(t, func() outcome {
		posts.Store(0)
		return start(t, home, "load", "-c", "1", "-d", "2s", "-R", "50", server, "-o", "r.html", "--label", "run=nightly",
			"--remote-write", receiver.URL, "--remote-write-header", "Authorization: Bearer s3cr3t", "--otlp", receiver.URL, "--otlp-header", "Authorization: Bearer s3cr3t").wait(t)
	})
	o.want(t, 0, o.stdout, "throughput")
	if posts.Load() != 4 || strings.Contains(o.stderr, "delivered") {
		t.Errorf("%d posts, want 2 for each of 2 windows: %s", posts.Load(), o.stderr)
	}
	if strings.Contains(read(t, filepath.Join(home, "r.html")), "s3cr3t") {
		t.Error("the report holds a secret")
	}
	o = dyno(t, home, "load", "-c", "1", "-n", "5", server, "--otlp", strings.Replace(receiver.URL, "://", "://user:s3cr3t@", 1)+"/v1/metrics")
	o.want(t, 0, o.stderr, "--otlp "+receiver.URL+"/v1/metrics: ", "1 of 1 windows were not delivered: 401 Unauthorized who are you?")
	if strings.Contains(o.stderr, "s3cr3t") {
		t.Errorf("a secret is told: %s", o.stderr)
	}
}

// A soak keeps no histograms of single seconds, unless an output needs them;
// thresholds on windows and events don't.
func TestLoadOutputsOfASoak(t *testing.T) {
	t.Parallel()
	server, home := serve(t, "good"), t.TempDir()
	o := undisturbed(t, home, "load", "-c", "2", "--phase", "soak 100 2s", server, "-o", "e.jsonl", "--fail", "50% of windows: p50 < 60s")
	o.want(t, 0, o.stdout, "pass 50% of windows: p50 < 60s: holds in ")
	for _, event := range eventsOf(t, read(t, filepath.Join(home, "e.jsonl"))) {
		if event["event"] != "window" {
			continue
		}
		if us, ok := event["response_us"].(map[string]any)["p50"].(float64); !ok || us <= 0 || event["phase"] != 1.0 {
			t.Errorf("event %v", event)
		}
	}
	o = undisturbed(t, home, "load", "-c", "2", "--phase", "soak 100 2s", server, "-o", "w.csv", "--fail", "sent > 0")
	o.want(t, 0, o.stdout)
	rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(home, "w.csv")))).ReadAll()
	if err != nil || len(rows) < 2 || rows[1][slices.Index(rows[0], "response_p50_us")] == "" {
		t.Errorf("%v, %v", rows, err)
	}
}
