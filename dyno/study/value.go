package study

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/load/profile"
)

// isTextTag reports whether values with a YAML tag can be read as they are
// written. Numbers and booleans are text too: GOGC: 100 needs no quotes.
func isTextTag(tag string) bool {
	return slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge"}, tag)
}

// scalar returns a single value as it is written, false if there is none.
func (s scope) scalar() (string, bool) {
	n := s.resolved()
	if n.Kind != yaml.ScalarNode || !isTextTag(n.ShortTag()) {
		return "", false
	}
	return n.Value, true
}

// text reads a text of any content. It returns false after a problem.
func (s scope) text() (string, bool) {
	text, ok := s.scalar()
	if !ok {
		hint := ""
		if s.resolved().Kind != yaml.ScalarNode {
			hint = "quote it if it is meant as a text"
		}
		s.problem(hint, "expected a text, got %s", describe(s.resolved()))
	}
	return text, ok
}

// printable reads a text without control characters, except those in but.
func (s scope) printable(but string) (string, bool) {
	text, ok := s.text()
	bad := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(but, r) })
	if bad >= 0 {
		r, _ := utf8.DecodeRuneInString(text[bad:])
		s.problem("", "expected a text without control characters, got %q in it", r)
		return "", false
	}
	return text, ok
}

// filled reads a printable text that must not be blank. It returns "" after a
// problem.
func (s scope) filled(but string) string {
	text, ok := s.printable(but)
	if ok && strings.TrimSpace(text) == "" {
		s.problem("", "expected a text, got an empty one")
		return ""
	}
	return text
}

const nameRule = "expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got %s"

// name reads the name of a study or load. It returns "" after a problem.
func (s scope) name() string {
	name, ok := s.scalar()
	if !ok || !isName(name) {
		s.problem("", nameRule, describe(s.resolved()))
		return ""
	}
	return name
}

// isName reports whether s can name a study or load, or be a part of a
// subject's name. Such names are safe in file names and on command lines.
func isName(s string) bool {
	if s == "" || len(s) > 64 || strings.ContainsRune("-_.", rune(s[0])) {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
	})
}

// oneOf reads one of a few words. It returns "" after a problem.
func (s scope) oneOf(valid ...string) string {
	word, ok := s.text()
	if ok && !slices.Contains(valid, word) {
		s.problem(didYouMean(word, valid), "%s is not one of the choices", quote(word))
		return ""
	}
	return word
}

// wordsOf reads a list of some of the valid words, each at most once.
func wordsOf[T ~string](s scope, valid []T) []T {
	choices := make([]string, len(valid))
	for i, word := range valid {
		choices[i] = string(word)
	}
	var words []T
	for _, item := range s.list() {
		word := T(item.oneOf(choices...))
		switch {
		case word == "":
		case slices.Contains(words, word):
			item.problem("remove one of them", "%s is given twice", quote(string(word)))
		default:
			words = append(words, word)
		}
	}
	return words
}

// integer reads a whole number in plain decimal: 0100 would be read in two
// ways.
func (s scope) integer(low, high int) int {
	text, _ := s.scalar()
	x, err := strconv.Atoi(text)
	if err != nil || x < low || x > high || strconv.Itoa(x) != text {
		s.problem("", "expected a whole number from %d to %d, got %s", low, high, describe(s.resolved()))
		return low
	}
	return x
}

// boolean reads true or false.
func (s scope) boolean() bool {
	text, _ := s.scalar()
	if text != "true" && text != "false" {
		s.problem("", "expected true or false, got %s", describe(s.resolved()))
	}
	return text == "true"
}

// number reads a decimal number.
func (s scope) number(low, high float64) float64 {
	text, _ := s.scalar()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= low && x <= high) || strings.Trim(text, "0123456789.eE+-") != "" {
		s.problem("", "expected a number from %s to %s, got %s", plain(low), plain(high), describe(s.resolved()))
		return low
	}
	return x
}

// plain writes x without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// duration reads a number with its unit.
func (s scope) duration(low, high time.Duration) time.Duration {
	text, _ := s.scalar()
	d, err := time.ParseDuration(text)
	if err != nil || d < low || d > high {
		hint := ""
		if err != nil {
			hint = "write it with a unit, such as 500ms, 10s or 2m"
		}
		s.problem(hint, "expected a duration from %s to %s, got %s", profile.ShortDuration(low), profile.ShortDuration(high), describe(s.resolved()))
		return low
	}
	return d
}
