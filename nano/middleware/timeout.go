package middleware

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"dyno.example/nano"
)

// TimeoutConfig is how [Timeout] works.
type TimeoutConfig struct {
	// After is how long a handler may take. It is needed.
	After time.Duration
	// Hard sends a 503 at the deadline also if the handler ignores its context; see
	// [Timeout].
	Hard bool
	// MaxResponse bounds the response in bytes, which Hard keeps in memory; default 16
	// MiB. A larger one becomes a 500.
	MaxResponse int64
	// MaxRunning bounds the handlers that Hard has running at a time, late ones
	// included; further requests get a 503. Default 4096.
	MaxRunning int64
}

// ErrTimeout is the cause of a context that [Timeout] has ended, and behind its 503.
var ErrTimeout = errors.New("middleware: the handler's time is up")

// Timeout gives handlers a deadline: their context ends with it.
//
// By default that is all. What takes a context (a database, an HTTP client)
// fails at the deadline, the handler returns the error, and the response becomes
// 503. A handler that goes on regardless keeps its client waiting. It costs a
// timer and works with streams, whose handlers should return nil at the deadline.
// Where half of the time or more went into waiting for the client to send its body,
// the response is 408.
//
// With Hard the client gets its response in time whatever the handler does. The handler
// runs on a goroutine of its own, with a copy of the request, and its response is kept
// in memory: see [nano.Ctx.Detached]. When it is late its response is discarded, and
// its Ctx works on the copy until it returns, so nothing is shared with later requests.
// A handler that never returns can't be ended: Go can't kill goroutines. MaxRunning
// bounds how many there may be. Streams and upgrades don't work inside it.
func Timeout(config TimeoutConfig) nano.Middleware {
	if config.After <= 0 {
		panic(fmt.Sprintf("middleware: TimeoutConfig.After is %v; it must be positive", config.After))
	}
	if config.Hard {
		return hardTimeout(config)
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			outer := c.Context()
			ctx, cancel := context.WithTimeoutCause(outer, config.After, ErrTimeout)
			defer cancel()
			c.SetContext(ctx)
			err := next(c)
			c.SetContext(outer)
			if err != nil && !c.Responded() && context.Cause(ctx) == ErrTimeout {
				if c.BodyWait() >= config.After/2 {
					return nano.NewProblem(408, "the request's body came too slowly").Because(err)
				}
				return tooLate(err)
			}
			return err
		}
	}
}

func hardTimeout(config TimeoutConfig) nano.Middleware {
	if config.MaxResponse == 0 {
		config.MaxResponse = 16 << 20
	}
	if config.MaxRunning == 0 {
		config.MaxRunning = 4096
	}
	var running atomic.Int64
	return func(next nano.Handler) nano.Handler {
		counted := func(c nano.Ctx) error {
			defer running.Add(-1)
			return next(c)
		}
		return func(c nano.Ctx) error {
			// Before the request is counted: Detached doesn't run the handler, which
			// uncounts it, when the body can't be read or a response has been sent. And
			// before its time begins: a client that sends slowly has limits of its own.
			if _, err := c.Body(); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(c.Context(), config.After, ErrTimeout)
			defer cancel()
			if c.Responded() {
				return nano.ErrResponded
			}
			if running.Add(1) > config.MaxRunning {
				running.Add(-1)
				return nano.NewProblem(503, "too many requests are being served")
			}
			err := c.Detached(ctx, config.MaxResponse, counted)
			cause := context.Cause(ctx)
			switch {
			case err == nil || cause == nil || c.Responded():
				return err
			case cause == ErrTimeout:
				return tooLate(err)
			}
			return fmt.Errorf("%w: %w", nano.ErrAborted, err) // the client has gone
		}
	}
}

func tooLate(err error) error {
	if !errors.Is(err, ErrTimeout) {
		err = fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return nano.NewProblem(503, "the request took too long").Because(err)
}
