package loadtext

import (
	"bytes"
	"io"
	"os"
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
	"dyno.example/dyno/objective"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// everyKind is a result of which the text has something of every kind to say.
func everyKind() (*load.Result, []load.StageResult) {
	total := measure.Window{Index: 0, Length: 10 * time.Second, Completed: 95000, Sent: 96000, Offered: 97000, BytesIn: 3 << 20, SentLate: 700, Unfinished: 3, Shed: 20, Stall: 1200 * time.Microsecond}
	total.Errors.Timeout, total.Errors.Connect = 5, 2
	total.Statuses = map[int]uint64{200: 94990, 503: 10}
	for clock := range measure.NumClocks {
		total.Hist[clock] = measure.NewHistogram()
		total.Hist[clock].RecordValues(int64(3*time.Millisecond), 95)
	}
	spoilt := measure.Window{Index: 1, Length: time.Second, Findings: []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}}}
	all := total
	all.Length, all.Completed, all.Errors.Connect, all.Statuses = 11*time.Second, 96000, 3, map[int]uint64{200: 95990, 503: 10}
	r := &load.Result{
		Total: total, All: all, Windows: []measure.Window{{Length: time.Second}, spoilt}, Engine: "epoll", Drain: 2 * time.Second, Validity: finding.Suspect,
		FirstErrors: map[string]i18n.Message{"timeout": i18n.Join(i18n.New("engine.response-incomplete-in-time", "no complete response within %s", "10s"), i18n.New("engine.body-bytes-received", ": %d bytes of its body had come by then", 3)), "connect": i18n.Join(i18n.New("engine.server-closed-connection", "the server closed the connection"), i18n.New("engine.before-response-complete", " before the response was complete"))},
		Findings:    []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Suspect, Detail: i18n.New("load.limit", "%s (limit %v)", i18n.New("load.loop-away", "a load loop was away for %s", "412ms"), "100ms")}},
		Failures:    []measure.Failure{{Kind: "timeout", Sent: "GET / HTTP/1.1\r\n\r\n", Received: "HTTP/1.1 200 OK"}},
		Requests:    []measure.RequestResult{{Name: "read", Total: total, All: all}, {Name: "write"}},
	}
	return r, []load.StageResult{{Stage: profile.Stage{Name: "hold 100/s", Phase: 0}, Windows: 5, Total: total}, {Stage: profile.Stage{Name: "to 200/s", Phase: 1}}}
}

func english(t *testing.T, w io.Writer) *Text { return speaking(t, w, "en") }

func speaking(t *testing.T, w io.Writer, lang string) *Text {
	t.Helper()
	text, err := New(w, lang)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The English text is read by scripts: it stays as it is, to the byte.
func TestEnglishLoadText(t *testing.T) {
	r, stages := everyKind()
	var out bytes.Buffer
	w := english(t, &out)
	w.Result(r)
	w.stages(stages)
	want, err := os.ReadFile("testdata/load.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("differs from testdata/load.txt:\n%s", out.String())
	}
}

// On a busy machine there is no figure to trust. How much was sent and what came back is
// said all the same, the figures are marked, and what has them count is named.
func TestNothingCounts(t *testing.T) {
	r, _ := everyKind()
	r.Total, r.Windows, r.Validity = measure.Window{}, r.Windows[1:], finding.Invalid
	for i := range r.Requests {
		r.Requests[i].Total = measure.Window{}
	}
	var out bytes.Buffer
	english(t, &out).Result(r)
	rest := out.String()
	for _, part := range []string{"96008 requests in 11s, 8 failed", "status       200: 95,990   503: 10", "Not to be trusted, as none of 1 windows is valid (steal):", "throughput   8,727 requests/s", "response  ", "read                       96,000    8,727/s", "left out     1 of 1 windows are invalid (steal); --accept steal has them count", "INVALID"} {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("lacks %q, or not in this place:\n%s", part, out.String())
			continue
		}
		rest = after
	}
}

// What is valid only because somebody accepted a finding isn't called VALID.
func TestAcceptedIsNotValid(t *testing.T) {
	r, _ := everyKind()
	r.Validity, r.Findings[0].Accepted = finding.Valid, true
	var out bytes.Buffer
	english(t, &out).Result(r)
	if !strings.Contains(out.String(), "ACCEPTED") || strings.Contains(out.String(), "VALID") {
		t.Error(out.String())
	}
}

