package capacity

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

func experiment() Overload {
	return Overload{Capacity: 1000, Easy: 0.5, Factor: 1.5, Before: 3 * time.Second, For: 2 * time.Second, After: 6 * time.Second, Within: 0.25}
}

func TestOverloadPhases(t *testing.T) {
	o := experiment()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	p := profile.Profile{Mode: profile.Open, Connections: 10, Phases: o.Phases()}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if p.Length() != 11*time.Second || p.TopRate() != 1500 || p.Phases[0].Rate != 500 || p.Phases[2].Rate != 500 {
		t.Errorf("%s", p.Rhythm())
	}
}

func TestOverloadCheck(t *testing.T) {
	for why, change := range map[string]func(*Overload){
		"whole seconds":   func(o *Overload) { o.For = 1500 * time.Millisecond },
		"at least 3s":     func(o *Overload) { o.After = 2 * time.Second },
		"10 million":      func(o *Overload) { o.Capacity = 9e6 },
		"more than 1":     func(o *Overload) { o.Factor = 1 },
		"below 100%":      func(o *Overload) { o.Easy = 1 },
		"above 0, not -1": func(o *Overload) { o.Within = -1 },
	} {
		o := experiment()
		change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("error %v, want %q", err, why)
		}
	}
}

// seconds makes a window for each p99 in ms; 0 is an invalid one.
func seconds(p99 ...int) (windows []measure.Window) {
	for i, ms := range p99 {
		if ms == 0 {
			windows = append(windows, stalled(second(i, map[int]int64{900: 100}), time.Second, finding.Invalid))
			continue
		}
		windows = append(windows, second(i, map[int]int64{1: 50, ms: 50}))
	}
	return windows
}

func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		name  string
		after []int
		want  time.Duration
		back  bool
	}{
		{"at once", []int{10, 10, 10, 10, 10, 10}, 0, true},
		{"after two seconds", []int{300, 90, 10, 11, 10, 10}, 2 * time.Second, true},
		{"within the tolerance", []int{300, 12, 12, 12, 12, 12}, time.Second, true},
		{"a relapse", []int{10, 10, 50, 10, 10, 10}, 3 * time.Second, true},
		{"a second that can't be used", []int{50, 10, 0, 10, 10, 10}, time.Second, true},
		{"not at all", []int{300, 300, 90, 90, 60, 60}, 6 * time.Second, false},
		{"too late to tell", []int{300, 300, 90, 90, 10, 10}, 6 * time.Second, false},
	} {
		o := experiment()
		r := result(seconds(append([]int{10, 8, 9, 400, 800}, c.after...)...)...)
		a := o.Analyse(parse(t, "p99 < 50ms"), r)
		if a.Recovery != c.want || a.Recovered != c.back || len(a.Seconds) != 11 {
			t.Errorf("%s: %v (%v), want %v (%v)", c.name, a.Recovery, a.Recovered, c.want, c.back)
		}
	}
}

func TestRecoveryFromErrors(t *testing.T) {
	o := experiment()
	windows := seconds(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10)
	for i := 3; i < 7; i++ {
		windows[i].Errors.Status = 20
	}
	a := o.Analyse(parse(t, "p99 < 50ms"), result(windows...))
	if !a.Recovered || a.Recovery != 2*time.Second || a.During.Errors.Status != 40 || a.After.Errors.Status != 40 {
		t.Errorf("%+v", a)
	}
}

func TestGoodput(t *testing.T) {
	o := experiment()
	windows := seconds(10, 10, 10, 400, 800, 10, 10, 10, 10, 10, 10)
	windows[4].Errors.Reset, windows[4].Shed, windows[4].Completed = 10, 7, 90
	a := o.Analyse(parse(t, "p99 < 50ms, p99.9 < 1s, max < 5ms, service.p99 < 1ms"), result(windows...))
	// Of the responses in each second of the overload, 50 are within 50 ms.
	if a.Limit != 50*time.Millisecond || a.Baseline.Goodput != 100 || a.During.Goodput != 50 || a.During.Responses != 95 || a.During.Shed != 7 {
		t.Errorf("limit %v, during %+v", a.Limit, a.During)
	}
	a = o.Analyse(parse(t, "errors < 1%"), result(windows...))
	if a.Limit != 0 || a.During.Goodput != 95 || len(a.Notes) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestOverloadSaysWhatItCanNot(t *testing.T) {
	o := experiment()
	r := result(seconds(0, 0, 0, 400, 800, 10, 10, 10, 10, 10, 10)...)
	r.Findings = append(r.Findings, finding.Finding{Name: finding.RateMissed, Validity: finding.Suspect, Detail: i18n.Verbatim("sent less")})
	a := o.Analyse(parse(t, "p99 < 50ms"), r)
	notes := i18n.List("\n", a.Notes...)
	for _, part := range []string{"rate-missed: sent less", "3 of 11 seconds", "no second of the baseline"} {
		if !strings.Contains(notes.String(), part) {
			t.Errorf("%q is missing in %q", part, notes)
		}
	}
	if a.Recovered {
		t.Error("recovered to a baseline that was not measured")
	}
}

// A service that failed before it was overloaded has nothing to recover to, and one
// that missed its objective then is no better off for being as before.
func TestOverloadOfAServiceThatFails(t *testing.T) {
	dead := seconds(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10)
	for i := range dead {
		dead[i].Completed, dead[i].Errors.Status = 0, 100
	}
	o := experiment()
	r := result(dead...)
	r.FirstErrors = map[string]i18n.Message{"status": i18n.Verbatim("status 500")}
	a := o.Analyse(parse(t, "p99 < 50ms, errors < 1%"), r)
	if a.Recovered || !a.Failing {
		t.Errorf("recovered %v, failing %v", a.Recovered, a.Failing)
	}
	a = o.Analyse(parse(t, "p99 < 5ms"), result(seconds(10, 8, 9, 400, 800, 10, 10, 10, 10, 10, 10)...))
	if notes := i18n.List("\n", a.Notes...); !a.Recovered || a.Failing || !strings.Contains(notes.String(), "did not hold before the overload either: p99 = ") {
		t.Errorf("recovered %v, failing %v: %s", a.Recovered, a.Failing, notes)
	}
}
