package middleware

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"dyno.example/nano"
)

// ThrottleConfig is how [Throttle] works.
type ThrottleConfig struct {
	// Running is how many requests may be in the handler at a time. It is needed.
	Running int
	// Waiting is how many more may wait for their turn; default none.
	Waiting int
	// Patience is how long one waits at most; default 10 s.
	Patience time.Duration
	// RetryAfter is sent with refusals; default 1 s.
	RetryAfter time.Duration
}

// Throttle bounds how many requests its handlers work on at a time. Further requests
// wait, off the event loop; those beyond the queue get a 503 with Retry-After. One
// Throttle has one count, for all routes that it is put on.
func Throttle(config ThrottleConfig) nano.Middleware {
	if config.Running <= 0 || config.Waiting < 0 || config.Patience < 0 {
		panic(fmt.Sprintf("middleware: ThrottleConfig needs Running above 0, and Waiting and Patience not below: %+v", config))
	}
	if config.Patience == 0 {
		config.Patience = 10 * time.Second
	}
	if config.RetryAfter <= 0 {
		config.RetryAfter = time.Second
	}
	running := make(chan struct{}, config.Running)
	waiting := make(chan struct{}, config.Waiting)
	after := strconv.Itoa(int((config.RetryAfter + time.Second - 1) / time.Second))
	refused := func(c nano.Ctx, why string) error {
		c.SetHeader("Retry-After", after)
		return nano.NewProblem(503, why)
	}
	// turn waits for one of the running to leave.
	turn := func(c nano.Ctx) error {
		select {
		case waiting <- struct{}{}:
		default:
			return refused(c, "too many requests are waiting")
		}
		defer func() { <-waiting }()
		patience := time.NewTimer(config.Patience)
		defer patience.Stop()
		select {
		case running <- struct{}{}:
			return nil
		case <-patience.C:
			return refused(c, "the request has waited too long")
		case <-c.Context().Done():
			return fmt.Errorf("%w while waiting for its turn: %w", nano.ErrAborted, context.Cause(c.Context()))
		}
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			select {
			case running <- struct{}{}:
			default:
				if err := turn(c); err != nil {
					return err
				}
			}
			defer func() { <-running }()
			return next(c)
		}
	}
}
