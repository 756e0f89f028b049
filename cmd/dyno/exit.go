package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
