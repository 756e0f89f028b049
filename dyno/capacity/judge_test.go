package capacity

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/objective"
	"dyno.example/internal/i18n"
)

func parse(t *testing.T, expression string) *objective.Objective {
	t.Helper()
	o, err := objective.Parse(expression)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// second is a window with so many responses of each time, in ms.
func second(index int, times map[int]int64) measure.Window {
	w := measure.Window{Index: index, Length: time.Second, InFlight: 1}
	w.Hist[measure.Response] = measure.NewHistogram()
	for ms, n := range times {
		w.Hist[measure.Response].RecordValues(int64(ms)*int64(time.Millisecond), n)
		w.Completed += uint64(n)
	}
	w.Offered, w.Sent = w.Completed, w.Completed
	return w
}

// result is one with the windows given, as package load would sum them up.
func result(windows ...measure.Window) *load.Result {
	r := &load.Result{Validity: finding.Valid, Windows: windows, Total: *merge(windows)}
	var found []finding.Finding
	for i := range windows {
		found = append(found, windows[i].Findings...)
	}
	r.Findings = finding.Merge(found, len(windows))
	return r
}

// stalled is a window in which the generator was away.
func stalled(w measure.Window, d time.Duration, level finding.Validity) measure.Window {
	w.Stall = d
	w.Findings = append(w.Findings, finding.Finding{Name: finding.GeneratorStalled, Validity: level, Detail: i18n.Join("away for ", d.String()), Windows: []int{w.Index}})
	return w
}

func TestJudge(t *testing.T) {
	quick, slow, hopeless := map[int]int64{5: 1000}, map[int]int64{5: 900, 25: 100}, map[int]int64{900: 1000}
	with := func(r *load.Result, names ...finding.Name) *load.Result {
		for _, name := range names {
			r.Findings = append(r.Findings, finding.Finding{Name: name, Validity: finding.Suspect, Detail: i18n.Verbatim("evidence")})
		}
		return r
	}
	everywhere := func(r *load.Result, name finding.Name) *load.Result {
		for i := range r.Windows {
			r.Windows[i].Findings = append(r.Windows[i].Findings, finding.Finding{Name: name, Validity: finding.Suspect})
		}
		return with(r, name)
	}
	givenUp := second(0, quick)
	givenUp.Unfinished = 100
	for _, c := range []struct {
		name   string
		result *load.Result
		want   Decision
		why    string
	}{
		{"quick", result(second(0, quick)), Holds, ""},
		{"slow", result(second(0, slow)), Fails, ""},
		{"quick, though the generator stalled", result(stalled(second(0, quick), 30*time.Millisecond, finding.Suspect)), Holds, ""},
		{"quick, though the generator was full", everywhere(result(second(0, quick)), finding.GeneratorFull), Holds, ""},
		{"slow when the generator stalled", result(stalled(second(0, slow), 30*time.Millisecond, finding.Suspect)), Spoiled, "generator-stalled"},
		{"slow in one second, when the generator stalled", result(second(0, quick), stalled(second(1, slow), 30*time.Millisecond, finding.Suspect)), Spoiled, "generator-stalled"},
		{"slow also when it did not", result(second(0, slow), stalled(second(1, slow), 30*time.Millisecond, finding.Suspect)), Fails, ""},
		{"slower than the stall explains", result(stalled(second(0, hopeless), 30*time.Millisecond, finding.Suspect)), Fails, ""},
		{"nothing but invalid windows", result(stalled(second(0, slow), time.Second, finding.Invalid)), Spoiled, "no window can be used: generator-stalled"},
		{"an invalid window next to a quick one", result(second(0, quick), stalled(second(1, slow), time.Second, finding.Invalid)), Holds, ""},
		{"slow, with the generator full", everywhere(result(second(0, slow)), finding.GeneratorFull), Spoiled, "generator-full"},
		{"slow, beyond the generator's ceiling", with(result(second(0, slow)), finding.BeyondCeiling), Spoiled, "beyond-ceiling"},
		{"not at the rate, with the generator full", with(result(second(0, quick)), finding.RateMissed, finding.GeneratorFull), Spoiled, "generator-full"},
		{"not at the rate, with the generator late", with(result(second(0, quick)), finding.RateMissed, finding.GeneratorLate), Spoiled, "generator-late"},
		{"not at the rate", with(result(second(0, quick)), finding.RateMissed), Fails, "rate-missed"},
		{"many failed", with(result(second(0, slow)), finding.Errors), Fails, ""},
		{"nothing was due", result(second(0, nil)), Spoiled, "no request was due"},
		{"given up", result(givenUp), Fails, "can't be shown to hold"},
	} {
		p := profile.Profile{Mode: profile.Open, Connections: 10, Rate: 1000}
		got := judge(parse(t, "p99 < 20ms"), c.result, &p)
		if got.Decision != c.want || !strings.Contains(got.Why.String(), c.why) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got.Decision, got.Why, c.want, c.why)
		}
	}
}

