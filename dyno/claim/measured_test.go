package claim

import (
	"strings"
	"testing"

	"dyno.example/dyno/stats"
)

func TestSharesInPlainFigures(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.02: "2 %", 0.0125: "1.25 %", 0.013: "1.3 %", -0.5: "-50 %", 0.99999: "100 %",
		12.34: "1230 %", 123456: "12300000 %", 0.00001234: "0.00123 %", 0.0000001: "0.00001 %",
	} {
		if got := inPercent(share); got != want {
			t.Errorf("%g is %q, want %q", share, got, want)
		}
	}
}

// What an opposite effect is beyond is said in words that need no glossary.
func TestNoiseIsSaidInPlainWords(t *testing.T) {
	v := evidence{margin: 0.02, noise: &stats.Interval{N: 6, Estimate: 1, Low: 0.9, High: 1.25, Level: 0.95}}
	if got, want := (&effect{}).reason(v), "what the same program differs by when measured twice (25 %)"; got.String() != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&effect{}).reason(evidence{margin: 0.02}); !strings.HasSuffix(got.String(), "margin of 2 %") {
		t.Error(got)
	}
}
