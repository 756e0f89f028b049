package upstream

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Local is what a loop brings along to pick: no two loops share one.
type Local struct {
	Loop int
	Seed uint64 // of its random numbers; not 0
}

// Random returns the loop's next random number (xorshift64*, Vigna 2016).
func (l *Local) Random() uint64 {
	x := l.Seed
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	l.Seed = x
	return x * 0x2545F4914F6CDD1D
}

// below returns a random number below n.
func (l *Local) below(n int) int { return int((l.Random() >> 32) * uint64(n) >> 32) }

// Pick returns the endpoint for a request, nil if there is none. It avoids one that
// was tried already, if it has another.
func (u *Upstream) Pick(r *request.Request, l *Local, tried *Endpoint) *Endpoint {
	s := u.set.Load()
	if s.ring == nil {
		s = s.of(l, tried)
	}
	switch len(s.Usable) {
	case 0:
		return nil
	case 1:
		return s.Usable[0]
	}
	var e *Endpoint
	switch u.Config.Balance.Kind {
	case config.RoundRobin:
		e = s.inTurn(&u.turns[l.Loop%turnShards])
	case config.EWMA:
		e = s.better(l, ewmaCost)
	case config.Hash:
		return s.ring.pick(u, u.key(r, l), tried)
	default:
		e = s.better(l, load)
	}
	if e == tried {
		e = s.other(l, tried)
	}
	return e
}

// Find returns the usable endpoint with that ID, nil if there is none.
func (s *Set) Find(id uint64) *Endpoint {
	for _, e := range s.Usable {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// other draws any endpoint but one.
func (s *Set) other(l *Local, but *Endpoint) *Endpoint {
	at := l.below(len(s.Usable))
	if s.Usable[at] == but {
		at = (at + 1) % len(s.Usable)
	}
	return s.Usable[at]
}

// better draws two endpoints by weight and returns the one with the lower cost
// (Mitzenmacher 2001, the power of two choices).
func (s *Set) better(l *Local, cost func(*Endpoint) float64) *Endpoint {
	a, b := s.draw(l), s.draw(l)
	if a == b {
		b = s.other(l, a)
	}
	if cost(b) < cost(a) {
		return b
	}
	return a
}

// draw returns an endpoint at random, by weight.
func (s *Set) draw(l *Local) *Endpoint {
	if s.round != nil {
		return s.Usable[s.round[l.below(len(s.round))]]
	}
	return s.Usable[l.below(len(s.Usable))]
}

// load is how many requests an endpoint would have under way for its weight.
func load(e *Endpoint) float64 {
	return float64(e.under.Load()+1) / float64(e.share())
}

// ewmaCost is how long a request would wait there: the mean response time for each of
// those under way. An endpoint without requests so far costs nothing.
func ewmaCost(e *Endpoint) float64 { return e.Cost() * load(e) }

// inTurn returns the next endpoint of the round.
func (s *Set) inTurn(t *turn) *Endpoint {
	n := t.next.Add(1)
	if s.round != nil {
		return s.Usable[s.round[n%uint32(len(s.round))]]
	}
	return s.Usable[n%uint32(len(s.Usable))]
}

// mostRound bounds the round of weighted endpoints.
const mostRound = 4096

// weigh makes the order of weighted endpoints: each as often as its weight says, and
// evenly spread (smooth weighted round robin, as nginx's).
func (s *Set) weigh() {
	even, common := true, 0
	for _, e := range s.Usable {
		w := e.share()
		s.weight += w
		even = even && w == s.Usable[0].share()
		common = divisor(common, w)
	}
	if even || len(s.Usable) > mostRound {
		return
	}
	// Weights are made smaller in proportion when the round would get too long.
	scale := max(float64(common), float64(s.weight)/mostRound)
	weights, current, total := make([]int, len(s.Usable)), make([]int, len(s.Usable)), 0
	for i, e := range s.Usable {
		weights[i] = max(1, int(float64(e.share())/scale))
		total += weights[i]
	}
	s.round = make([]uint16, 0, total)
	for range total {
		best := 0
		for i := range weights {
			current[i] += weights[i]
			if current[i] > current[best] {
				best = i
			}
		}
		current[best] -= total
		s.round = append(s.round, uint16(best))
	}
}

// divisor is the greatest common one.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
