package loadcmd

import (
	"testing"

	"dyno/lab/export"
)

// A threshold that nobody can decide fails the load, but isn't said to be missed.
func TestFailedThresholds(t *testing.T) {
	holds := export.Threshold{Expression: "a", Verdict: "holds"}
	fails := export.Threshold{Expression: "b", Verdict: "fails", Measured: "2"}
	unknown := export.Threshold{Expression: "c", Verdict: "unknown", Measured: "-"}
	for _, c := range []struct {
		judged []export.Threshold
		want   string
	}{
		{[]export.Threshold{holds, {Expression: "d", Verdict: export.NotEvaluated}}, ""},
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
