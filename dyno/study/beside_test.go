package study

import (
	"strings"
	"testing"

	"dyno.example/internal/i18n"
)

// What slices can't tell has trials of its own; what is only of one kind has only that.
func TestUsuallySlicedBeside(t *testing.T) {
	for rest, want := range map[string]Slices{
		"":                                    {Length: usualSlice},
		"report: [cpu, start, warmup]":        {Length: usualSlice},
		"report: [cpu, rss]":                  {Length: usualSlice, Beside: true},
		"report: [response.p99.9, gc.cycles]": {},
		"report: [rss]\nclaims: [{id: a, says: x, expressions: ['cpu[a] < cpu[b]']}]":        {Length: usualSlice, Beside: true},
		"report: [cpu]\nclaims: [{id: a, says: x, expressions: ['response.max[a] < 10ms']}]": {Length: usualSlice, Beside: true},
		"report: [rss]\nclaims: [{id: a, says: x, expressions: ['rss[a] < 2*pss[b]']}]":      {},
	} {
		s := sliced(t, "{duration: 6s}", rest)
		if got := s.UsuallySliced().Trial.Slices; got != want {
			t.Errorf("%s: %+v, want %+v", rest, got, want)
		}
	}
}

// Each cell in slices is a trial too, in each of the blocks, and its twin; all others are as they
// were. A run that goes on has the same.
func TestExpandBeside(t *testing.T) {
	s := sliced(t, "{duration: 2s, slices: both}", "loads: [{name: s, closed: {connections: 4}}, {name: churning, closed: {connections: 4}, reuse: none}]")
	p, err := Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Cells) != 2*3+3 || len(p.Trials) != len(p.Cells)*s.Blocks {
		t.Fatalf("%d cells, %d trials", len(p.Cells), len(p.Trials))
	}
	beside := p.TrialsBeside()
	count := map[[2]int]int{}
	for i := range p.Trials {
		trial := &p.Trials[i]
		c := &p.Cells[trial.Cell]
		if _, both := beside[c.Index]; trial.InSlices != both || both != (c.Load == "s" && c.Beside == nil) {
			t.Errorf("trial %d of %s: in slices %v", i, c.Title(), trial.InSlices)
		}
		count[[2]int{trial.Block, trial.Cell}]++
	}
	for at, n := range count {
		if n != 1 {
			t.Errorf("block %d has cell %d %d times", at[0], at[1], n)
		}
	}
	for a, b := range beside {
		if one, other := &p.Cells[a], &p.Cells[b]; one.Subject != other.Subject || one.Twin != other.Twin || other.Title() != one.Title()+", in trials" {
			t.Errorf("%s %s beside %s %s", one.Subject, one.Title(), other.Subject, other.Title())
		}
	}
	longer, err := p.Grow(s)
	if err != nil || longer.Blocks() != s.Blocks+1 {
		t.Fatal(err)
	}
	var text strings.Builder
	p.Describe(&text, i18n.Message.String)
	for _, want := range []string{"in slices; cell 7 has what they can't tell", "in trials, for what slices can't tell of cell 1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
}
