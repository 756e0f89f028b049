package netconn

import (
	"fmt"
	"os"
	"time"
)

var ErrStalled = fmt.Errorf("nano: the client doesn't take the response: %w", os.ErrDeadlineExceeded)

// Pace is how a client keeps up a rate, as a bucket of time: waiting for it takes
// out, every byte that it sends or takes puts 1/rate seconds in. So silence counts
// like dripping, and what came fast long ago doesn't pay for being slow now. The
// zero value is ready.
type Pace struct {
	left  time.Duration
	begun bool
}

const (
	RateGrace = 5 * time.Second  // what the bucket of a body holds at first
	MostGrace = 30 * time.Second // what it can hold, if no limit needs more
)

// Begin fills the bucket.
func (p *Pace) Begin(with time.Duration) {
	if !p.begun {
		p.left, p.begun = with, true
	}
}

// Spend takes out the time that was waited and puts in what n bytes are worth at
// the rate, in bytes per second, up to most. It reports whether the client is too
// slow. rate <= 0: it never is.
func (p *Pace) Spend(n int64, waited time.Duration, rate int, most time.Duration) (late bool) {
	if rate <= 0 {
		return false
	}
	most = max(most, MostGrace)
	p.left -= waited
	if n >= int64(rate)*int64(most/time.Second+1) { // also where the product below would overflow
		p.left = most
	} else {
		p.left = min(p.left+time.Duration(n)*time.Second/time.Duration(rate), most)
	}
	return p.left < 0
}

// Patience returns how long to wait at most: for limit, but not beyond what the
// bucket holds. <= 0: for ever.
func (p *Pace) Patience(limit time.Duration, rate int) time.Duration {
	if rate <= 0 {
		return limit
	}
	left := max(p.left, 0) + time.Millisecond // so that it is late after that
	if limit <= 0 {
		return left
	}
	return min(limit, left)
}
