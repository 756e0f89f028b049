package middleware

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"dyno.example/nano"
)

// BreakerConfig is how [Breaker] works.
type BreakerConfig struct {
	// Ratio is the share of failures from which on the breaker opens; default 0.5.
	Ratio float64
	// Min is how many requests there must have been in the window; default 20.
	Min int
	// Window is what is looked back on, in ten steps; default 10 s.
	Window time.Duration
	// Open is how long requests are refused before some are tried; default 5 s.
	Open time.Duration
	// Trials is how many requests are tried at a time, and have to succeed for the
	// breaker to close; default 3.
	Trials int
	// Failed reports whether a request failed. The default is every response of status
	// 500 and above, but not those of clients that have gone (Outcome.Gone, or an error
	// that matches context.Canceled): a client that hangs up often must not open the
	// circuit for all others.
	Failed func(nano.Outcome) bool
	// Changed is called when the state changes. It must not block.
	Changed func(c nano.Ctx, from, to BreakerState)
}

// BreakerState is what a breaker does with requests.
type BreakerState uint8

const (
	BreakerClosed   BreakerState = iota // all are let through
	BreakerOpen                         // all are refused
	BreakerHalfOpen                     // some are let through, as trials
)

func (s BreakerState) String() string { return [...]string{"closed", "open", "half-open"}[s] }

// Breaker refuses requests with 503 and Retry-After while those before them have
// failed, so that what is behind a handler can recover and clients don't wait
// for what will fail. Every route has a breaker of its own; requests that no route
// matches share one.
func Breaker(config BreakerConfig) nano.Middleware {
	config.setDefaults()
	start := time.Now()
	return config.middleware(func() int64 { return int64(time.Since(start)) })
}

func (config BreakerConfig) middleware(now func() int64) nano.Middleware {
	return func(next nano.Handler) nano.Handler {
		b := &breaker{BreakerConfig: config, now: now}
		after := b.after
		return func(c nano.Ctx) error {
			switch trial, wait := b.enter(c); {
			case wait > 0:
				c.SetHeader("Retry-After", strconv.FormatInt(seconds(wait), 10))
				return nano.NewProblem(503, "the service has failed repeatedly; see Retry-After")
			case trial > 0:
				c.AfterResponse(func(c nano.Ctx, o nano.Outcome) { b.afterTrial(c, o, trial) })
			default:
				c.AfterResponse(after)
			}
			return next(c)
		}
	}
}

func (config *BreakerConfig) setDefaults() {
	if config.Ratio == 0 {
		config.Ratio = 0.5
	}
	if config.Min == 0 {
		config.Min = 20
	}
	if config.Window == 0 {
		config.Window = 10 * time.Second
	}
	if config.Open == 0 {
		config.Open = 5 * time.Second
	}
	if config.Trials == 0 {
		config.Trials = 3
	}
	if config.Failed == nil {
		config.Failed = func(o nano.Outcome) bool {
			return o.Status >= 500 && !o.Gone && !errors.Is(o.Err, context.Canceled)
		}
	}
	if config.Ratio < 0 || config.Ratio > 1 || config.Min < 0 || config.Window < steps || config.Open < 0 || config.Trials < 0 {
		panic(fmt.Sprintf("middleware: BreakerConfig can't work: ratio %v (0 to 1), min %d, window %v, open %v, trials %d", config.Ratio, config.Min, config.Window, config.Open, config.Trials))
	}
}

// steps is how many parts the window has.
const steps = 10

// breaker is that of one route.
type breaker struct {
	BreakerConfig
	now func() int64 // ns

	mu     sync.Mutex
	state  BreakerState
	until  int64 // when open, when trials begin
	round  int64 // number of the newest half-open state
	trials int   // of this round that are under way
	passed int   // trials of this round that have succeeded
	step   int64 // number of the newest step
	counts [steps]struct{ all, failed int }
}

// enter admits a request, or refuses it for wait > 0 ns. trial is the half-open round
// that the request is a trial of, if it is one.
func (b *breaker) enter(c nano.Ctx) (trial, wait int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == BreakerClosed {
		return 0, 0
	}
	if now := b.now(); b.state == BreakerOpen {
		if now < b.until {
			return 0, b.until - now
		}
		b.round++
		b.change(c, BreakerHalfOpen)
	}
	if b.trials+b.passed >= b.Trials {
		return 0, int64(time.Second)
	}
	b.trials++
	return b.round, 0
}

// after counts a request.
func (b *breaker) after(c nano.Ctx, o nano.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != BreakerClosed {
		return // from before it opened
	}
	n := &b.counts[b.advance()]
	n.all++
	if !b.Failed(o) {
		return
	}
	n.failed++
	all, failed := 0, 0
	for _, n := range b.counts {
		all, failed = all+n.all, failed+n.failed
	}
	if all >= b.Min && float64(failed) >= b.Ratio*float64(all) {
		b.open(c)
	}
}

// afterTrial decides by how a trial of a round ended.
func (b *breaker) afterTrial(c nano.Ctx, o nano.Outcome, round int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != BreakerHalfOpen || b.round != round {
		return // another trial of its round has decided
	}
	b.trials--
	if b.Failed(o) {
		b.open(c)
	} else if b.passed++; b.passed >= b.Trials {
		clear(b.counts[:])
		b.change(c, BreakerClosed)
	}
}

// advance moves the window on to now and returns the index of its newest step.
func (b *breaker) advance() int64 {
	step := b.now() / (int64(b.Window) / steps)
	if step-b.step >= steps {
		clear(b.counts[:])
		b.step = step
	}
	for b.step < step {
		b.step++
		b.counts[b.step%steps] = struct{ all, failed int }{}
	}
	return step % steps
}

func (b *breaker) open(c nano.Ctx) {
	b.until = b.now() + int64(b.Open)
	b.change(c, BreakerOpen)
}

func (b *breaker) change(c nano.Ctx, to BreakerState) {
	from := b.state
	b.state, b.trials, b.passed = to, 0, 0
	if b.Changed != nil {
		b.Changed(c, from, to)
	}
}
