package objective

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// window has the response times 1 ms to 100 ms, a CPU time of 10 µs a request
// and a mean of 5 in flight.
func window() measure.Window {
	w := measure.Window{Length: time.Second, Offered: 100, Sent: 100, Completed: 100, InFlight: 5, CPUUser: 2 * time.Millisecond, Spun: time.Millisecond}
	for _, clock := range []measure.Clock{measure.Response, measure.Service} {
		w.Hist[clock] = measure.NewHistogram()
		for i := 1; i <= 100; i++ {
			w.Hist[clock].RecordValue(int64(i) * int64(time.Millisecond))
		}
	}
	return w
}

func judge(t *testing.T, expression string, w measure.Window) Outcome {
	t.Helper()
	o, err := Parse(expression)
	if err != nil {
		t.Fatal(err)
	}
	return o.Judge(&w)
}

func TestJudge(t *testing.T) {
	nothing := func(w *measure.Window) { *w = measure.Window{} }
	unfinished := func(w *measure.Window) { w.Unfinished = 100 }
	failures := func(w *measure.Window) { w.Errors.Status = 10 }
	timeouts := func(w *measure.Window) { w.Errors.Timeout = 10 }
	for _, tt := range []struct {
		expression string
		change     func(*measure.Window)
		want       Decision
		text       string
	}{
		{"p99 < 120ms", nil, Holds, "p99 = 99"},
		{"p99 < 90ms", nil, Fails, "p99 = 99"},
		{"p50 > 49ms, p50 < 51ms", nil, Holds, "p50 = 50"},
		{"max <= 101ms, min < 1.1ms, min > 0.9ms, mean > 50ms, mean < 51ms, stddev < 30ms, stddev > 28ms", nil, Holds, "stddev = 28."},
		{"errors == 0, throughput == 100/s, sent == 100, completed == 0.1k, shed == 0, in_flight == 5, cpu == 10us", nil, Holds, "cpu = 10us"},
		{"throughput >= 101", nil, Fails, "throughput = 100/s"},
		{"throughput == 101", nil, Fails, ""},
		{"errors > 5%", timeouts, Holds, "errors = 9.091%"},
		{"errors.timeout < 10%, errors.reset == 0", timeouts, Holds, ""},
		{"errors.timeout < 0.09", timeouts, Fails, ""},
		// With 10 of 110 given up, p90 is the 99th of the 100 that are known.
		{"p90 < 100ms, p90 > 98ms", timeouts, Holds, ""},
		{"p99 < 120ms", timeouts, Unknown, "p99 >= 100"},
		{"p99 <= 120ms", timeouts, Unknown, ""},
		{"p99 < 90ms", timeouts, Fails, "p99 >= 100"},
		{"p99 > 90ms", timeouts, Holds, ""},
		{"p99 > 120ms", timeouts, Unknown, ""},
		{"p99 == 120ms", timeouts, Unknown, ""},
		{"p99 == 20ms", timeouts, Fails, ""},
		{"service.p99 < 120ms", timeouts, Unknown, "service.p99 >= 100"},
		{"service.p99 < 120ms", func(w *measure.Window) { w.Shed = 10 }, Holds, ""},
		{"max < 120ms", timeouts, Unknown, "max >= 100"},
		{"mean < 120ms", timeouts, Unknown, "mean >= 50"},
		{"stddev < 120ms", timeouts, Unknown, "stddev >= 0"},
		{"min < 2ms", timeouts, Holds, ""},
		// Failures are the slowest, however soon they came.
		{"p99 < 1s", failures, Fails, "p99 = infinite (10 of 110 requests failed, which count as the slowest)"},
		{"service.p99 < 1s", failures, Fails, ""},
		{"p90 < 100ms, p90 > 98ms", failures, Holds, ""},
		{"mean < 1s", failures, Unknown, "mean >= 50"},
		{"max < 1s", failures, Unknown, "max >= 100"},
		{"p99 > 1s", failures, Holds, ""},
		{"p99 < 1s", func(w *measure.Window) { *w = measure.Window{Errors: measure.Errors{Status: 200}} }, Fails, "200 of 200 requests failed"},
		{"p50 < 1s", func(w *measure.Window) { *w = measure.Window{Errors: measure.Errors{Status: 1}} }, Unknown, ""},
		// One that fails decides.
		{"p99 < 120ms, p50 < 10ms", timeouts, Fails, ""},
		{"p50 < 10ms, p99 < 120ms", timeouts, Fails, ""},
		// A percentile that none of 100 lies beyond is not below the largest.
		{"p99.9 < 120ms", nil, Unknown, "p99.9 >= 100ms (of only 100 requests, and it takes 1000 for one to lie beyond it)"},
		{"p99.99 <= 1s", nil, Unknown, "it takes 10000"},
		{"p99.9 < 90ms", nil, Fails, "p99.9 >= 100"},
		{"p99.9 > 90ms", nil, Holds, ""},
		{"p100 < 120ms, p99 < 120ms", nil, Holds, ""},
		{"lag.p99 < 1s", nil, Unknown, "nothing was timed"},
		{"p99 < 1s", nothing, Unknown, "nothing was timed"},
		{"p99 < 1s", func(w *measure.Window) { *w = measure.Window{Unfinished: 7} }, Unknown, "all 7 requests were given up"},
		{"errors < 1%", nothing, Unknown, "no request came to an end"},
		// What had no response by the end may have failed, or not.
		{"errors < 1%", unfinished, Unknown, "errors >= 0% (at most 50%: 100 requests had no response by the end)"},
		{"errors.timeout == 0", unfinished, Unknown, ""},
		{"errors > 10%", unfinished, Unknown, ""},
		{"errors <= 50%", unfinished, Holds, ""},
		{"errors > 50%", unfinished, Fails, ""},
		{"errors > 5%", func(w *measure.Window) { w.Errors.Reset, w.Unfinished = 20, 80 }, Holds, "errors >= 10%"},
		{"throughput > 0", nothing, Unknown, "no time was measured"},
		{"sent > 0", nothing, Unknown, ""},
		{"cpu < 1s", func(w *measure.Window) { w.Completed = 0 }, Unknown, "no request was completed"},
	} {
		w := window()
		if tt.change != nil {
			tt.change(&w)
		}
		got := judge(t, tt.expression, w)
		if got.Decision() != tt.want || !strings.Contains(got.Text.String(), tt.text) || got.Holds && !got.Known {
			t.Errorf("%s: %v (%+v), want %v and %q", tt.expression, got.Decision(), got, tt.want, tt.text)
		}
	}
}

