package template

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Feed is a table by the name that placeholders use, and the order in which its rows
// are taken. In order, it starts again after its last row; a caller that wants a load
// to end there uses [Feed.Rows].
type Feed struct {
	Name   string
	Table  *Table
	Random bool // any row each time, instead of one after the other
}

// Rows returns how many rows the given one of so many loops has until a feed in
// order starts again.
func (f *Feed) Rows(part, parts int) int {
	return (len(f.Table.rows) - part + parts - 1) / parts
}

// Table is rows with named columns. It is read-only and may be shared.
type Table struct {
	file    string
	columns []string
	rows    [][]field
	lines   []int32 // in the file, from 1
}

type field struct {
	text  string
	there bool
}

// Limits of a table.
const (
	DefaultMaxBytes = 256 << 20 // of the file
	maxColumns      = 1000
)

// Len returns how many rows there are; at least one.
func (t *Table) Len() int { return len(t.rows) }

// column returns the index of a column that all rows have.
func (t *Table) column(name string) (int, error) {
	at := slices.Index(t.columns, name)
	if at < 0 {
		return 0, fmt.Errorf("%s has no column %q; it has %s", t.file, name, cut(strings.Join(t.columns, ", ")))
	}
	for i, row := range t.rows {
		if at >= len(row) || !row[at].there {
			return 0, fmt.Errorf("%s:%d: the row lacks %q", t.file, t.lines[i], name)
		}
	}
	return at, nil
}

// errTooLong: a file is longer than allowed.
var errTooLong = errors.New("longer than allowed")

// bounded reads at most max bytes, and fails with errTooLong if there are more.
type bounded struct {
	r   io.Reader
	max int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.max < 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.max+1)])
	b.max -= int64(n)
	if b.max < 0 {
		return n, errTooLong
	}
	return n, err
}

// fault puts a file's name, and a line if known, before what is wrong in it.
func fault(file string, line int, err error) error {
	if line == 0 {
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf("%s:%d: %w", file, line, err)
}
