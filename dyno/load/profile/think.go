package profile

import (
	"math/rand/v2"
	"time"

	"dyno.example/internal/i18n"
)

// Spread says how think times are distributed around their mean.
type Spread string

const (
	Fixed       Spread = "fixed"       // always the mean
	Exponential Spread = "exponential" // memoryless, as in the closed queueing models (Lazowska et al. 1984)
)

// Think is the pause between a response and the next request on its connection
// in a closed loop: with N connections and mean response time R, the throughput
// is N / (R + mean think time). The zero value is no pause.
type Think struct {
	Mean   time.Duration `json:"mean"`             // ns
	Spread Spread        `json:"spread,omitempty"` // default Fixed
}

// Check reports what is wrong with the think time, or nil.
func (t Think) Check() error {
	if t.Mean < 0 || t.Mean > MaxThink {
		return i18n.Errorf("profile.bad-think-time", "think time must be from 0 to %v, not %v", MaxThink, t.Mean)
	}
	if t.Spread != "" && t.Spread != Fixed && t.Spread != Exponential {
		return i18n.Errorf("profile.unknown-think-spread", "think times %q are neither %q nor %q", t.Spread, Fixed, Exponential)
	}
	return nil
}

// String writes the think time as --think takes it.
func (t Think) String() string {
	if t.Spread == Exponential {
		return "exp:" + ShortDuration(t.Mean)
	}
	return ShortDuration(t.Mean)
}

// Thinker draws one loop's think times: a pure function of Think, seed and part.
type Thinker struct {
	Mean float64 // ns; 0 if there are no pauses
	rng  *rand.Rand
}

// thinkStream keeps the draws apart from those of arrivals and mix, which use
// the streams from 0 and from 1<<32.
const thinkStream = 2 << 32

// Thinker returns the think times of one loop.
func (t Think) Thinker(seed uint64, part int) Thinker {
	s := Thinker{Mean: float64(t.Mean)}
	if t.Spread == Exponential {
		s.rng = rand.New(rand.NewPCG(seed, thinkStream+uint64(part)))
	}
	return s
}

// Next returns the next think time in ns; 0 if there is none. It does not
// allocate.
func (s *Thinker) Next() int64 {
	if s.rng == nil {
		return int64(s.Mean)
	}
	return int64(s.Mean * s.rng.ExpFloat64())
}
