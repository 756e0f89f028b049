package analysis_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
)

// settlingRun is one in slices, in the first half of which a request costs each subject so many times what it
// costs in the other.
func settlingRun(blocks uint64, first map[string]float64) *archive.Run {
	run := analysistest.Run(blocks, "a", "b")
	for i := range run.Trials {
		t := &run.Trials[i]
		const rounds, half = 40, 500
		t.Sliced = &archive.Sliced{Length: 20 * time.Millisecond, First: 10 * time.Millisecond, Rounds: rounds, Arms: 2, Cut: true, Settle: 20 * time.Millisecond}
		more := first[run.Manifest.Plan.Cells[t.Cell].Subject]
		var cpu time.Duration
		for round := range rounds {
			cost := 20e3 * (1 + 0.1*math.Sin(float64(round*(i+1)))) // another in each slice
			s := archive.Slice{Round: round, Start: int64(round+1) * 1e9, Length: 20e6, Requests: 2*half - 3, Failed: 3, FirstRequests: half}
			s.FirstCPU = time.Duration(half * cost * more)
			s.CPU = s.FirstCPU + time.Duration(half*cost)
			t.Slices, cpu = append(t.Slices, s), cpu+s.CPU
		}
		shareOut(t, rounds*2*half, cpu)
	}
	return run
}

// A subject that has not settled when its slices begin is named, and not what all have alike.
func TestUnsettledSubjectsAreNamed(t *testing.T) {
	for _, c := range []struct {
		first map[string]float64
		named bool
	}{
		{map[string]float64{"a": 1, "b": 1.06}, true},
		{map[string]float64{"a": 1.06, "b": 1}, true},
		{map[string]float64{"a": 1.1, "b": 1.1}, false},
		{map[string]float64{"a": 1, "b": 1.01}, false},
		{map[string]float64{"a": 1, "b": 1}, false},
	} {
		a := analyse(t, settlingRun(4, c.first))
		got := findings(a, finding.Unsettled)
		if named := len(got) == 1 && strings.Contains(got[0].Detail.String(), "b under"); named != c.named || len(got) > 1 {
			t.Errorf("%v: %+v", c.first, got)
		}
		cell := &a.Groups[0].Cells[1]
		if v, want := cell.Ratios["cpu.settling"].Estimate, c.first["b"]/c.first["a"]; math.Abs(v/want-1) > 0.001 {
			t.Errorf("%v: the first half costs b %.4f times as much more than a, not %.4f", c.first, v, want)
		}
		if v := cell.Estimates["cpu.settling"].Estimate; math.Abs(v/c.first["b"]-1) > 0.001 {
			t.Errorf("%v: the first half costs b %.4f times", c.first, v)
		}
	}
}

// That a subject has not settled weakens a verdict that it could have made, and no other. Truth: in the first half
// of its slices b costs 6 % more than in the other, in all 3 % too much.
func TestUnsettledSubjectsWeakenWhatTheyCouldTurn(t *testing.T) {
	for _, c := range []struct {
		claim    string
		first    map[string]float64
		weakened bool
	}{
		{"cpu[b] / cpu[a] > 1.01", map[string]float64{"a": 1, "b": 1.06}, true},
		{"cpu[a] / cpu[b] < 0.99", map[string]float64{"a": 1, "b": 1.06}, true},
		{"cpu[b] / cpu[a] < 1.2", map[string]float64{"a": 1, "b": 1.06}, false},
		{"cpu[a] / cpu[b] > 1.01", map[string]float64{"a": 1.06, "b": 1}, true},
		{"cpu[b] / cpu[a] > 0.9", map[string]float64{"a": 1.06, "b": 1}, false},
		{"cpu[b] / cpu[a] < 1.01", map[string]float64{"a": 1.06, "b": 1.06}, false}, // alike
	} {
		for _, accepted := range []bool{false, true} {
			run := settlingRun(6, c.first)
			run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{c.claim}}}
			if accepted {
				run.Manifest.Accept = []finding.Name{finding.Unsettled}
			}
			a := analyse(t, run)
			out := a.Claims[0]
			if out.Verdict != claim.Confirmed || a.Validity != finding.Valid {
				t.Fatalf("%s, %v: %s (%s), the run is %s", c.claim, c.first, out.Verdict, out.Why, a.Validity)
			}
			said := len(out.Basis.Doubts) == 1 && strings.HasPrefix(out.Basis.Doubts[0].String(), "unsettled: ")
			if said != (c.weakened && !accepted) || said != strings.Contains(out.Word().String(), "see its doubts") {
				t.Errorf("%s, %v, accepted %v: %s, %v", c.claim, c.first, accepted, out.Word(), out.Basis.Doubts)
			}
		}
	}
}

// Where most slices say nothing of their first part, no figure is made of the others.
func TestSettlingOfFewSlices(t *testing.T) {
	run := settlingRun(3, map[string]float64{"a": 1, "b": 1.5})
	for i := range run.Trials {
		if list := run.Trials[i].Slices; run.Trials[i].Cell == 1 {
			for s := range list {
				if s%3 > 0 {
					list[s].FirstRequests, list[s].FirstCPU = 0, 0
				}
			}
		}
	}
	a := analyse(t, run)
	if why := a.Groups[0].Cells[1].Omitted["cpu.settling"]; !strings.Contains(why.String(), "of 14 of 40") {
		t.Errorf("%q", why)
	}
	if got := findings(a, finding.Unsettled); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

// A start that was measured alone takes the others' first parts from nobody.
func TestUnsettledBesideOneAlone(t *testing.T) {
	for subject := range 2 {
		run := settlingRun(5, map[string]float64{"a": 1, "b": 1.06})
		alone := 0
		for i := range run.Trials {
			if one := &run.Trials[i]; one.Cell == subject && one.Block == 2 {
				one.Sliced, one.Slices = nil, nil
				alone++
			}
		}
		a := analyse(t, run)
		if got := findings(a, finding.Unsettled); alone != 1 || len(got) != 1 || !strings.Contains(got[0].Detail.String(), "b under") {
			t.Errorf("%d trials alone of subject %d: %+v", alone, subject, got)
		}
	}
}

// Runs that are not in such slices have no such figure.
func TestNoSettlingInTrials(t *testing.T) {
	a := analyse(t, analysistest.Run(3, "a", "b"))
	for _, m := range a.Groups[0].Metrics {
		if m.Name == "cpu.settling" {
			t.Error("there is one")
		}
	}
}
