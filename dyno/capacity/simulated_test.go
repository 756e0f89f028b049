package capacity

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"dyno.example/internal/i18n"
)

// simulated is a service whose objective fails with a chance that rises from 0
// to 1 around its capacity, and a generator with a limit of its own.
type simulated struct {
	capacity float64
	fuzzy    float64 // share of the capacity over which the chance rises
	short    float64 // share by which trials of a second overrate it: their queue has no time to grow
	ceiling  float64 // of the generator; 0: none
	useless  bool    // no trial has a window that can be used
	noisy    float64 // rate above which every trial is disturbed; 0: none
	spoiled  float64 // chance of a trial that a disturbance spoils
	rng      *rand.Rand
	asked    []Ask
	settled  int
}

func newSimulated(capacity float64) *simulated {
	return &simulated{capacity: capacity, rng: rand.New(rand.NewPCG(1, 2))}
}

func (s *simulated) Ceiling(context.Context) (Ceiling, error) {
	time.Sleep(ceilingTime)
	rate := 1.1 * s.capacity
	if s.ceiling > 0 {
		rate = min(rate, s.ceiling)
	}
	return Ceiling{Rate: rate}, nil
}

func (s *simulated) Trial(ctx context.Context, ask Ask) (Trial, error) {
	if ctx.Err() != nil {
		return Trial{}, ctx.Err()
	}
	time.Sleep(ask.Length)
	s.asked = append(s.asked, ask)
	t := Trial{Length: ask.Length, Decision: Holds, Throughput: min(ask.Rate, s.capacity), Requests: uint64(ask.Rate)}
	capacity := s.capacity
	if ask.Length <= time.Second {
		capacity *= 1 + s.short
	}
	chance := 0.0
	if ask.Rate > capacity {
		chance = 1
	}
	if s.fuzzy > 0 {
		chance = 1 / (1 + math.Exp((capacity-ask.Rate)/(s.fuzzy*capacity)))
	}
	switch {
	case s.useless:
		t.Decision, t.Useless, t.Why = Spoiled, true, i18n.Verbatim("disturbed")
	case s.rng.Float64() < s.spoiled || s.noisy > 0 && ask.Rate > s.noisy:
		t.Decision, t.Why = Spoiled, i18n.Verbatim("disturbed")
	case s.ceiling > 0 && ask.Rate > s.ceiling:
		t.Decision, t.Limited, t.Why = Spoiled, true, i18n.Verbatim("generator-full")
	case s.rng.Float64() < chance:
		t.Decision = Fails
		t.Terms = []Term{{"p99 < 10ms", "fails", i18n.Verbatim("p99 = 20ms")}, {"errors < 1%", "holds", i18n.Verbatim("errors = 0%")}}
	}
	return t, nil
}

func (s *simulated) Settle(context.Context) (time.Duration, error) {
	s.settled++
	return 0, nil
}
