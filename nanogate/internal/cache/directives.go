package cache

import (
	"bytes"

	"dyno.example/nano/wire/http1"
)

// Directives are what Cache-Control says, of a request or of a response (RFC 9111 5.2).
// Times are in seconds; [absent] if the directive isn't there.
type Directives struct {
	NoStore         bool
	NoCache         bool // also when it names fields: that is allowed, and errs on the safe side
	Private         bool // in the same way
	Public          bool
	MustRevalidate  bool // or proxy-revalidate, which is the same to a shared cache
	MustUnderstand  bool
	OnlyIfCached    bool
	MaxAge          int64
	SharedMaxAge    int64 // s-maxage
	MaxStale        int64
	MinFresh        int64
	WhileRevalidate int64 // stale-while-revalidate (RFC 5861 3)
	IfError         int64 // stale-if-error (RFC 5861 4)
}

const (
	absent  = -1
	longest = 1 << 31 // s: what is longer is taken for that (RFC 9111 1.2.2)
)

// NoDirectives is what a message without Cache-Control says.
var NoDirectives = Directives{MaxAge: absent, SharedMaxAge: absent, MaxStale: absent, MinFresh: absent, WhileRevalidate: absent, IfError: absent}

// read adds what one field says. Of a directive that is given twice the first counts
// (RFC 9111 4.2.1).
func (d *Directives) read(value []byte) {
	for len(value) > 0 {
		var name, argument []byte
		name, argument, value = nextDirective(value)
		d.take(name, argument)
	}
}

func (d *Directives) take(name, argument []byte) {
	is := func(lower string) bool { return len(name) == len(lower) && http1.EqualFold(name, lower) }
	switch {
	case is("max-age"):
		seconds(&d.MaxAge, argument, 0)
	case is("s-maxage"):
		seconds(&d.SharedMaxAge, argument, 0)
	case is("no-cache"):
		d.NoCache = true
	case is("no-store"):
		d.NoStore = true
	case is("private"):
		d.Private = true
	case is("public"):
		d.Public = true
	case is("must-revalidate"), is("proxy-revalidate"):
		d.MustRevalidate = true
	case is("must-understand"):
		d.MustUnderstand = true
	case is("only-if-cached"):
		d.OnlyIfCached = true
	case is("max-stale"):
		if argument == nil { // any age
			d.MaxStale = longest
			return
		}
		seconds(&d.MaxStale, argument, 0)
	case is("min-fresh"):
		seconds(&d.MinFresh, argument, longest)
	case is("stale-while-revalidate"):
		seconds(&d.WhileRevalidate, argument, 0)
	case is("stale-if-error"):
		seconds(&d.IfError, argument, 0)
	}
}

// seconds reads a time, unless there was one before. One that isn't valid is wrong: the
// value that errs on the safe side.
func seconds(to *int64, argument []byte, wrong int64) {
	if *to != absent {
		return
	}
	n, ok := parseSeconds(argument)
	if !ok {
		n = wrong
	}
	*to = n
}

// parseSeconds reads delta-seconds (RFC 9111 1.2.2).
func parseSeconds(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), longest)
	}
	return n, len(b) > 0
}

// nextDirective takes one off the front of a list. An argument is a token or a quoted
// string, of which this is the inside, its escapes left as they are; nil: there is none.
func nextDirective(list []byte) (name, argument, rest []byte) {
	end := directiveEnd(list)
	one := list[:end]
	if rest = list[end:]; len(rest) > 0 {
		rest = rest[1:]
	}
	name, argument, given := bytes.Cut(one, equals)
	name = trim(name)
	if !given {
		return name, nil, rest
	}
	if argument = trim(argument); len(argument) >= 2 && argument[0] == '"' && argument[len(argument)-1] == '"' {
		argument = argument[1 : len(argument)-1]
	}
	return name, argument, rest
}

// directiveEnd finds the comma behind the first directive, if there is one.
func directiveEnd(list []byte) int {
	quoted := false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return i
		}
	}
	return len(list)
}

var equals, comma = []byte("="), []byte(",")

// trim removes white space around a member of a list.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
