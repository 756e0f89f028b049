// Package stamp finds in an event when its server sent it: in its id, at a place of the
// JSON in it, or by a regular expression. It is pure: no clock, no sockets.
package stamp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Clock is what a stamp counts.
type Clock string

// The clocks. Unix time is that of the machine's wall clock.
const (
	UnixNano  Clock = "unix-ns" // the default
	UnixMicro Clock = "unix-us"
	UnixMilli Clock = "unix-ms"
	UnixSec   Clock = "unix-s"       // with or without a fraction
	Monotonic Clock = "monotonic-ns" // CLOCK_MONOTONIC of this machine, which a server on it has too
)

// Clocks are all clocks, the default first.
var Clocks = []Clock{UnixNano, UnixMicro, UnixMilli, UnixSec, Monotonic}

// unit is how many nanoseconds a clock's unit has.
func (c Clock) unit() int64 {
	switch c {
	case UnixMicro:
		return 1e3
	case UnixMilli:
		return 1e6
	case UnixSec:
		return 1e9
	}
	return 1
}

// Stamp says where an event has its stamp. It is read-only and may be shared.
type Stamp struct {
	clock  Clock
	id     bool
	path   []step         // of a JSON value
	regexp *regexp.Regexp // its first group, or all of it
}

// Parse reads where the stamp is: "id", "json:.PATH" or "regexp:EXPRESSION". clock is
// what it counts; "" is [UnixNano].
func Parse(where string, clock Clock) (*Stamp, error) {
	if clock == "" {
		clock = UnixNano
	}
	s := &Stamp{clock: clock}
	if err := clock.check(); err != nil {
		return nil, err
	}
	kind, rest, _ := strings.Cut(where, ":")
	var err error
	switch kind {
	case "id":
		if s.id = true; where != "id" {
			err = errors.New("id has nothing behind it")
		}
	case "json":
		s.path, err = parsePath(rest)
	case "regexp":
		if rest == "" {
			err = errors.New("the expression is missing, as in regexp:at=([0-9]+)")
		} else {
			s.regexp, err = regexp.Compile(rest)
		}
	default:
		err = errors.New("expected id, json:.PATH or regexp:EXPRESSION")
	}
	if err != nil {
		return nil, fmt.Errorf("stamp %q: %w", where, err)
	}
	return s, nil
}

func (c Clock) check() error {
	var names []string
	for _, known := range Clocks {
		if c == known {
			return nil
		}
		names = append(names, string(known))
	}
	return fmt.Errorf("stamp's clock %q is none of %s", c, strings.Join(names, ", "))
}

// Wall reports whether stamps are of the wall clock, and not of CLOCK_MONOTONIC.
func (s *Stamp) Wall() bool { return s.clock != Monotonic }

// ID reports whether the stamp is the event's id.
func (s *Stamp) ID() bool { return s.id }

// Of returns an event's stamp in ns; ok is false if it has none that can be read. It
// allocates nothing, but for expressions.
func (s *Stamp) Of(id, data []byte) (ns int64, ok bool) {
	switch {
	case s.id:
		return s.number(id)
	case s.regexp != nil:
		found := s.regexp.FindSubmatchIndex(data)
		if found == nil {
			return 0, false
		}
		if len(found) > 2 {
			found = found[2:4]
		}
		if found[0] < 0 {
			return 0, false
		}
		return s.number(data[found[0]:found[1]])
	}
	value, ok := find(data, s.path)
	if !ok {
		return 0, false
	}
	return s.number(value)
}

// number reads a decimal number of the clock's units, as ns.
func (s *Stamp) number(text []byte) (ns int64, ok bool) {
	const most = 1<<63 - 1
	unit, i := s.clock.unit(), 0
	for ; i < len(text) && isDigit(text[i]); i++ {
		digit := int64(text[i] - '0')
		if ns > (most/unit-digit)/10 {
			return 0, false
		}
		ns = ns*10 + digit
	}
	if i == 0 {
		return 0, false
	}
	ns *= unit
	if i == len(text) {
		return ns, true
	}
	if text[i] != '.' || i+1 == len(text) {
		return 0, false
	}
	for _, x := range text[i+1:] {
		if !isDigit(x) {
			return 0, false
		}
		unit /= 10
		ns += int64(x-'0') * unit
	}
	return ns, true
}

func isDigit(x byte) bool { return x >= '0' && x <= '9' }
