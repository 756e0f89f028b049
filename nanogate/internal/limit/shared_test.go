package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// common is a ledger of gateways in one process, on a clock of the test's.
type common struct {
	full  map[[16]byte]int64
	every int64
	now   *int64
	peers int
	err   error
}

func (c *common) Settle(_ context.Context, entries []Entry) error {
	if c.err != nil {
		return c.err
	}
	for i := range entries {
		e := &entries[i]
		c.full[e.Key] = max(c.full[e.Key], *c.now-int64(e.Age)) + int64(e.N)*c.every
		e.Ahead = time.Duration(c.full[e.Key] - *c.now)
	}
	return nil
}

func (c *common) Peers(context.Context) (int, error) { return c.peers, c.err }
func (c *common) Close()                             {}

// fleet is so many gateways with a limit in common; none of them settles by itself.
func fleet(n int, rules config.Rate, now *int64) ([]*Shared, *common) {
	if rules.Redis == nil {
		rules.Redis = &config.Redis{}
	}
	rules.Keys = 1000
	ledger := &common{map[[16]byte]int64{}, int64(rules.Per) / int64(rules.Requests), now, n, nil}
	var all []*Shared
	for range n {
		all = append(all, NewShared("test", rules, ledger))
	}
	return all, ledger
}

// Whatever comes when and where, gateways together admit no more than what is promised,
// and hardly less than the rate.
func TestSharedHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		gateways, rate, burst int
		delay                 time.Duration // until what was admitted is settled
		every                 time.Duration // mean time between requests
	}{
		{2, 100, 10, 10 * time.Millisecond, time.Millisecond},
		{5, 100, 1, 50 * time.Millisecond, 500 * time.Microsecond},
		{3, 1000, 1000, 100 * time.Millisecond, 200 * time.Microsecond},
		{4, 10, 5, 100 * time.Millisecond, 150 * time.Millisecond},
		{1, 50, 20, 100 * time.Millisecond, time.Millisecond},
	} {
		now := int64(1e9)
		all, _ := fleet(c.gateways, config.Rate{Requests: c.rate, Per: time.Second, Burst: c.burst}, &now)
		settled := make([]int64, c.gateways)
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		var admitted []int64
		first, asked := now, 0
		for now < first+int64(4*time.Second) {
			now += random.Int64N(2*int64(c.every) + 1)
			if random.IntN(500) == 0 {
				now += int64(time.Second) * int64(c.burst) / int64(c.rate) // some silence
			}
			for g, one := range all {
				if now-settled[g] >= int64(c.delay) {
					settled[g] = now
					if err := one.settle(t.Context(), func() int64 { return now }); err != nil {
						t.Fatal(err)
					}
				}
			}
			r.Now = now
			asked++
			if all[random.IntN(c.gateways)].Check(r) == nil {
				admitted = append(admitted, now)
			}
		}
		delay := c.delay + 2*c.every
		for i := range admitted {
			for _, j := range []int{i + c.burst, i + 100, len(admitted) - 1} {
				if j <= i || j >= len(admitted) {
					continue
				}
				most := float64(c.rate)*time.Duration(admitted[j]-admitted[i]).Seconds() + float64(c.gateways)*(float64(c.burst)+1+float64(c.rate)*delay.Seconds())
				if float64(j-i+1) > most {
					t.Fatalf("%+v: %d requests in %v, at most %.0f may", c, j-i+1, time.Duration(admitted[j]-admitted[i]), most)
				}
			}
		}
		offered := float64(asked)
		could := min(offered, float64(c.rate)*time.Duration(now-first).Seconds())
		if float64(len(admitted)) < 0.9*could {
			t.Errorf("%+v: %d were admitted of %.0f that may", c, len(admitted), could)
		}
	}
}

