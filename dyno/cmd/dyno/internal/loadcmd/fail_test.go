package loadcmd

import (
	"strings"
	"testing"

	"dyno.example/dyno/export"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// A threshold that nobody can decide fails the load, but isn't said to be missed.
func TestFailedThresholds(t *testing.T) {
	holds := export.Threshold{Expression: "a", Decision: "holds"}
	fails := export.Threshold{Expression: "b", Decision: "fails", Measured: i18n.Verbatim("2")}
	unknown := export.Threshold{Expression: "c", Decision: "unknown", Measured: i18n.Verbatim("-")}
	for _, c := range []struct {
		judged []export.Threshold
		want   string
	}{
		{[]export.Threshold{holds, {Expression: "d", Decision: export.NotEvaluated}}, ""},
		{[]export.Threshold{holds, fails}, "--fail: 1 of 2 thresholds not met: b (2)"},
		{[]export.Threshold{holds, unknown}, "--fail: 1 of 2 thresholds undecided: c (-)"},
		{[]export.Threshold{unknown, fails, fails}, "--fail: 2 of 3 thresholds not met: b (2); b (2)\n--fail: 1 of 3 thresholds undecided: c (-)"},
	} {
		got := ""
		if err := failedThresholds(c.judged); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// CI systems show a mix by its own name, and each kind of request of it.
func TestSuiteOfAMix(t *testing.T) {
	kind := func(name string, completed, failed uint64) measure.RequestResult {
		k := measure.RequestResult{Name: name}
		k.Total.Completed, k.Total.Errors.Status = completed, failed
		k.All = k.Total
		return k
	}
	ended := func(kinds ...measure.RequestResult) *endedLoad {
		e := &endedLoad{Load: export.Load{Spec: &load.Spec{Target: "http://127.0.0.1:1"}, Result: &load.Result{Requests: kinds, FirstErrors: map[string]i18n.Message{}}}, maxErrors: 0.01}
		for _, k := range kinds {
			e.Spec.Requests = append(e.Spec.Requests, request.Request{Name: k.Name, Method: "POST", Path: "/" + k.Name})
			e.Result.Total.Completed += k.Total.Completed
			e.Result.Total.Errors.Add(k.Total.Errors)
		}
		e.Result.All = e.Result.Total
		e.Result.Windows = []measure.Window{{Completed: 1}}
		return e
	}
	e := ended(kind("login", 100, 0), kind("orders", 50, 50))
	e.Thresholds = []export.Threshold{{Expression: "p99<1s", Decision: "holds"}, {Expression: "p99<1s", Decision: "holds"}}
	s := e.suite()
	if s.Name != "mix of 2 kinds of requests to http://127.0.0.1:1" {
		t.Errorf("the suite is named %q", s.Name)
	}
	var got []string
	for _, c := range s.Checks {
		got = append(got, c.Of+":"+c.Name+":"+string(c.Result))
	}
	if want := ":errors <= 1 % (--max-errors):failed :p99<1s:passed :p99<1s:passed request:login:passed request:orders:failed"; strings.Join(got, " ") != want {
		t.Errorf("checks %q, want %q", got, want)
	}
	for _, p := range s.Properties {
		if p[0] == "method" || p[0] == "requests" && p[1] != "login, orders" {
			t.Errorf("property %q", p)
		}
	}
	// A kind that fails is no failure where the load as a whole is none.
	for _, c := range ended(kind("login", 10000, 0), kind("orders", 5, 5)).suite().Checks {
		if c.Result != export.Passed {
			t.Errorf("%+v", c)
		}
	}
	if s := ended(kind("only", 5, 0)).suite(); s.Name != "POST http://127.0.0.1:1/only" {
		t.Errorf("the suite is named %q", s.Name)
	}
}
