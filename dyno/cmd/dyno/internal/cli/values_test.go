package cli

import (
	"testing"

	"dyno.example/dyno/present"
)

func TestParseRate(t *testing.T) {
	for s, want := range map[string]float64{"5000": 5000, "5k": 5000, "1.5K/s": 1500, "2M": 2e6, "300/m": 5, "3600/1h": 1} {
		if got, err := ParseRate(s); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "k", "5/", "5/d", "NaN", "NaNk", "many"} {
		if got, err := ParseRate(s); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", s, got)
		}
	}
}

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