// The Chinese text has no English but names, units and what was on the wire.
func TestChineseLoadText(t *testing.T) {
	r, stages := everyKind()
	var out bytes.Buffer
	w := speaking(t, &out, "zh")
	w.Result(r)
	w.stages(stages)
	english := regexp.MustCompile(`[A-Za-z_.]{2,}`)
	for line := range strings.Lines(out.String()) {
		for _, word := range english.FindAllString(line, -1) {
			if !slices.Contains([]string{"ms", "MiB", "CPU", "HTTP", "GET", "OK", "hold", "to", "epoll", "steal", "generator", "stalled", "read", "write"}, word) && strings.Trim(word, ".") != "" {
				t.Errorf("%q in %q", word, line)
			}
		}
	}
}

// So have thresholds, whatever kept them from being decided.
func TestChineseThresholds(t *testing.T) {
	timed := measure.Window{Length: time.Second, Completed: 50, Unfinished: 5}
	timed.Hist[measure.Response] = measure.NewHistogram()
	timed.Hist[measure.Response].RecordValues(int64(3*time.Millisecond), 50)
	const all = "p99.99 < 1s, mean < 1s, errors < 1%, throughput > 1/s, cpu < 1ms"
	var judged []export.Threshold
	for _, r := range []load.Result{
		{}, {Total: timed, Windows: []measure.Window{timed}}, {Total: measure.Window{Unfinished: 7}}, {Interrupted: true},
		{Validity: finding.Invalid, Findings: []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}}},
	} {
		for _, text := range []string{all, "every window: " + all} {
			o, err := objective.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			outcome := o.JudgeResult(&r)
			judged = append(judged, export.Threshold{Expression: "e", Decision: outcome.Decision().String(), Measured: outcome.Text})
		}
	}
	var out bytes.Buffer
	speaking(t, &out, "zh").Thresholds(judged)
	english := regexp.MustCompile(`[A-Za-z_]{2,}`)
	for line := range strings.Lines(out.String()) {
		for _, word := range english.FindAllString(line, -1) {
			if !slices.Contains([]string{"mean", "errors", "throughput", "cpu", "ms", "ns", "steal"}, word) {
				t.Errorf("%q in %q", word, line)
			}
		}
	}
}

// Heads and figures end in the same column of the terminal.
func TestChineseLoadTextAligns(t *testing.T) {
	r, _ := everyKind()
	var out bytes.Buffer
	speaking(t, &out, "zh").clocks(&r.Total)
	columns := 0
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "按最慢计") {
			continue // a remark
		}
		n := 0
		for _, letter := range strings.TrimSuffix(line, "\n") {
			n++
			if letter >= 0x3000 {
				n++
			}
		}
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("a line of %d columns, the first of %d:\n%s", n, columns, out.String())
		}
	}
}

// Figures that requests without a time could change are lower bounds, and shown
// as such: a request that timed out has no response and no service time, but
// was sent, so its lag is known.
func TestLowerBoundsAreMarked(t *testing.T) {
	w := measure.Window{Completed: 95}
	w.Errors.Timeout = 5
	for _, clock := range []measure.Clock{measure.Response, measure.Service, measure.Lag} {
		w.Hist[clock] = measure.NewHistogram()
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

// Tables fit a terminal of 80 columns, whatever figures and names are in them; the
// remarks below are sentences.
func TestTablesFitATerminal(t *testing.T) {
	r, stages := everyKind()
	r.Requests[0].Name = strings.Repeat("a long name of a request ", 4)
	r.Requests[0].Total.Completed = 123_456_789
	stages[0].Name, stages[1].Name = strings.Repeat("ramp 0..1000 ", 9), strings.Repeat("ramp 0..1000 ", 9)
	for clock := range measure.NumClocks {
		r.Total.Hist[clock].RecordValues(int64(1234*time.Millisecond), 9000)
	}
	for _, lang := range report.Languages() {
		var out bytes.Buffer
		w := speaking(t, &out, lang)
		w.clocks(&r.Total)
		w.requests(r.Requests)
		w.stages(stages)
		for line := range strings.Lines(out.String()) {
			if n := present.Width(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s: %d columns: %s", lang, n, line)
			}
		}
	}
}
