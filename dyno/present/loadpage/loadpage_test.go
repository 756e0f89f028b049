package loadpage

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/export"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// everyKind is a load of which a page has something of every kind to say.
func everyKind() *Load {
	window := func(index int) measure.Window {
		w := measure.Window{Index: index, Length: time.Second, Completed: 900, Sent: 1000, Offered: 1000, BytesIn: 1 << 20, Statuses: map[int]uint64{200: 900, 503: 60}}
		w.Errors.Status, w.Errors.Timeout = 60, 3
		for clock := range measure.NumClocks {
			w.Hist[clock] = measure.NewHistogram()
			w.Hist[clock].RecordValues(int64(3*time.Millisecond), 900)
		}
		return w
	}
	total := window(0)
	for i := 1; i < 5; i++ {
		w := window(i)
		total.Add(&w)
	}
	spoilt := window(5)
	spoilt.Findings = []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}}
	all := total
	all.Add(&spoilt)
	r := &load.Result{
		Total: total, All: all, Engine: "epoll", Validity: finding.Suspect, Windows: []measure.Window{window(-1), window(0), window(1), window(2), window(3), window(4), spoilt},
		FirstErrors: map[string]i18n.Message{"status": i18n.Verbatim("status 503 Service Unavailable"), "timeout": i18n.Join(i18n.New("engine.response-incomplete-in-time", "no complete response within %s", "10s"), i18n.New("engine.body-bytes-received", ": %d bytes of its body had come by then", 3))},
		Findings:    []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Suspect, Detail: i18n.New("load.loop-away", "a load loop was away for %s", "412ms")}, {Name: finding.OtherLoad, Validity: finding.Invalid, Accepted: true}},
		Failures:    []measure.Failure{{Kind: "status", Request: "write", Why: i18n.Verbatim("status 503 Service Unavailable"), Sent: "GET /<b> HTTP/1.1\r\n\r\n", Received: "HTTP/1.1 503 Service Unavailable"}},
		Requests:    []measure.RequestResult{{Name: "read", Total: total, All: all}, {Name: "wr|te", Total: window(0), All: window(0)}},
	}
	spec := &load.Spec{
		Target: "http://127.0.0.1:8080", Duration: 6 * time.Second, Seed: 7, Profile: profile.Profile{Mode: profile.Open, Rate: 1000, Arrivals: profile.Poisson, Connections: 50},
		Requests: []request.Request{{Name: "read", Method: "GET", Path: "/a"}, {Name: "wr|te", Method: "POST", Path: "/b?token=s3cr3t"}},
	}
	return &Load{
		Load:    &export.Load{Spec: spec, Result: r, Started: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)},
		Checks:  []export.Check{{Name: "errors <= 1 % (--max-errors)", Result: export.Failed, Message: i18n.New("loadcmd.failed", "%s of %s failed", "315", "4815")}, {Name: "p99 < 20ms", Result: export.Passed, Message: i18n.Verbatim("p99 = 3ms")}, {Name: "p50 < 1ms", Result: export.Unknown}, {Name: "sent > 1", Result: export.Skipped}},
		Command: []string{"dyno", "load", "http://127.0.0.1:8080"}, Machine: machine.Fingerprint{CPUModel: "AMD EPYC", CPUs: 2}, Version: "v1",
	}
}

func written(t *testing.T, l *Load, lang string) (page, markdown string) {
	t.Helper()
	texts, err := report.TextsIn(lang)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := HTML(&a, l, texts); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&b, l, texts); err != nil {
		t.Fatal(err)
	}
	return a.String(), b.String()
}

// inOrder fails unless the text has the parts, one after the other.
func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("%q is not where it should be in:\n%s", part, text)
		}
		rest = after
	}
}

