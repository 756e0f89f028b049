package template

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadCSV reads comma-separated values (RFC 4180) whose first row names the
// columns. file is the name in messages; a file of more than maxBytes is
// refused.
func ReadCSV(file string, r io.Reader, maxBytes int64) (*Table, error) {
	in := bufio.NewReader(&bounded{r, maxBytes})
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		in.Discard(3)
	}
	records := csv.NewReader(in)
	t := &Table{file: file}
	header, err := records.Read()
	if err != nil {
		return nil, csvFault(file, err, maxBytes)
	}
	if err := checkColumns(header); err != nil {
		return nil, fault(file, 1, err)
	}
	t.columns = header
	for {
		record, err := records.Read()
		if err == io.EOF && len(t.rows) > 0 {
			return t, nil
		}
		if err != nil {
			return nil, csvFault(file, err, maxBytes)
		}
		line, _ := records.FieldPos(0)
		row := make([]field, len(record))
		for i, text := range record {
			row[i] = field{text, true}
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, int32(line))
	}
}

func csvFault(file string, err error, maxBytes int64) error {
	var at *csv.ParseError
	switch {
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%s: has more than the %d bytes that are allowed", file, maxBytes)
	case err == io.EOF:
		return fmt.Errorf("%s: has no rows; the first one names the columns, and at least one more follows", file)
	case errors.As(err, &at):
		return fault(file, at.Line, at.Err)
	}
	return fault(file, 0, err)
}

func checkColumns(names []string) error {
	if len(names) > maxColumns {
		return fmt.Errorf("has %d columns; at most %d are allowed", len(names), maxColumns)
	}
	for i, name := range names {
		if name == "" {
			return fmt.Errorf("column %d has no name; the first row must name the columns", i+1)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two columns are called %q", name)
		}
	}
	return nil
}
