package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"dyno.example/internal/i18n"
	"dyno.example/internal/visible"
)

// Exit codes, the same for all commands; dyno/docs/exit-codes.md is their table.
const (
	exitFailed      = 1   // it could not be done, or what was measured is not good enough
	ExitUsage       = 2   // wrong flags, arguments, study or baseline file
	ExitCannotTell  = 3   // of dyno gate: what was measured is inconclusive, or nothing could be
	ExitInterrupted = 130 // Ctrl-C; what was done so far is kept
)

// ExitError is an error with the exit code it asks for; without an error, nothing is
// printed.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string { return e.Err.Error() }

func (e *ExitError) Unwrap() error { return e.Err }

// Exit is err with an exit code.
func Exit(code int, err error) error { return &ExitError{code, err} }

// UsageError marks an error as the caller's mistake.
func UsageError(err error) error {
	if err == nil {
		return nil
	}
	return Exit(ExitUsage, err)
}

// LangOf is the language that arguments ask for, also where they can't be read as
// flags: that is an error to be reported in it.
func LangOf(args []string) (lang string) {
	for i, arg := range args {
		switch value, is := strings.CutPrefix(arg, "--lang="); {
		case arg == "--":
			return lang
		case is:
			lang = value
		case arg == "--lang" && i+1 < len(args):
			lang = args[i+1]
		}
	}
	return lang
}

// ExitCode prints err for a person, in a language, and returns the exit code.
func ExitCode(err error, interrupted bool, lang string) int {
	var exit *ExitError
	switch {
	case err == nil && interrupted:
		return ExitInterrupted
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if exit.Err != nil {
			tell(lang, exit.Err)
		}
		return exit.Code
	case interrupted || errors.Is(err, context.Canceled):
		tell(lang, i18n.Errorf("cli.interrupted", "interrupted"))
		return ExitInterrupted
	}
	tell(lang, err)
	return exitFailed
}

// tell prints an error in a language: the only place where errors are printed.
func tell(lang string, err error) {
	fmt.Fprintln(visible.Writer{To: os.Stderr}, "dyno:", textsIn(lang).Say(i18n.From(err)))
}
