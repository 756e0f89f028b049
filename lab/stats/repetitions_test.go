package stats

import "testing"

func TestPlan(t *testing.T) {
	effort := Effort{Start: 9, Run: 1}
	// √(9/1)·(0.02/0.01) is 6 runs of each start.
	c := Components{Within: 0.02, Between: 0.01}
	p := c.Plan(effort, 0.01, 0.95)
	if p.Runs != 6 || p.Half > 0.01 || p.Effort != float64(p.Starts)*15 {
		t.Errorf("got %+v", p)
	}
	if fewer := c.half(p.Starts-1, p.Runs, 0.95); fewer <= 0.01 {
		t.Errorf("%+v: one start fewer would do, at %v", p, fewer)
	}
	for runs := 1; runs < 30; runs++ {
		starts := smallest(func(n int) bool { return n >= 2 && c.half(n, runs, 0.95) <= 0.01 })
		if cost := float64(starts) * (9 + float64(runs)); cost < 0.95*p.Effort {
			t.Errorf("%d starts of %d runs take %v, the plan %+v", starts, runs, cost, p)
		}
	}
}

func TestPlanAtItsEnds(t *testing.T) {
	effort := Effort{Start: 4, Run: 1}
	for _, c := range []struct {
		name       string
		components Components
		runs       func(int) bool
	}{
		{"restarts are everything", Components{Between: 0.01}, func(n int) bool { return n == 1 }},
		{"runs are everything", Components{Within: 0.01}, func(n int) bool { return n >= 1 }},
		{"no noise", Components{}, func(n int) bool { return n == 1 }},
	} {
		p := c.components.Plan(effort, 0.005, 0.95)
		if !c.runs(p.Runs) || p.Starts < 2 || p.Half > 0.005 {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	if p := (Components{Between: 1}).Plan(effort, 1e-9, 0.95); p.Starts != maxRepetitions || p.Half <= 1e-9 {
		t.Errorf("what can't be had: %+v", p)
	}
}

func TestBlocksFor(t *testing.T) {
	for _, ratio := range []float64{1.02, 1.05, 1.2} {
		n := BlocksFor(ratio, 0.03, 0.95, 0.9)
		if DetectableRatio(0.03, n, 0.95, 0.9) > ratio || DetectableRatio(0.03, n-1, 0.95, 0.9) <= ratio {
			t.Errorf("%v: %d blocks", ratio, n)
		}
		if other := BlocksFor(1/ratio, 0.03, 0.95, 0.9); other != n {
			t.Errorf("%v: %d blocks, its inverse %d", ratio, n, other)
		}
	}
	for _, ratio := range []float64{1, 1.0000001} {
		if n := BlocksFor(ratio, 0.05, 0.95, 0.9); n != 0 {
			t.Errorf("%v in %d blocks", ratio, n)
		}
	}
	if n := BlocksFor(1.1, 0, 0.95, 0.9); n != 2 {
		t.Errorf("without noise: %d blocks", n)
	}
}
