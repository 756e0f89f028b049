package cli

import (
	"testing"

	"dyno/lab/present"
)

func TestParseShare(t *testing.T) {
	for s, want := range map[string]float64{"0": 0, "1%": 0.01, "0.01": 0.01, "100 %": 1, "1": 1, "2.5%": 0.025} {
		if got, err := ParseShare(s); err != nil || got != want {
			t.Errorf("parseShare(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "%", "101%", "-1%", "2", "NaN", "many"} {
		if got, err := ParseShare(s); err == nil {
			t.Errorf("parseShare(%q) = %v, want an error", s, got)
		}
	}
	if got := present.Share(0.025); got != "2.5 %" {
		t.Errorf("formatShare(0.025) = %q", got)
	}
}
