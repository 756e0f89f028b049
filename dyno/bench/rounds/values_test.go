//go:build linux

package rounds

import (
	"math"
	"testing"
)

// costs is a record of two tools, one of them disturbed in the last round.
func costs() *Record {
	r := &Record{Settings: Settings{Rounds: 8}}
	for round := range 8 {
		for tool, us := range map[string]float64{"dyno": 8, "wrk": 10} {
			one := Trial{Round: round, Tool: tool, Figures: map[string]float64{"cpu_us_per_request": us * (1 + 0.1*float64(round))}}
			if round == 7 && tool == "wrk" {
				one.Disturbed, one.Figures["cpu_us_per_request"] = "other programs ran", 1000
			}
			r.Trials = append(r.Trials, one)
		}
	}
	return r
}

func TestDisturbedTrialsCountOnlyIfAskedFor(t *testing.T) {
	v := &Values{Record: costs()}
	if got := v.Of("wrk", "", "cpu_us_per_request")[7]; !math.IsNaN(got) {
		t.Errorf("without the disturbed: %v", got)
	}
	v.Disturbed = true
	if got := v.Of("wrk", "", "cpu_us_per_request")[7]; got != 1000 {
		t.Errorf("with the disturbed: %v", got)
	}
}

func TestBestIsTheCheapestPeer(t *testing.T) {
	v := &Values{Record: costs()}
	if got := v.Best([]string{"ab", "wrk", "dyno"}, "", "cpu_us_per_request"); got != "dyno" {
		t.Errorf("%q", got)
	}
	if got := v.Best([]string{"ab"}, "", "cpu_us_per_request"); got != "" {
		t.Errorf("a tool that was not measured is best: %q", got)
	}
}

func TestOrderOfNames(t *testing.T) {
	v := &Values{First: "dyno"}
	for _, c := range [][2]string{{"dyno uring", "ab"}, {"500/s, b", "5000/s, a"}, {"10 connections", "10000 connections"}, {"ab", "wrk"}} {
		if v.compareNames(c[0], c[1]) >= 0 || v.compareNames(c[1], c[0]) <= 0 {
			t.Errorf("%q should come before %q", c[0], c[1])
		}
	}
}

func TestSignificant(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{{0, "0"}, {1234.5, "1230"}, {12.345, "12.3"}, {0.012345, "0.0123"}, {-1234.5, "-1230"}, {math.NaN(), "NaN"}} {
		if got := Significant(c.x, 3); got != c.want {
			t.Errorf("%v is written %s, want %s", c.x, got, c.want)
		}
	}
}

func TestCPUTimeOfAProcess(t *testing.T) {
	stat := "42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 1 0 1 1 1\n"
	if got := ParseStat(stat).Seconds(); got != 2 {
		t.Errorf("%v s, want 2", got)
	}
}