// Whoever gets the report sees first what a load is judged by: thresholds, statuses,
// errors and requests, then times, then seconds.
func TestWhatIsAskedFirstIsSaidFirst(t *testing.T) {
	page, markdown := written(t, everyKind(), "en")
	inOrder(t, page, "<!doctype html>", "Load of http://127.0.0.1:8080", "2 kinds of requests to", "5778 requests in 6s: 5,400 as expected, 378 failed",
		"1 of 4 thresholds hold", "SUSPECT", "errors &lt;= 1 % (--max-errors)", "FAIL", "p99 &lt; 20ms", "pass", "can’t be decided", "not evaluated",
		"Responses by status", "200 OK", "5,400", "93.75 %", "503 Service Unavailable", "Failed requests by kind", "Timed out", "Request by request", `<th scope="row">read</th>`,
		"response", "3ms", "Second by second", "<svg", "Response time", "<svg", "Can these numbers be trusted?", "412ms", "ACCEPTED",
		"Failed requests", "GET /&lt;b&gt; HTTP/1.1", "Due by the schedule", "dyno load http://127.0.0.1:8080", "AMD EPYC")
	inOrder(t, markdown, "# Load of http://127.0.0.1:8080", "1 of 4 thresholds hold", "| p99 &lt; 20ms | pass | p99 = 3ms |", "| 503 Service Unavailable | 360 | 6.25 % |",
		"| Timed out | 18 |", `| wr\|te | 900 |`, "| response | >=3ms | 3ms |", "| 0 | 900/s | 63 |", "## Can these numbers be trusted?", "- Command: dyno load")
	for name, text := range map[string]string{"page": page, "markdown": markdown} {
		for _, word := range []string{"s3cr3t", "rank", "Rank", "Block", "trial", "<script", "src=", "href=", "loadpage."} {
			if strings.Contains(text, word) {
				t.Errorf("%q in the %s", word, name)
			}
		}
	}
	if strings.Contains(page, ">5</th>") { // the spoilt second
		t.Error("an invalid second is in the table")
	}
}

// A load of which no second counts has a report that says so, and how much was sent and
// what came back, which is known all the same.
func TestNothingCounts(t *testing.T) {
	l := everyKind()
	l.Result.Total, l.Result.Windows, l.Result.Validity = measure.Window{}, l.Result.Windows[6:], finding.Invalid
	for i := range l.Result.Requests {
		l.Result.Requests[i].Total = measure.Window{}
	}
	page, markdown := written(t, l, "en")
	for _, text := range []string{page, markdown} {
		inOrder(t, text, "5,400 as expected, 378 failed", "INVALID", "503 Service Unavailable", "360", "Not to be trusted: none of 1 windows is valid (steal)", "--accept steal", "900", "No conclusion can be drawn")
	}
	l.Result.All, l.Result.Requests, l.Result.Windows = measure.Window{}, nil, nil
	page, _ = written(t, l, "en")
	inOrder(t, page, "No results", "INVALID", "errors &lt;= 1 %")
}

// What is valid only because somebody accepted a finding isn't called VALID.
func TestAcceptedIsNotValid(t *testing.T) {
	l := everyKind()
	l.Result.Validity, l.Result.Findings = finding.Valid, l.Result.Findings[1:]
	page, markdown := written(t, l, "en")
	for _, text := range []string{page, markdown} {
		inOrder(t, text, "ACCEPTED")
		if strings.Contains(text, "VALID") {
			t.Error("VALID in", text)
		}
	}
}

// A load of hours has a report of bounded size, which keeps its worst seconds.
func TestLongLoadsStayReadable(t *testing.T) {
	l := everyKind()
	w := l.Result.Windows[1]
	l.Result.Windows = nil
	for i := range 2_000 {
		w.Index, w.Completed = i, 900
		if i == 777 {
			w.Completed = 1
		}
		l.Result.Windows = append(l.Result.Windows, w)
	}
	s := newPage(l, report.English()).seconds(l)
	if points := s.Charts[0].Series[0].Points; len(points) > mostPoints || !slices.ContainsFunc(points, func(p [2]float64) bool { return p[1] == 1 }) {
		t.Errorf("%d points, or without the worst", len(points))
	}
	if len(s.Rows) > mostRows || !strings.Contains(s.Note, "2000") {
		t.Errorf("%d rows, %q", len(s.Rows), s.Note)
	}
}

// The Chinese report has no English but names, units and what was on the wire.
func TestChineseReport(t *testing.T) {
	_, markdown := written(t, everyKind(), "zh")
	known := strings.Fields("poisson status http errors max dyno ms read wr te OK Service Unavailable CPU AMD EPYC epoll MiB lt load sent generator stalled other seed HTTP csv FILE data")
	for _, word := range regexp.MustCompile(`[A-Za-z]{2,}`).FindAllString(html.UnescapeString(markdown), -1) {
		if !slices.Contains(known, word) {
			t.Errorf("%q in:\n%s", word, markdown)
		}
	}
}