// A stall of the generator is no excuse for errors.
func TestErrorsAreTheServices(t *testing.T) {
	w := stalled(second(0, map[int]int64{5: 900}), 30*time.Millisecond, finding.Suspect)
	w.Errors.Reset = 100
	p := profile.Profile{Mode: profile.Open, Connections: 10, Rate: 1000}
	if got := judge(parse(t, "p99 < 20ms, errors < 1%"), result(w), &p); got.Decision != Fails {
		t.Errorf("%s: %s", got.Decision, got.Why)
	}
}

func TestJudgeByWindows(t *testing.T) {
	quick, slow := map[int]int64{5: 1000}, map[int]int64{25: 1000}
	p := profile.Profile{Mode: profile.Open, Connections: 10, Rate: 1000}
	r := result(second(0, quick), second(1, quick), second(2, slow))
	if got := judge(parse(t, "50% of windows: p99 < 20ms"), r, &p); got.Decision != Holds {
		t.Errorf("%s: %s", got.Decision, got.Measured)
	}
	if got := judge(parse(t, "every window: p99 < 20ms"), r, &p); got.Decision != Fails {
		t.Errorf("%s: %s", got.Decision, got.Measured)
	}
}

func TestBrokenAndHints(t *testing.T) {
	failing := Trial{
		Decision: Fails, Length: time.Second, Throughput: 700, Busy: true, Shed: 3, First: map[string]i18n.Message{"timeout": i18n.Verbatim("no response in 1s")},
		Terms: []Term{{"p99 < 1ms", "fails", i18n.Verbatim("p99 = 2ms")}, {"errors < 1%", "fails", i18n.Verbatim("errors = 2%")}, {"mean < 1s", "holds", i18n.Verbatim("mean = 1ms")}},
	}
	failing.Errors.Timeout = 7
	other := failing
	other.Terms = []Term{{"p99 < 1ms", "unknown", i18n.Verbatim("p99 >= 2ms")}, {"errors < 1%", "fails", i18n.Verbatim("errors = 3%")}, {"mean < 1s", "holds", i18n.Verbatim("mean = 1ms")}}
	r := &Result{Fails: &Load{Rate: 1000, Trials: []Trial{failing, other, {Decision: Spoiled}}}}
	got := broken(r.Fails)
	if len(got) != 2 || got[0].Condition != "errors < 1%" || got[0].Failed != 2 || got[1].Failed != 1 || got[1].Unknown != 1 || got[1].Of != 2 {
		t.Errorf("broke %+v", got)
	}
	hints := i18n.List("\n", r.hints()...)
	for _, part := range []string{"the service was saturated", "14 timeout errors, such as: no response in 1s", "2 of 2 failing trials", "--connections", "6 arrivals were given up", "at most 700/s"} {
		if !strings.Contains(hints.String(), part) {
			t.Errorf("%q is missing in:\n%s", part, hints)
		}
	}
}

// A service that fails every tenth request at once is not saturated: it did all that
// it was asked for, wrongly.
func TestFailuresAreNoSaturation(t *testing.T) {
	failing := Trial{
		Decision: Fails, Length: 10 * time.Second, Throughput: 900, Requests: 9000, First: map[string]i18n.Message{"status": i18n.Verbatim("status 500")},
		Terms: []Term{{"errors < 1%", "fails", i18n.Verbatim("errors = 10%")}},
	}
	failing.Errors.Status = 1000
	r := &Result{Fails: &Load{Rate: 1000, Trials: []Trial{failing}}}
	hints := i18n.List("\n", r.hints()...)
	if strings.Contains(hints.String(), "saturated") || !strings.Contains(hints.String(), "1000 status errors") {
		t.Errorf("%s", hints)
	}
}
