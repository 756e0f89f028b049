package expect

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// word splits off the first word of a line.
func word(line string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return first, strings.TrimSpace(rest)
}

// maxPattern bounds a regular expression, in bytes.
const maxPattern = 4096

// textTest compares texts; got is not kept.
type textTest func(got []byte) bool

// parseText compiles "== TEXT", "!= TEXT", "contains TEXT" or "matches REGEXP".
func parseText(operator, operand string) (textTest, error) {
	want, err := unquote(operand)
	if err != nil {
		return nil, err
	}
	switch operator {
	case "==":
		return func(got []byte) bool { return string(got) == want }, nil
	case "!=":
		return func(got []byte) bool { return string(got) != want }, nil
	case "contains":
		if want == "" {
			return nil, errors.New("contains needs a text")
		}
		return containing(want), nil
	case "matches":
		if len(want) > maxPattern {
			return nil, fmt.Errorf("a regular expression of %d bytes is longer than the %d that are allowed", len(want), maxPattern)
		}
		re, err := regexp.Compile(want)
		if err != nil {
			return nil, err
		}
		return re.Match, nil
	}
	return nil, fmt.Errorf("%q is no comparison of texts; expected ==, !=, contains or matches", operator)
}

// unquote returns an operand as it is, or what a quoted one stands for.
func unquote(operand string) (string, error) {
	if !strings.HasPrefix(operand, `"`) {
		return operand, nil
	}
	text, err := strconv.Unquote(operand)
	if err != nil {
		return "", fmt.Errorf("%s is not a text in quotes", operand)
	}
	return text, nil
}

// order compiles "==", "!=", "<", "<=", ">" or ">=" of the result of a
// comparison: below zero, zero or above.
func order(operator string) (func(sign int) bool, bool) {
	switch operator {
	case "==":
		return func(sign int) bool { return sign == 0 }, true
	case "!=":
		return func(sign int) bool { return sign != 0 }, true
	case "<":
		return func(sign int) bool { return sign < 0 }, true
	case "<=":
		return func(sign int) bool { return sign <= 0 }, true
	case ">":
		return func(sign int) bool { return sign > 0 }, true
	case ">=":
		return func(sign int) bool { return sign >= 0 }, true
	}
	return nil, false
}

// shown is how much of what was there instead a message repeats, in bytes.
const shown = 120

// quote returns text as a literal, cut if it is long.
func quote(text []byte) string {
	if len(text) <= shown {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(strings.ToValidUTF8(string(text[:shown]), "")) + "…"
}
