package claim

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dyno.example/internal/i18n"
)

// Error says what is wrong with an expression, and where.
type Error struct {
	Column int // in the expression, in characters, from 1
	What   i18n.Message
	Hint   i18n.Message // how to fix it; may be empty

	at int // offset in bytes
}

func (e *Error) Error() string { return e.Message().String() }

// Message is the error with its place and its hint.
func (e *Error) Message() i18n.Message {
	if e.Hint.IsZero() {
		return i18n.New("claim.at-column", "column %d: %s", e.Column, e.What)
	}
	return i18n.New("claim.at-column-hint", "column %d: %s (%s)", e.Column, e.What, e.Hint)
}

// place turns the error's offset in the expression's text into a column.
func (e *Error) place(text string) *Error {
	e.Column = 1 + utf8.RuneCountInString(text[:min(max(e.at, 0), len(text))])
	return e
}

type tokenKind int

const (
	end     tokenKind = iota
	word              // a name
	numeral           // a number with its unit
	sign              // an operator or bracket
	stray             // what has no place in an expression
)

// token is a piece of an expression.
type token struct {
	kind tokenKind
	text string
	at   int // offset in bytes

	value float64 // of a numeral, in seconds, bytes or plainly
	dim   dimension
	bare  bool // a numeral without a unit
}

// Message is the token as an error names it.
func (t token) Message() i18n.Message {
	if t.kind == end {
		return i18n.New("claim.end", "the end")
	}
	return i18n.Verbatim(strconv.Quote(t.text))
}

// scanner cuts an expression into tokens.
type scanner struct {
	src string
	at  int
}

func (s *scanner) rest() string { return s.src[s.at:] }

func (s *scanner) spaces() { s.at = len(s.src) - len(strings.TrimLeftFunc(s.rest(), unicode.IsSpace)) }

// signs are the operators and brackets, the longest first.
var signs = []string{"<=", ">=", "+-", "≤", "≥", "±", "<", ">", "~", "+", "-", "*", "/", "(", ")", "[", "]", ",", ":", "="}

// spelled is the one spelling of signs that have two.
var spelled = map[string]string{"≤": "<=", "≥": ">=", "±": "+-"}

func (s *scanner) next() token {
	s.spaces()
	rest := s.rest()
	if rest == "" {
		return token{kind: end, at: s.at}
	}
	if isDigit(rest[0]) {
		return s.numeral()
	}
	if n := nameLength(rest); n > 0 {
		t := token{kind: word, text: rest[:n], at: s.at}
		s.at += n
		return t
	}
	for _, text := range signs {
		if strings.HasPrefix(rest, text) {
			t := token{kind: sign, text: text, at: s.at}
			if other, ok := spelled[text]; ok {
				t.text = other
			}
			s.at += len(text)
			return t
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	t := token{kind: stray, text: rest[:n], at: s.at}
	s.at += n
	return t
}

// largest is the largest number that can be written, far from where arithmetic
// with units would overflow.
const largest = 1e100

// numeral reads a number and the unit behind it, with or without a space between.
func (s *scanner) numeral() token {
	n := numberLength(s.rest())
	t := token{kind: numeral, at: s.at, bare: true}
	value, err := strconv.ParseFloat(s.rest()[:n], 64)
	if err != nil || value > largest {
		t.kind, t.text = stray, s.rest()[:n]
		s.at += n
		return t
	}
	s.at += n
	t.value = value
	if u, length, ok := unitAt(s.rest()); ok {
		s.at += length
		t.value, t.dim, t.bare = value*u.scale, u.dim, u.counts()
	}
	if t.bare && strings.HasPrefix(s.rest(), "/s") && nameLength(s.rest()[1:]) == 1 {
		s.at += len("/s")
		t.dim, t.bare = perSecond, false
	}
	t.text = s.src[t.at:s.at]
	return t
}

// unitAt finds the unit that text begins with, after spaces.
func unitAt(text string) (u unit, length int, ok bool) {
	trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
	n := max(nameLength(trimmed), 1)
	if n > len(trimmed) {
		return unit{}, 0, false
	}
	u, ok = unitNamed(trimmed[:n])
	return u, len(text) - len(trimmed) + n, ok
}

// numberLength is that of the decimal number text begins with.
func numberLength(text string) int {
	digits := func(from int) int {
		for from < len(text) && isDigit(text[from]) {
			from++
		}
		return from
	}
	n := digits(0)
	if n+1 < len(text) && text[n] == '.' && isDigit(text[n+1]) {
		n = digits(n + 1)
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		from := n + 1
		if from < len(text) && (text[from] == '+' || text[from] == '-') {
			from++
		}
		if to := digits(from); to > from {
			n = to
		}
	}
	return n
}

// nameLength is that of the name text begins with, 0 if there is none: letters,
// digits, dots and underscores after a letter.
func nameLength(text string) int {
	for i, r := range text {
		first := r == '_' || unicode.IsLetter(r)
		if !first && (i == 0 || !(r == '.' || r >= '0' && r <= '9')) {
			return i
		}
	}
	return len(text)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// raw reads a text up to one of the stops, which it leaves. A text in quotes may hold
// them; quoted is whether it was. Double quotes are those of Go, single ones hold what
// stands between them. Without the quote's end, ok is false.
func (s *scanner) raw(stops string) (text string, quoted, ok bool) {
	s.spaces()
	if inside, single := strings.CutPrefix(s.rest(), "'"); single {
		text, _, ok = strings.Cut(inside, "'")
		s.at = min(s.at+len(text)+2, len(s.src))
		s.spaces()
		return text, true, ok
	}
	if strings.HasPrefix(s.rest(), `"`) {
		prefix, err := strconv.QuotedPrefix(s.rest())
		if err != nil {
			return "", true, false
		}
		s.at += len(prefix)
		text, err = strconv.Unquote(prefix)
		s.spaces()
		return text, true, err == nil
	}
	n := strings.IndexAny(s.rest(), stops)
	if n < 0 {
		n = len(s.rest())
	}
	text = strings.TrimSpace(s.rest()[:n])
	s.at += n
	return text, false, true
}