// What others have admitted is missing here, once it is settled; what is owed since then
// is not forgotten.
func TestSharedLearns(t *testing.T) {
	now := int64(1e9)
	all, _ := fleet(2, config.Rate{Requests: 1, Per: time.Minute, Burst: 3}, &now)
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	clock := func() int64 { return now }
	admit := func(g *Shared) bool {
		r.Now = now
		return g.Check(r) == nil
	}
	settle := func(g *Shared) {
		if err := g.settle(t.Context(), clock); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range all {
		if !admit(g) {
			t.Fatal("the first is refused")
		}
	}
	settle(all[0])
	settle(all[1]) // which knows of both now
	if !admit(all[1]) || admit(all[1]) {
		t.Error("the second gateway doesn't count what the first has admitted")
	}
	settle(all[1])
	if !admit(all[0]) {
		t.Error("the first gateway can't know of more")
	}
	settle(all[0])
	now += int64(time.Minute) // four admitted, three may be at once: a minute is owed
	if admit(all[0]) {
		t.Error("what was admitted beyond the burst isn't missing later")
	}
	now += int64(time.Minute)
	if !admit(all[0]) {
		t.Error("it is missing for longer than that")
	}
}

// Who keeps to the rate, at one gateway, is never refused, however late that is settled.
func TestSharedRefusesNobodyWithinTheRate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	now := int64(1e9)
	all, _ := fleet(3, config.Rate{Requests: 10, Per: time.Second, Burst: 1}, &now)
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	for n := range 500 {
		now += int64(100 * time.Millisecond)
		if r.Now = now; all[0].Check(r) != nil {
			t.Fatalf("request %d is refused", n)
		}
		now += random.Int64N(int64(90 * time.Millisecond))
		before := now
		if err := all[0].settle(t.Context(), func() int64 { return now }); err != nil {
			t.Fatal(err)
		}
		now = before - (before-int64(1e9))%int64(100*time.Millisecond) // the next comes on time
	}
}

// Without the ledger each gateway does what the rules say, and settles what it admitted
// meanwhile when it is back.
func TestSharedAway(t *testing.T) {
	for _, c := range []struct {
		away config.Away
		want int // of 12 at once
	}{{config.AwayShare, 3}, {config.AwayAll, 12}, {config.AwayRefuse, 0}} {
		now := int64(1e9)
		all, ledger := fleet(4, config.Rate{Requests: 12, Per: time.Minute, Burst: 12, Redis: &config.Redis{Away: c.away}}, &now)
		g := all[0]
		clock := func() int64 { return now }
		if err := g.count(t.Context()); err != nil {
			t.Fatal(err)
		}
		ledger.err = errors.New("it is away")
		g.note(g.count(t.Context()))
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		r.Now = now
		admitted, last := 0, (*request.Reply)(nil)
		for range 12 {
			if a := g.Check(r); a == nil {
				admitted++
			} else {
				last = a
			}
		}
		if admitted != c.want || !g.Away() {
			t.Errorf("%v: %d were admitted, want %d", c.away, admitted, c.want)
		}
		if c.away == config.AwayRefuse && last.Status != 503 {
			t.Errorf("refused with %d", last.Status)
		}
		g.note(g.settle(t.Context(), clock))
		ledger.err = nil
		g.note(g.settle(t.Context(), clock))
		var debt time.Duration
		for _, full := range ledger.full {
			debt = time.Duration(full - now)
		}
		if g.Away() || debt != time.Duration(c.want)*5*time.Second {
			t.Errorf("%v: when it is back, %v are owed", c.away, debt)
		}
	}
}

// Deciding allocates nothing, also while much is owed; what is owed has bounds.
func TestSharedIsBounded(t *testing.T) {
	now := int64(1e9)
	all, ledger := fleet(1, config.Rate{Requests: 1000, Per: time.Second, Burst: 1}, &now)
	g := all[0]
	ledger.err = errors.New("it is away")
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	for n := range uint32(5_000) {
		r.Client = netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		now += 100_000
		r.Now = now
		g.Check(r)
		if n%100 == 0 {
			g.note(g.settle(t.Context(), func() int64 { return now }))
		}
	}
	owed := 0
	for i := range g.owed {
		owed += len(g.owed[i].keys)
	}
	if owed > 1000 {
		t.Errorf("%d keys are owed", owed)
	}
	if n := testing.AllocsPerRun(1000, func() { r.Now += 1e9; g.Check(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
