package yamlfile

import (
	"cmp"
	"fmt"
	"slices"

	"dyno.example/internal/i18n"
)

// At is a place in a file. It may be kept beside what was read there, so that what is
// found out later (a name that doesn't exist) can be said of it too.
type At struct {
	Path   string // the file
	Line   int    // from 1; 0: no place in it
	Column int    // from 1, in characters; 0: only the line is known
	Field  string // such as "routes[0].match.path"; empty for the file as a whole
}

// Report makes a problem of that place: what is wrong there, and how to mend it.
func (a At) Report(what i18n.Message, hint ...i18n.Message) Problem {
	return Problem{At: a, Message: what, Hint: i18n.List("; ", hint...)}
}

// Problem is Report of texts without an id.
func (a At) Problem(hint, format string, args ...any) Problem {
	return a.Report(i18n.Format(format, args...), i18n.Verbatim(hint))
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
	Message i18n.Message // what was expected, and what was found
	Hint    i18n.Message // how to fix it, such as `did you mean "gin"?`; may be empty
}

// String returns the problem as one line, file:line:column first.
func (p Problem) String() string { return p.text().String() }

// Error makes a problem an error of its own.
func (p Problem) Error() string { return p.String() }

func (p Problem) text() i18n.Message {
	parts := []any{p.Where() + ": "}
	if p.Field != "" {
		parts = append(parts, p.Field+": ")
	}
	parts = append(parts, p.Message)
	if !p.Hint.IsZero() {
		parts = append(parts, " (", p.Hint, ")")
	}
	return i18n.Join(parts...)
}

// Problems is everything that is wrong with a file. It is never empty where it is an
// error.
type Problems []Problem

// MostPrinted bounds the text of an error: after so many problems the reader mends some
// and looks again.
const MostPrinted = 40

// Error returns one problem a line.
func (p Problems) Error() string { return p.Message().String() }

// Message implements [i18n.Messager].
func (p Problems) Message() i18n.Message {
	lines := make([]i18n.Message, 0, min(len(p), MostPrinted)+1)
	for i, problem := range p {
		if i == MostPrinted {
			lines = append(lines, i18n.New("yaml.more-problems", "… and %d more problems", len(p)-i))
			break
		}
		lines = append(lines, problem.text())
	}
	return i18n.List("\n", lines...)
}

// Sort puts the problems in the order of the file.
func (p Problems) Sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
