//go:build linux

package rounds

import (
	"math"
	"os"
	"syscall"
	"testing"
	"time"
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

// Where tools took turns it is neighbouring turns that are compared: a speed that changes
// between them changes nothing.
func TestRatioOfTurns(t *testing.T) {
	r := &Record{Settings: Settings{Rounds: 6}}
	speeds := []float64{1, 1, 1.5, 1.5, 0.7}
	for round := range 6 {
		for tool, us := range map[string]float64{"new": 9, "old": 10} {
			one := Trial{Round: round, Tool: tool, Figures: map[string]float64{CPUFigure: us * (1 + float64(round*len(tool)%3))}, Series: map[string][]float64{}}
			for i, speed := range speeds {
				if tool == "old" && i == 2 {
					speed = 1 // it changed in the middle of this pair
				}
				one.Series[CPUFigure] = append(one.Series[CPUFigure], us*speed)
			}
			r.Trials = append(r.Trials, one)
		}
	}
	v := &Values{Record: r}
	if got := v.Ratio("new", "old", "", CPUFigure); math.Abs(got.Estimate-0.9) > 1e-9 || got.N != 6 || got.High > 0.901 {
		t.Errorf("%+v, want 0.9", got)
	}
	r.Trials[0].Disturbed = "other programs ran"
	if got := v.Ratio("new", "old", "", CPUFigure); got.N != 5 {
		t.Errorf("%d pairs with one disturbed", got.N)
	}
	r.Trials[0].Disturbed, r.Trials[2].Series = "", nil
	if got := v.Ratio("new", "old", "", CPUFigure); got.N != 6 || got.High-got.Low < 0.1 {
		t.Errorf("%+v where one tool has no turns", got)
	}
}

// A process's own account says what the kernel's clock says of it, and of none it says nothing.
func TestReadingProcesses(t *testing.T) {
	before := ProcessCPU(os.Getpid())
	for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	if after := ProcessCPU(os.Getpid()); after <= before || after < time.Duration(used.Utime.Nano()+used.Stime.Nano())-time.Second/10 {
		t.Errorf("%v, then %v; the process says %v", before, after, time.Duration(used.Utime.Nano()+used.Stime.Nano()))
	}
	if kb, ok := Resident(os.Getpid()); !ok || kb < 1000 {
		t.Errorf("resident are %v KB, %v", kb, ok)
	}
	const none = 1 << 25 // more than the kernel gives out
	if _, ok := Resident(none); ok || ProcessCPU(none) != 0 {
		t.Error("a process that isn't there has memory or CPU time")
	}
}
