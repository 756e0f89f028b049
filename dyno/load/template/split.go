package template

import (
	"iter"
	"strconv"
	"strings"
	"time"
)

// Piece is a part of a text as it was written.
type Piece struct {
	Text        string // of a placeholder, with its braces
	Placeholder bool
}

// Split splits a text at its placeholders without parsing them, for callers that need
// their positions.
func Split(text string) ([]Piece, error) {
	var pieces []Piece
	for text != "" {
		before, rest, found := strings.Cut(text, opening)
		if before != "" {
			pieces = append(pieces, Piece{Text: before})
		}
		if !found {
			break
		}
		inner, rest, err := placeholder(rest)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, Piece{opening + inner + closing, true})
		text = rest
	}
	return pieces, nil
}

// Single yields what a template of one placeholder, or of one literal, can put in: every
// text that someone has written, with where it is from as [Template.Texts] has it; of
// what is made up the extremes. ok is false for templates of several parts.
func (t *Template) Single() (texts iter.Seq2[string, string], ok bool) {
	if len(t.segments) != 1 {
		return nil, false
	}
	return t.segments[0].extremes, true
}

// extremes yields the texts of a segment that was written, and the extremes of others.
func (s *segment) extremes(yield func(from, text string) bool) {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch s.kind {
	case integer:
		_ = yield("", number(s.low)) && yield("", number(s.low+int64(s.span-1)))
	case letters:
		yield("", strings.Repeat("z", int(s.low)))
	case hexadecimal:
		_ = yield("", strings.Repeat("f", int(s.low))) && yield("", strings.Repeat("0", int(s.low)))
	case uuid:
		yield("", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6")
	case sequence:
		_ = yield("", number(s.low)) && yield("", number(s.low+sequenceFar))
	case unixSeconds, unixMillis, rfc3339:
		state := State{Now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()}
		yield("", string(s.append(nil, &state)))
	default:
		s.texts(yield)
	}
}

// sequenceFar is how far a sequence is expected to go in a load.
const sequenceFar = 1 << 24
