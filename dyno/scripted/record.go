package scripted

import (
	"encoding/gob"
	"fmt"
	"io"
)

// Record is what the server really did. Times are CLOCK_MONOTONIC in ns; the
// slices have one entry per request, in order of arrival.
type Record struct {
	Script   Script
	Arrival  []int64 // when the request was read
	Due      []int64 // when the script wanted the response
	Response []int64 // just before the response went to the kernel; 0 if its connection had gone
	Conn     []int32 // number of the connection's slot
	// Beyond counts requests that came when the record was full: they were
	// responded to, but are not in the slices.
	Beyond int
	// Gaps are the times the server's loop was away, if it was busy polling:
	// arrivals in or right after a gap may be earlier than noted.
	Gaps []Gap

	begun bool
	start int64 // the first request's arrival
}

// Gap is a time in which the loop did not run.
type Gap struct {
	Start  int64 // CLOCK_MONOTONIC, ns
	Length int64 // ns
}

// newRecord makes room for so many requests.
func newRecord(script Script, requests int) *Record {
	return &Record{
		Script:   script,
		Arrival:  make([]int64, 0, requests),
		Due:      make([]int64, 0, requests),
		Response: make([]int64, 0, requests),
		Conn:     make([]int32, 0, requests),
		Gaps:     make([]Gap, 0, 1<<16),
	}
}

// arrived notes a request; it returns its place, -1 if there is no more room.
func (r *Record) arrived(at int64, conn int32) (request int32, due int64) {
	k := len(r.Arrival) + r.Beyond
	if !r.begun {
		r.begun, r.start = true, at
	}
	due = r.Script.Due(k, at, r.start)
	if len(r.Arrival) == cap(r.Arrival) {
		r.Beyond++
		return -1, due
	}
	r.Arrival = append(r.Arrival, at)
	r.Due = append(r.Due, due)
	r.Response = append(r.Response, 0)
	r.Conn = append(r.Conn, conn)
	return int32(len(r.Arrival) - 1), due
}

func (r *Record) responded(request int32, at int64) {
	if request >= 0 {
		r.Response[request] = at
	}
}

func (r *Record) away(from, to int64) {
	if len(r.Gaps) < cap(r.Gaps) {
		r.Gaps = append(r.Gaps, Gap{Start: from, Length: to - from})
	}
}

// Write writes the record for [ReadRecord], which may be in another process.
func (r *Record) Write(w io.Writer) error {
	if err := gob.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("writing the server's record: %w", err)
	}
	return nil
}

// ReadRecord reads what [Record.Write] wrote.
func ReadRecord(r io.Reader) (*Record, error) {
	var record Record
	if err := gob.NewDecoder(r).Decode(&record); err != nil {
		return nil, fmt.Errorf("reading the server's record: %w", err)
	}
	return &record, nil
}
