package upstream

import (
	"testing"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/config"
)

// instances are at the ports from 9001 on.
func instances(t *testing.T, zones ...string) (all []Instance) {
	t.Helper()
	for i, zone := range zones {
		a, err := config.ParseAddress("127.0.0.1:" + []string{"9001", "9002", "9003", "9004", "9005", "9006"}[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Instance{Address: a, Weight: 1, Zone: zone})
	}
	return all
}

// Endpoints that come later, or come back, have a small share at first and in the end
// their whole one; those that were there from the start have it at once.
func TestSlowStart(t *testing.T) {
	const over = 10 * time.Second
	u := (&Registry{Loops: 1}).New(&config.Upstream{Name: "u", SlowStart: over, Balance: config.Balance{Kind: config.RoundRobin}}, Parts{})
	t.Cleanup(u.Close)
	all := instances(t, "", "")
	u.Update(all[:1])
	if u.Set().All[0].Warm() != 100 {
		t.Error("the first endpoints start slowly, and there is nobody else to ask")
	}
	before := clock.Now()
	u.Update(all)
	second := u.Set().All[1]
	share := func() int { return counts(u, nil, 1100)[second.Name] }
	if got := share(); got != 100 {
		t.Errorf("at first it has %d of 1100", got)
	}
	u.warm(over, second.chilled+int64(over)/2)
	if got := share(); got < 360 || got > 370 {
		t.Errorf("halfway it has %d of 1100, want a third", got)
	}
	u.Update(all) // which changes nothing
	u.warm(over, second.chilled+int64(over))
	if got := share(); got != 550 || second.Warm() != 100 {
		t.Errorf("in the end it has %d of 1100", got)
	}
	u.Mark(second, Unhealthy, true, "")
	u.Mark(second, Ejected, true, "")
	u.Mark(second, Unhealthy, false, "")
	if second.Warm() != 100 {
		t.Error("it starts while it isn't asked")
	}
	u.Mark(second, Ejected, false, "")
	if second.Warm() != coldest || second.chilled < before {
		t.Errorf("after it was left out it is at %d percent", second.Warm())
	}
}

// Requests stay in their zone as far as it can take them.
func TestZones(t *testing.T) {
	for _, kind := range []config.BalanceKind{config.LeastRequest, config.RoundRobin, config.EWMA} {
		u := (&Registry{Loops: 1}).New(&config.Upstream{Name: "u", Zone: "a", Balance: config.Balance{Kind: kind}}, Parts{})
		t.Cleanup(u.Close)
		u.Update(instances(t, "a", "a", "a", "b", "b", ""))
		near := func() (n int) {
			for name, k := range counts(u, nil, 10_000) {
				if name <= "127.0.0.1:9003" {
					n += k
				}
			}
			return n
		}
		if got := near(); got != 10_000 {
			t.Errorf("%v: with all well %d of 10000 stay", kind, got)
		}
		all := u.Set().All
		u.Mark(all[0], Unhealthy, true, "")
		if got := near(); got < 9000 || got > 9700 { // 1.4 * 2/3
			t.Errorf("%v: with two of three %d of 10000 stay, want 9333", kind, got)
		}
		u.Mark(all[1], Unhealthy, true, "")
		if got := near(); got < 4300 || got > 5100 { // 1.4 * 1/3
			t.Errorf("%v: with one of three %d of 10000 stay, want 4667", kind, got)
		}
		l := &Local{Seed: 7}
		for range 1000 {
			if e := u.Pick(nil, l, all[2]); e == all[2] {
				t.Fatalf("%v: the one nearby that was tried is picked again", kind)
			}
		}
		u.Mark(all[2], Unhealthy, true, "")
		if got := near(); got != 0 {
			t.Errorf("%v: with none %d of 10000 stay", kind, got)
		}
		for _, e := range all[3:] {
			u.Mark(e, Unhealthy, true, "")
		}
		if got := near(); got < 4000 || got > 6000 {
			t.Errorf("%v: when nobody is well %d of 10000 stay, want half", kind, got)
		}
	}
}
