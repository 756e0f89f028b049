package study

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/i18n"
)

// text reads a text of any content. It returns false after a problem.
func (s scope) text() (string, bool) {
	text, ok := s.Scalar()
	if !ok {
		hint := i18n.Message{}
		if s.Resolved().Kind != yaml.ScalarNode {
			hint = i18n.New("study.quote-text", "quote it if it is meant as a text")
		}
		s.Report(i18n.New("study.expected-text-got", "expected a text, got %s", s.Describe()), hint)
	}
	return text, ok
}

// printable reads a text without control characters, except those in but.
func (s scope) printable(but string) (string, bool) {
	text, ok := s.text()
	bad := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(but, r) })
	if bad >= 0 {
		r, _ := utf8.DecodeRuneInString(text[bad:])
		s.Report(i18n.New("study.control-character", "expected a text without control characters, got %q in it", r))
		return "", false
	}
	return text, ok
}

// filled reads a printable text that must not be blank. It returns "" after a
// problem.
func (s scope) filled(but string) string {
	text, ok := s.printable(but)
	if ok && strings.TrimSpace(text) == "" {
		s.Report(i18n.New("study.text-empty", "expected a text, got an empty one"))
		return ""
	}
	return text
}

// notName says what a name would be here.
func (s scope) notName() i18n.Message {
	return i18n.New("study.expected-name", "expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got %s", s.Describe())
}

// name reads the name of a study or load. It returns "" after a problem.
func (s scope) name() string {
	name, ok := s.Scalar()
	if !ok || !isName(name) {
		s.Report(s.notName())
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
		s.Report(i18n.New("study.unknown-choice", "%s is not one of the choices", form.Quote(word)), didYouMean(word, valid))
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
			item.Report(i18n.New("study.given-twice", "%s is given twice", form.Quote(string(word))), i18n.New("yaml.remove-one-them", "remove one of them"))
		default:
			words = append(words, word)
		}
	}
	return words
}

// number reads a decimal number.
func (s scope) number(low, high float64) float64 {
	text, _ := s.Scalar()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= low && x <= high) || strings.Trim(text, "0123456789.eE+-") != "" {
		s.Report(i18n.New("study.expected-number", "expected a number from %s to %s, got %s", plain(low), plain(high), s.Describe()))
		return low
	}
	return x
}

// plain writes x without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
