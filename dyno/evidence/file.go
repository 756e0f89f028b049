package evidence

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
)

// Version is that of the form in which Write writes.
const Version = 1

// MostRecords bounds a file: some 2 kB each, before compression.
const MostRecords = 50_000

// mostLine is the longest line that is read, in bytes.
const mostLine = 4 << 20

// Write writes a collection as compressed lines of JSON: the header, then the records.
func Write(w io.Writer, h *Header, records []Record) error {
	z := gzip.NewWriter(w)
	out := json.NewEncoder(z)
	if err := out.Encode(h); err != nil {
		return err
	}
	for i := range records {
		if err := out.Encode(&records[i]); err != nil {
			return err
		}
	}
	return z.Close()
}

// Read reads what Write wrote. An error names the line that is wrong.
func Read(r io.Reader) (*Header, []Record, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, mostLine)
	var h Header
	var records []Record
	for line := 1; lines.Scan(); line++ {
		if line == 1 {
			if err := decode(lines.Bytes(), &h); err != nil {
				return nil, nil, fmt.Errorf("line 1: %w", err)
			}
			if h.Version != Version {
				return nil, nil, fmt.Errorf("line 1: version %d, this dyno reads version %d", h.Version, Version)
			}
			continue
		}
		if len(records) == MostRecords {
			return nil, nil, fmt.Errorf("line %d: more than %d records", line, MostRecords)
		}
		var rec Record
		if err := decode(lines.Bytes(), &rec); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", line, err)
		}
		if err := rec.Check(); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", line, err)
		}
		records = append(records, rec)
	}
	if err := lines.Err(); err != nil {
		return nil, nil, err
	}
	if h.Version == 0 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return &h, records, nil
}

func decode(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
