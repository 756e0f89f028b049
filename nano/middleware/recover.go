package middleware

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"dyno.example/nano"
)

// RecoverConfig is how [Recover] works.
type RecoverConfig struct {
	// Problem makes the error that goes on from a panic. The default is the [Panic]
	// itself, which becomes a 500 and is logged with its stack.
	Problem func(c nano.Ctx, p *Panic) error
}

// Panic is what a handler panicked with. The client doesn't see it.
type Panic struct {
	Value any
	Stack []byte // of the goroutine, as by debug.Stack
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error { err, _ := p.Value.(error); return err }

// LogValue makes logs show the stack too.
func (p *Panic) LogValue() slog.Value {
	return slog.GroupValue(slog.String("panic", fmt.Sprint(p.Value)), slog.String("stack", string(p.Stack)))
}

// Recover turns a panic further inside into an error, so that the error handler
// responds to it as to any other, with the fields that middleware has set. The app
// survives panics without it too, and responds with a bare 500.
//
// A panic with http.ErrAbortHandler becomes [nano.ErrAborted].
func Recover(config RecoverConfig) nano.Middleware {
	problem := config.Problem
	if problem == nil {
		problem = func(_ nano.Ctx, p *Panic) error { return p }
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) (err error) {
			returned := false
			defer func() {
				if returned {
					return
				}
				if v := recover(); v != nil { // nil: runtime.Goexit
					err = recovered(c, v, problem)
				}
			}()
			err = next(c)
			returned = true
			return err
		}
	}
}

func recovered(c nano.Ctx, v any, problem func(nano.Ctx, *Panic) error) error {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return nano.ErrAborted
	}
	return problem(c, &Panic{v, debug.Stack()})
}
