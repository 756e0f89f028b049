// Package observe is what observers of requests implement: access logs, traces, metrics
// of their own.
package observe

import (
	"encoding/binary"

	"dyno.example/nanogate/internal/request"
)

// Observer hears of each request of a route when it comes and when it has ended. It is
// called by event loops, several at a time: it doesn't block, and what it can't take
// it drops and counts.
type Observer interface {
	// Seen is called when a request's head is in, before it is guarded. It appends to
	// note what it will want to know at the end, when the request can't be looked at
	// any more: a few hundred bytes at most.
	Seen(r *request.Request, note []byte) []byte
	// Ended is called once for each that was seen, with what Seen had appended. It
	// keeps neither.
	Ended(o *request.Outcome, note []byte)
}

// Marker is an observer that marks each try of a request with a number of its own.
type Marker interface {
	// Mark writes the number of a try, from 0, into the request's head as it is sent,
	// without changing its length. It is called for all but the first. note is what
	// Seen had appended.
	Mark(head, note []byte, try int)
}

// Closer is an observer that has something to end when no route uses it any more.
type Closer interface{ Close() }

// Seen calls observers with a request. Each has its own part of the note.
func Seen(all []Observer, r *request.Request, note []byte) []byte {
	for _, o := range all {
		from := len(note) + 4
		note = o.Seen(r, append(note, 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(note[from-4:], uint32(len(note)-from))
	}
	return note
}

// Ended calls the observers of a request with its outcome.
func Ended(all []Observer, o *request.Outcome, note []byte) {
	for _, one := range all {
		var own []byte
		own, note = cut(note)
		one.Ended(o, own)
	}
}

// Mark marks a try, from 0.
func Mark(all []Observer, head, note []byte, try int) {
	for _, one := range all {
		var own []byte
		own, note = cut(note)
		if m, ok := one.(Marker); ok {
			m.Mark(head, own, try)
		}
	}
}

// cut returns the first part of a note and what follows it.
func cut(note []byte) (own, rest []byte) {
	end := 4 + int(binary.LittleEndian.Uint32(note))
	return note[4:end:end], note[end:]
}
