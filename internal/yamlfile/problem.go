package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// At is a place in a file. It may be kept beside what was read there, so that what is
// found out later (a name that doesn't exist) can be said of it too.
type At struct {
	Path   string // the file
	Line   int    // from 1; 0: no place in it
	Column int    // from 1, in characters; 0: only the line is known
	Field  string // such as "routes[0].match.path"; empty for the file as a whole
}

// Problem makes a problem of that place.
func (a At) Problem(hint, format string, args ...any) Problem {
	return Problem{At: a, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Where is file:line:column, as far as they are known: the form that editors and
// terminals turn into links.
func (a At) Where() string {
	switch {
	case a.Line == 0:
		return a.Path
	case a.Column == 0:
		return fmt.Sprintf("%s:%d", a.Path, a.Line)
	}
	return fmt.Sprintf("%s:%d:%d", a.Path, a.Line, a.Column)
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	At
	Message string // what was expected, and what was found
	Hint    string // how to fix it, such as `did you mean "gin"?`; may be empty
}

// String returns the problem as one line, file:line:column first.
func (p Problem) String() string { return p.In(same) }

// Error makes a problem an error of its own.
func (p Problem) Error() string { return p.String() }

// In is String with its sentences as say has them in another language.
func (p Problem) In(say func(text string) string) string {
	var b strings.Builder
	b.WriteString(p.Where() + ": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(say(p.Message))
	if p.Hint != "" {
		b.WriteString(" (" + say(p.Hint) + ")")
	}
	return b.String()
}

// Problems is everything that is wrong with a file. It is never empty where it is an
// error.
type Problems []Problem

// MostPrinted bounds the text of an error: after so many problems the reader mends some
// and looks again.
const MostPrinted = 40

// Error returns one problem a line.
func (p Problems) Error() string { return p.In(same) }

// In is Error with its sentences as say has them in another language.
func (p Problems) In(say func(text string) string) string {
	lines := make([]string, 0, min(len(p), MostPrinted)+1)
	for i, problem := range p {
		if i == MostPrinted {
			lines = append(lines, say(fmt.Sprintf("… and %d more problems", len(p)-i)))
			break
		}
		lines = append(lines, problem.In(say))
	}
	return strings.Join(lines, "\n")
}

func same(text string) string { return text }

// Sort puts the problems in the order of the file.
func (p Problems) Sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
