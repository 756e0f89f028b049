//go:build linux

package simulator

import (
	"slices"
	"strings"
	"testing"

	"dyno.example/nano/wire/simulated/shrink"
)

func (sc *Scenario) find(id int) *Request {
	for _, c := range sc.Clients {
		if i := slices.IndexFunc(c.Requests, func(r *Request) bool { return r.ID == id }); i >= 0 {
			return c.Requests[i]
		}
	}
	return nil
}

// Of a world only what it fails of is left.
func TestShrink(t *testing.T) {
	sc := Draw(5, 60)
	sc.Drain, sc.find(7).Do.End = 1e9, "panic"
	if runs := Shrink(sc, func(*Scenario) bool {
		one, other := sc.find(7), sc.find(41)
		return one != nil && other != nil && one.Do.End == "panic" && sc.Drain > 0
	}, shrink.Effort{Runs: 5000}); runs >= 5000 {
		t.Errorf("it comes to no end")
	}
	if n := sc.Size(); n != 4 {
		t.Errorf("%d things happen still:\n%s", n, sc)
	}
	if r := sc.find(41); r.Body != 0 || r.Do.Size != 0 || r.Abort != "" || r.Do.Before != 0 {
		t.Errorf("what is left isn't plain: %s", r)
	}
}

// A real world: what is left of one in which a handler panics does that alone.
func TestShrinkAWorld(t *testing.T) {
	for seed, shrunk := uint64(1), 0; shrunk < 3; seed++ {
		sc := Draw(seed, 60)
		panics := func(sc *Scenario) bool { return strings.Contains(Run(sc, Options{}).Log, "panic") }
		if !panics(sc) {
			continue
		}
		shrunk++
		before := sc.Size()
		runs := Shrink(sc, panics, shrink.Effort{Runs: 1000})
		if n := sc.Size(); n > 2 || !panics(sc) {
			t.Errorf("seed %d: of %d things %d happen still, after %d runs, and it fails: %t\n%s", seed, before, n, runs, panics(sc), sc)
		}
	}
}

// What the judge goes by is so of whatever is left of a world on the way: all of it holds.
func TestShrinkKeepsTheJudgeRight(t *testing.T) {
	for seed := uint64(1); seed <= 60; seed++ {
		sc, n := Draw(seed, 12), 0
		Shrink(sc, func(sc *Scenario) bool {
			if r := Run(sc, Options{}); r.Failed() {
				t.Fatalf("seed %d: %v %v\n%s", seed, r.Err, r.Violations, sc)
			}
			n++
			return n%3 == 0
		}, shrink.Effort{Runs: 60})
	}
}
