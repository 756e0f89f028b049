// Command dyno is the command line of the performance laboratory.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"dyno/lab/calibrate"
	"dyno/lab/subject"
)

// Exit codes, the same for all commands.
const (
	exitFailed      = 1   // it could not be done, or what was measured is not good enough
	exitUsage       = 2   // wrong flags, arguments or study file
	exitInterrupted = 130 // Ctrl-C; what was done so far is kept
)

// exitError is an error with the exit code it asks for.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usageError marks an error as the caller's mistake.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

func main() {
	if subject.IsKeeper(os.Args) {
		subject.KeeperMain()
		return
	}
	if calibrate.IsChild(os.Args) {
		calibrate.ChildMain()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second Ctrl-C ends at once; subjects are ended by their keepers even so.
	context.AfterFunc(ctx, stop)
	err := newRoot().ExecuteContext(ctx)
	os.Exit(exitCode(err, ctx.Err() != nil))
}

// exitCode prints err for a person and returns the exit code.
func exitCode(err error, interrupted bool) int {
	var exit *exitError
	switch {
	case err == nil && interrupted:
		return exitInterrupted
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintln(os.Stderr, "dyno:", exit.err)
		}
		return exit.code
	case interrupted || errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "dyno: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(os.Stderr, "dyno:", err)
	return exitFailed
}