// Whatever was given up, no condition with an upper limit passes on a figure
// that it could change.
func TestWhatIsCensoredNeverPasses(t *testing.T) {
	for _, change := range []func(*measure.Window){
		func(w *measure.Window) { w.Shed = 50 },
		func(w *measure.Window) { w.Unfinished = 50 },
		func(w *measure.Window) { w.Errors.Timeout = 50 },
	} {
		w := window()
		change(&w)
		for _, figure := range []string{"p70", "p99", "p100", "mean", "max", "stddev"} {
			for _, limit := range []string{"< 1us", "< 1s", "<= 999s", "== 0ns"} {
				if got := judge(t, figure+limit, w); got.Holds {
					t.Errorf("%s %s: %s", figure, limit, got.Text)
				}
			}
		}
	}
}

func TestJudgeWindows(t *testing.T) {
	good, slow, unknown, invalid, warmup := window(), window(), measure.Window{Length: time.Second}, window(), window()
	slow.Hist[measure.Response].RecordValues(int64(time.Second), 50)
	invalid.Hist[measure.Response] = slow.Hist[measure.Response]
	invalid.Findings = []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Invalid}}
	warmup.Index, warmup.Hist[measure.Response] = -1, slow.Hist[measure.Response]
	many := func(n int, more ...measure.Window) (list []measure.Window) {
		for range n {
			list = append(list, good)
		}
		return append(list, more...)
	}
	for _, tt := range []struct {
		expression string
		windows    []measure.Window
		want       Decision
		text       string
	}{
		{"every window: p99 < 150ms", many(3), Holds, "holds in 3 of 3 windows; at worst p99 = 99"},
		{"every window: p99 < 150ms", many(3, slow), Fails, "holds in 3 of 4 windows; at worst p99 = 1s"},
		{"every window: p99 < 150ms", many(3, invalid, warmup), Holds, "3 of 3"},
		{"every window: p99 < 150ms", many(3, unknown), Unknown, "unknown in 1"},
		{"every window: p99 < 150ms", many(3, unknown, slow), Fails, ""},
		{"every window: p99.9 < 150ms", many(3), Unknown, "at worst p99.9 >= 100ms (of only 100 requests"},
		{"every window: p99 < 150ms", many(0), Unknown, "no valid window"},
		{"every window: p99 < 150ms", many(0, invalid), Unknown, "no valid window"},
		{"95% of windows: p99 < 150ms", many(19, slow), Holds, "19 of 20"},
		{"95% of windows: p99 < 150ms", many(18, slow, slow), Fails, ""},
		{"95% of windows: p99 < 150ms", many(18, slow, unknown), Unknown, ""},
		{"50% of windows: p99 < 150ms", many(2, slow, unknown), Holds, ""},
		{"every window: throughput > 100", many(3), Fails, "at worst throughput = 100/s"},
	} {
		o, err := Parse(tt.expression)
		if err != nil {
			t.Fatal(err)
		}
		got := o.JudgeWindows(tt.windows)
		if got.Decision() != tt.want || !strings.Contains(got.Text.String(), tt.text) {
			t.Errorf("%s in %d windows: %v (%s), want %v and %q", tt.expression, len(tt.windows), got.Decision(), got.Text, tt.want, tt.text)
		}
	}
}

func TestJudgeResult(t *testing.T) {
	slow := window()
	slow.Hist[measure.Response].RecordValues(int64(time.Second), 50)
	r := load.Result{Validity: finding.Valid, Windows: []measure.Window{slow}, Total: window()}
	whole, _ := Parse("p99 < 150ms")
	windowed, _ := Parse("every window: p99 < 150ms")
	if got := whole.JudgeResult(&r); got.Decision() != Holds {
		t.Errorf("the total is to decide: %+v", got)
	}
	if got := windowed.JudgeResult(&r); got.Decision() != Fails {
		t.Errorf("the windows are to decide: %+v", got)
	}
	r.Validity = finding.Invalid
	r.Findings = []finding.Finding{{Name: finding.Steal, Validity: finding.Suspect}, {Name: finding.Little, Validity: finding.Invalid}}
	for _, o := range []*Objective{whole, windowed} {
		if got := o.JudgeResult(&r); got.Decision() != Unknown || !strings.Contains(got.Text.String(), "the measurement is invalid (little)") {
			t.Errorf("of an invalid result: %+v", got)
		}
	}
	r.Interrupted = true
	if got := whole.JudgeResult(&r); got.Decision() != Unknown || !strings.Contains(got.Text.String(), "interrupted") {
		t.Errorf("of an interrupted result: %+v", got)
	}
}
