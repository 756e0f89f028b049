package subject

import (
	"fmt"
	"strings"
)

// FileError is one mistake in a file, with the place to correct it.
type FileError struct {
	File    string
	Line    int    // from 1; 0 when the file as a whole is meant
	Column  int    // from 1, in characters
	Field   string // dotted path such as "build.command"; may be empty
	Problem string // what is wrong and what was expected
}

// Error returns "file:line:column: field: problem".
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}
