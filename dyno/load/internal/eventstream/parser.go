// Package eventstream reads server-sent events (HTML Living Standard, 9.2.5 and 9.2.6)
// out of the bytes of a response's body. It does no I/O and knows no clock.
package eventstream

import (
	"bytes"
	"errors"
	"time"
)

// Kind is what [Parser.Next] has found.
type Kind uint8

// The kinds.
const (
	More  Kind = iota // all bytes are used up
	Event             // an event is complete
	Retry             // the server has said how long to wait before connecting again
)

// Found is what is in a stream. Its bytes are good until the next call.
type Found struct {
	Kind  Kind
	Type  []byte // of an event; empty for "message"
	Data  []byte // of an event; lines are separated by "\n"
	HasID bool   // this event came with an id; Parser.LastID is what it is
	Retry time.Duration
}

// ErrTooLong says that a line or an event is longer than the parser allows.
var ErrTooLong = errors.New("an event is longer than what is allowed")

// Parser follows one stream. Reset it for each connection.
type Parser struct {
	Most int // bytes of a line, and of an event's data

	// LastID is the last event ID of the stream, to be sent when it is taken up again.
	LastID []byte

	line    []byte // start of a line whose end is to come
	data    []byte
	kind    []byte
	id      []byte // of the event that is open
	hasData bool
	hasID   bool
	afterCR bool // an LF would belong to the line before
	begun   bool // the first line is over: no byte order mark can follow
	done    bool // the event was returned, and is to be cleared
}

// Reset readies p for a new connection; LastID stays.
func (p *Parser) Reset() {
	p.line, p.data, p.kind, p.id = p.line[:0], p.data[:0], p.kind[:0], p.id[:0]
	p.hasData, p.hasID, p.afterCR, p.begun, p.done = false, false, false, false, false
}

// Next reads from b up to the next thing it finds and returns how many bytes it took.
func (p *Parser) Next(b []byte) (n int, f Found, err error) {
	if p.done {
		p.clear()
	}
	for n < len(b) {
		if p.afterCR {
			p.afterCR = false
			if b[n] == '\n' {
				n++
				continue
			}
		}
		end := bytes.IndexAny(b[n:], "\r\n")
		if end < 0 {
			if len(p.line)+len(b)-n > p.Most {
				return n, Found{}, ErrTooLong
			}
			p.line = append(p.line, b[n:]...)
			return len(b), Found{}, nil
		}
		line := b[n : n+end]
		p.afterCR = b[n+end] == '\r'
		n += end + 1
		if len(p.line)+len(line) > p.Most {
			return n, Found{}, ErrTooLong
		}
		if len(p.line) > 0 {
			p.line = append(p.line, line...)
			line = p.line
		}
		f, err = p.take(line)
		p.line = p.line[:0]
		if err != nil || f.Kind != More {
			return n, f, err
		}
	}
	return n, Found{}, nil
}

// clear ends the event that was returned.
func (p *Parser) clear() {
	p.data, p.kind, p.hasData, p.hasID, p.done = p.data[:0], p.kind[:0], false, false, false
}

var mark = []byte("\ufeff")

// take takes a line without its end.
func (p *Parser) take(line []byte) (f Found, err error) {
	if !p.begun {
		p.begun = true
		line = bytes.TrimPrefix(line, mark)
	}
	if len(line) == 0 {
		return p.dispatch(), nil
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if p.hasData {
			p.data = append(p.data, '\n')
		}
		if len(p.data)+len(value) > p.Most {
			return Found{}, ErrTooLong
		}
		p.data, p.hasData = append(p.data, value...), true
	case "event":
		p.kind = append(p.kind[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.id, p.hasID = append(p.id[:0], value...), true
		}
	case "retry":
		if wait, ok := milliseconds(value); ok {
			return Found{Kind: Retry, Retry: wait}, nil
		}
	}
	return Found{}, nil
}

// dispatch ends an event at its empty line. One without data is none, though its id
// counts.
func (p *Parser) dispatch() Found {
	if p.hasID {
		p.LastID = append(p.LastID[:0], p.id...)
	}
	if !p.hasData {
		p.clear()
		return Found{}
	}
	p.done = true
	return Found{Kind: Event, Type: p.kind, Data: p.data, HasID: p.hasID}
}

// milliseconds reads digits; ok is false if it is anything else, or longer than a day.
func milliseconds(text []byte) (d time.Duration, ok bool) {
	const most = 24 * time.Hour
	for _, x := range text {
		if x < '0' || x > '9' || d > most {
			return 0, false
		}
		d = d*10 + time.Duration(x-'0')*time.Millisecond
	}
	return d, len(text) > 0 && d <= most
}
