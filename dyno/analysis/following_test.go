package analysis_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// followingRun is one in slices on a machine that makes requests 15 % dearer or cheaper from round to round, and 8 % from
// block to block, of subjects that follow it by so much.
func followingRun(follows map[string]float64) *archive.Run {
	const rounds, requests, length = 57, 1500, 15 * time.Millisecond
	run := analysistest.Run(5, "a", "b", "c", "d")
	r := rand.New(rand.NewPCG(1, 2))
	states := map[int][]float64{}
	for i := range run.Trials {
		t := &run.Trials[i]
		if states[t.Block] == nil {
			block := 0.08 * r.NormFloat64()
			for range rounds {
				states[t.Block] = append(states[t.Block], block+0.15*r.NormFloat64())
			}
		}
		t.Sliced = &archive.Sliced{Length: length, Rounds: rounds, Arms: 4, Cut: true, Settle: 20 * time.Millisecond}
		by := follows[run.Manifest.Plan.Cells[t.Cell].Subject]
		var cpu time.Duration
		for round, state := range states[t.Block] {
			s := archive.Slice{Round: round, Start: int64(round+1)*1e9 + int64(t.Cell)*1e7, Length: length, Requests: requests}
			s.CPU = time.Duration(requests * 10e3 * math.Exp(by*state+0.04*r.NormFloat64()))
			t.Slices, cpu = append(t.Slices, s), cpu+s.CPU
		}
		shareOut(t, rounds*requests, cpu)
	}
	return run
}

// Subjects that a machine slows otherwise than the reference are named, with by how much, and no others; with them
// stands the ratio in one of its states, whose interval is narrower as the others' are not.
func TestRatiosThatDependOnTheMachine(t *testing.T) {
	for _, c := range []struct {
		follows map[string]float64
		named   bool
	}{
		{map[string]float64{"a": 1.2, "b": 0.6, "c": 1.2, "d": 1}, true},
		{map[string]float64{"a": 1, "b": 1, "c": 1, "d": 1}, false},
		{map[string]float64{"a": 1, "b": 1.03, "c": 1, "d": 0.97}, false}, // by too little
		{map[string]float64{}, false},                                     // it has no state
	} {
		run := followingRun(c.follows)
		a := analyse(t, run)
		got := findings(a, finding.StateDependent)
		detail := ""
		for _, f := range got {
			detail += f.Detail.String()
		}
		if strings.Contains(detail, " b by ") != c.named || strings.Contains(detail, " c by ") || len(got) > 1 {
			t.Errorf("%v: %+v", c.follows, got)
		}
		for i := range a.Groups[0].Cells {
			cell := &a.Groups[0].Cells[i]
			f := cell.Following
			if f == nil || cell.Subject == "a" {
				if f != nil || len(c.follows) > 0 && cell.Subject != "a" {
					t.Errorf("%v: of %s %+v is known", c.follows, cell.Subject, f)
				}
				continue
			}
			mean := 0.0
			for _, by := range c.follows {
				mean += by / float64(len(c.follows))
			}
			if got, want := f.Slope-f.Reference, (c.follows[cell.Subject]-c.follows["a"])/mean; math.Abs(got-want) > 0.1 {
				t.Errorf("%v: %s follows it by %.2f more, not %.2f", c.follows, cell.Subject, got, want)
			}
			if s := a.Groups[0].Slices.States; math.Abs(s.Deviation-0.15*mean) > 0.02 {
				t.Errorf("%v: %+v", c.follows, s)
			}
			ratio := cell.Ratios["cpu"]
			narrower := math.Log(f.AtOneState.High/f.AtOneState.Low) / math.Log(ratio.High/ratio.Low)
			if math.Abs(f.AtOneState.Estimate/ratio.Estimate-1) > 1e-6 || c.named && cell.Subject == "b" && narrower > 0.7 {
				t.Errorf("%v: %s costs %+v, at one state %+v", c.follows, cell.Subject, ratio, f.AtOneState)
			}
		}
		if a.Validity != finding.Valid {
			t.Errorf("%v: the run is %s", c.follows, a.Validity)
		}
	}
}
