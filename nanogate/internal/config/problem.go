package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// At is a place in a configuration file, kept beside what was read there, so that
// what is found out later (an upstream that doesn't exist) can be said of it too.
type At struct {
	Path   string // the file
	Line   int    // from 1; 0: no place in it
	Column int    // from 1
	Field  string // such as "routes[0].match.path"
}

// Problem makes a problem of that place.
func (a At) Problem(hint, format string, args ...any) Problem {
	return Problem{At: a, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	At
	Message string // what was expected, and what was found
	Hint    string // how to fix it, such as `did you mean "users"?`; may be empty
}

// String returns the problem as one line, file:line:column first.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	b.WriteString(": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Error makes a problem an error of its own.
func (p Problem) Error() string { return p.String() }

// Problems is everything that is wrong with a file, in its order. It is never empty
// where it is an error.
type Problems []Problem

// mostPrinted bounds the error text: after so many problems the reader mends some and
// looks again.
const mostPrinted = 40

// Error returns one problem a line.
func (p Problems) Error() string {
	var lines []string
	for i, problem := range p {
		if i == mostPrinted {
			lines = append(lines, fmt.Sprintf("… and %d more problems", len(p)-i))
			break
		}
		lines = append(lines, problem.String())
	}
	return strings.Join(lines, "\n")
}

// Sort puts the problems in the order of the file.
func (p Problems) Sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
