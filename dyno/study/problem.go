package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a study file.
type Problem struct {
	Path    string // the file
	Line    int    // from 1; 0 if the place is unknown
	Column  int    // from 1, in characters; 0 if only the line is known
	Field   string // such as "loads[0].open.rate"; empty for the file as a whole
	Message string // what was expected, and what was found
	Hint    string // how to fix it, such as `did you mean "gin"?`; may be empty
}

// String returns the problem as one line, file:line:column first, the form that
// editors and terminals turn into links.
func (p Problem) String() string { return p.In(func(text string) string { return text }) }

// In is String with its sentences as say has them in another language.
func (p Problem) In(say func(text string) string) string {
	var b strings.Builder
	b.WriteString(p.place() + ": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(say(p.Message))
	if p.Hint != "" {
		b.WriteString(" (" + say(p.Hint) + ")")
	}
	return b.String()
}

// place is file:line:column, as far as they are known.
func (p Problem) place() string {
	switch {
	case p.Line == 0:
		return p.Path
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.Path, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Column)
}

// Problems is the error that [Parse] returns: everything that is wrong with a
// file, in the order of the file. It is never empty.
type Problems []Problem

// maxPrinted bounds the error text: after so many problems the reader fixes
// some and looks again.
const maxPrinted = 40

// Error returns one problem a line.
func (p Problems) Error() string { return p.In(func(text string) string { return text }) }

// In is Error with its sentences as say has them in another language.
func (p Problems) In(say func(text string) string) string {
	lines := make([]string, 0, min(len(p), maxPrinted)+1)
	for i, problem := range p {
		if i == maxPrinted {
			lines = append(lines, say(fmt.Sprintf("… and %d more problems", len(p)-i)))
			break
		}
		lines = append(lines, problem.In(say))
	}
	return strings.Join(lines, "\n")
}

// hide takes the secrets out of the problems, some of which repeat what the file
// says.
func (p Problems) hide(s Secrets) {
	for i := range p {
		p[i].Message, p[i].Hint = s.Hide(p[i].Message), s.Hide(p[i].Hint)
	}
}

// sort puts the problems in the order of the file.
func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
