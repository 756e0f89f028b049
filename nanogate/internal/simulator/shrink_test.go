//go:build linux

package simulator

import (
	"slices"
	"strings"
	"testing"

	"dyno.example/nano/wire/simulated/shrink"
)

// Of a world only what it fails of is left.
func TestShrink(t *testing.T) {
	sc := Draw(5, 100)
	sc.Changes = append(sc.Changes, &Change{Kind: "reload"}, &Change{Kind: "drain"})
	find := func(id int) *Request {
		for _, c := range sc.Clients {
			for _, r := range c.Requests {
				if r.ID == id {
					return r
				}
			}
		}
		return nil
	}
	drains := func() bool {
		for _, c := range sc.Changes {
			if c.Kind == "drain" {
				return true
			}
		}
		return false
	}
	find(7).Interims = 2
	if runs := Shrink(sc, func(*Scenario) bool {
		one, other := find(7), find(61)
		return one != nil && other != nil && one.Interims == 2 && drains()
	}, shrink.Effort{Runs: 5000}); runs >= 5000 {
		t.Errorf("it comes to no end")
	}
	if n := sc.Size(); n != 3 || len(sc.Changes) != 1 {
		t.Errorf("%d things happen still:\n%s", n, sc)
	}
	if one := find(7); one.Body != 0 || one.Want != 0 || one.Delay != 0 || one.Abort != "" {
		t.Errorf("what is left isn't plain: %s", one)
	}
}

// Of a large world only the nearest clients are tried at first, so that few runs are large ones.
func TestShrinkGoesUpFromTheNearest(t *testing.T) {
	sc := Draw(5, 3000)
	all, most := len(sc.Clients), 0
	has := func(sc *Scenario, id int) bool {
		for _, c := range sc.Clients {
			for _, r := range c.Requests {
				if r.ID == id {
					return true
				}
			}
		}
		return false
	}
	Shrink(sc, func(sc *Scenario) bool {
		most = max(most, len(sc.Clients))
		return has(sc, 1900) && has(sc, 2000)
	}, shrink.Effort{Runs: 1000, Near: []int{7, 1900, 300, 2000}})
	if sc.Size() != 2 || !has(sc, 1900) || !has(sc, 2000) {
		t.Errorf("%d things happen still:\n%s", sc.Size(), sc)
	}
	if most > 4 {
		t.Errorf("a world with %d clients of %d was run", most, all)
	}
}

// It ends when that is enough, with a world that fails.
func TestShrinkEnds(t *testing.T) {
	for n := range 40 {
		sc := Draw(5, 100)
		asked, fails := 0, func(sc *Scenario) bool { return len(sc.Clients) > 2 && sc.Size() > 20 }
		Shrink(sc, func(sc *Scenario) bool { asked++; return fails(sc) }, shrink.Effort{Runs: 1000, Enough: func() bool { return asked >= n }})
		if asked > n || !fails(sc) {
			t.Fatalf("%d runs of %d, and %d things happen", asked, n, sc.Size())
		}
	}
}

// What the judge knows of a route is so of what is left of it: which guard refuses a request isn't
// said of each, and how often one is sent again is the line's.
func TestShrinkKeepsTheJudgeRight(t *testing.T) {
	for seed := range uint64(300) {
		sc := Draw(seed, 20)
		n := 0
		Shrink(sc, func(sc *Scenario) bool {
			for _, r := range sc.Routes {
				guards, off := 0, 0
				for _, l := range r.Lines {
					name, _, _ := strings.Cut(l.Text, ":")
					if slices.Contains([]string{"deny", "csrf", "keys"}, name) {
						if guards++; l.Off {
							off++
						}
					}
					if name == "retry" && l.Off && r.retry != 2 {
						t.Fatalf("%s is off, and the judge takes it for %d", l.Text, r.retry)
					}
				}
				if off != 0 && off != guards {
					t.Fatalf("some guards are off: %s", r)
				}
			}
			n++
			return n%3 == 0
		}, shrink.Effort{Runs: 60})
	}
}

// A real world: what is left of one in which a request gets a 502 does that with hardly more.
func TestShrinkAWorld(t *testing.T) {
	for seed, shrunk := uint64(1), 0; shrunk < 3; seed++ {
		sc := Draw(seed, 100)
		gets := func(sc *Scenario) bool { return Run(sc, Options{}).Counts["502"] > 0 }
		if !gets(sc) {
			continue
		}
		shrunk++
		before := sc.Size()
		runs := Shrink(sc, gets, shrink.Effort{Runs: 1000})
		if n := sc.Size(); n > 3 || !gets(sc) {
			t.Errorf("seed %d: of %d things %d happen still, after %d runs, and it fails: %t\n%s", seed, before, n, runs, gets(sc), sc)
		}
	}
}
