package router

import (
	"bytes"

	"dyno.example/nano/wire/http1"
)

// MaxParams is how many parameters a pattern may have.
const MaxParams = 16

// MaxScratch is how many bytes of scratch are kept between requests.
const MaxScratch = 16 << 10

// Match is what routing found in a request in addition to the route. It belongs to the
// request and is reused.
type Match struct {
	// values of the parameters, in the order of Pattern.Params; then of the rest, if
	// the route has a rest without a name. The path's are pieces of the read
	// buffer, or of Scratch if scratched.
	values    [MaxParams + 1]http1.Span
	N         int // values
	scratched bool
	viaHost   bool   // values[0] is of the host, in the read buffer
	decoded   uint32 // bit i: values[i] of Scratch has no escapes any more
	slashed   uint32 // bit i: one of them was a slash
	// Scratch holds the canonical path if it differs from what was sent, then
	// values that have been decoded. It only grows while the request lasts: views
	// of it stay.
	Scratch []byte
	Outcome Outcome
}

// Outcome is why no route serves a request.
type Outcome uint8

const (
	NotFound Outcome = iota
	WrongMethod
	OptionsOfPath
	OptionsOfAll // OPTIONS *
	BadPath      // with a wrong escape, or not a path
	UncleanPath  // with //, . or .. segments
	SlashAdded   // found with a slash more
	SlashCut     // found with a slash less
)

// Reset ends the match with its request.
func (m *Match) Reset() {
	m.N, m.scratched, m.decoded, m.slashed, m.Outcome, m.Scratch = 0, false, 0, 0, NotFound, m.Scratch[:0]
	if cap(m.Scratch) > MaxScratch {
		m.Scratch = nil
	}
}

// Value returns what the i-th parameter matched, decoded; nil if there is no such
// one. It lies in buf, the request's, or, if inScratch, in Scratch.
func (m *Match) Value(i int, buf []byte) (value []byte, inScratch bool) {
	if i >= m.N {
		return nil, false
	}
	if !m.scratched || i == 0 && m.viaHost {
		return m.values[i].Of(buf), false
	}
	v := m.values[i].Of(m.Scratch)
	if m.decoded&(1<<i) != 0 {
		return v, true
	}
	m.decoded |= 1 << i
	if bytes.IndexByte(v, '%') < 0 {
		return v, true
	}
	if bytes.Contains(v, escapedSlash) {
		m.slashed |= 1 << i
	}
	from := uint32(len(m.Scratch))
	m.Scratch = appendDecoded(m.Scratch, v)
	m.values[i] = http1.Span{Start: from, End: uint32(len(m.Scratch))}
	return m.values[i].Of(m.Scratch), true
}

var escapedSlash = []byte("%2F") // as the canonical form spells it

// HadSlash reports whether the i-th value, which has been read, held a slash that
// was escaped.
func (m *Match) HadSlash(i int) bool { return m.slashed&(1<<i) != 0 }

// Path returns the path of a request that was parsed from buf, "/" if it has none.
func Path(q *http1.Request, buf []byte) []byte {
	if q.Path.Empty() {
		return slash
	}
	return q.Path.Of(buf)
}

var slash = []byte("/")

// Canonical returns the path that was looked up.
func (m *Match) Canonical(q *http1.Request, buf []byte) []byte {
	if m.scratched {
		return m.Scratch
	}
	return Path(q, buf)
}
