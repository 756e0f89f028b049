package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"
)

// Failure is why a call of a guest came to nothing.
type Failure struct {
	Reason Reason
	Err    error
	Said   string // what the guest wrote to its standard output and error meanwhile, the end of it
}

// Reason is the kind of a failure.
type Reason uint8

const (
	Trapped   Reason = iota // it panicked, ran out of memory or stack, or did what no module may
	Late                    // it took longer than it may, and was stopped
	Exited                  // it ended itself
	Forbidden               // it called a host function that it may not use, or not at that time
	Unstarted               // another instance of it couldn't be made
	Crowded                 // there was no turn for it in time

	Reasons = iota // how many there are
)

// String is the reason's name in logs and metrics.
func (r Reason) String() string {
	return [...]string{"trapped", "late", "exited", "forbidden", "unstarted", "crowded"}[r]
}

func (f *Failure) Error() string { return f.Reason.String() + ": " + f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// forbidden is what host functions panic with: the runtime makes it the error of the
// call.
type forbidden struct{ text string }

func (f *forbidden) Error() string { return f.text }

func forbid(format string, args ...any) { panic(&forbidden{fmt.Sprintf(format, args...)}) }

// failureOf classifies the runtime's error that ended a call.
func failureOf(err error) *Failure {
	var exit *sys.ExitError
	var refused *forbidden
	switch {
	case errors.As(err, &refused):
		return &Failure{Reason: Forbidden, Err: refused}
	case errors.As(err, &exit) && (exit.ExitCode() == sys.ExitCodeDeadlineExceeded || exit.ExitCode() == sys.ExitCodeContextCanceled),
		errors.Is(err, context.DeadlineExceeded):
		return &Failure{Reason: Late, Err: errLate}
	case errors.As(err, &exit):
		return &Failure{Reason: Exited, Err: fmt.Errorf("it exited with the code %d", exit.ExitCode())}
	}
	return &Failure{Reason: Trapped, Err: err}
}

var errLate = errors.New("it took longer than it may, and was stopped")

// brief is the first line of an error: the runtime puts a trace of the guest's functions
// below.
func brief(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
