package router

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// constraint is what the value of a parameter must be for the route to match:
// {id:int}, or a regular expression, {year:[0-9]{4}}.
type constraint struct {
	text  string
	rank  int    // of a named one: the lower is the more specific; -1: an expression
	expr  string // matches all it takes, and for a named one maybe more
	takes func(value []byte) bool
}

// named are the constraints that have a name, the more specific before those that take
// the same values and others. They work on bytes, so they cost no allocation.
var named = [...]constraint{
	{text: "bool", expr: "true|false", takes: func(v []byte) bool { return string(v) == "true" || string(v) == "false" }},
	{text: "uuid", expr: "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}", takes: isUUID},
	{text: "date", expr: "[0-9]{4}-[0-9]{2}-[0-9]{2}", takes: isDate},
	{text: "uint", expr: "[0-9]+", takes: isUint},
	{text: "int", expr: "-?[0-9]+", takes: isInt},
	{text: "float", expr: `-?[0-9]+(\.[0-9]+)?`, takes: isFloat},
	{text: "hex", expr: "[0-9a-fA-F]+", takes: func(v []byte) bool { return allOf(v, IsHex) }},
	{text: "alpha", expr: "[a-zA-Z]+", takes: func(v []byte) bool { return allOf(v, isLetter) }},
	{text: "alnum", expr: "[a-zA-Z0-9]+", takes: func(v []byte) bool {
		return allOf(v, func(c byte) bool { return isLetter(c) || isDigit(c) })
	}},
}

// maxExpression is the length of a regular expression in bytes.
const maxExpression = 512

// parseConstraint reads what follows the colon of a parameter.
func parseConstraint(text string) (*constraint, error) {
	for i := range named {
		if named[i].text == text {
			c := named[i]
			c.rank = i
			return &c, nil
		}
	}
	for i := range named {
		if strings.TrimSuffix(text, "?") == named[i].text {
			return nil, fmt.Errorf("an optional parameter is {name?:%s}", named[i].text)
		}
	}
	switch {
	case text == "":
		return nil, fmt.Errorf("nothing follows its colon; the constraints are %s, or a regular expression", namesOfConstraints())
	case allOf([]byte(text), isLetter):
		return nil, fmt.Errorf("there is no constraint %s; there are %s, and regular expressions: for the word itself write (%s)", text, namesOfConstraints(), text)
	case len(text) > maxExpression:
		return nil, fmt.Errorf("its regular expression has more than %d bytes", maxExpression)
	}
	if _, err := regexp.Compile(text); err != nil { // by itself: brackets may not close the group around it
		return nil, fmt.Errorf("its constraint is no regular expression: %w", err)
	}
	compiled, err := regexp.Compile(`\A(?:` + text + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("its constraint is no regular expression: %w", err)
	}
	return &constraint{text: text, rank: -1, expr: text, takes: compiled.Match}, nil
}

func namesOfConstraints() string {
	var names []string
	for i := range named {
		names = append(names, named[i].text)
	}
	return strings.Join(names, ", ")
}

// accepts reports whether a value in canonical form, which isn't empty, is taken.
// Only one that holds an escaped slash or percent has to be decoded.
func (c *constraint) accepts(canonical []byte) bool {
	for _, b := range canonical {
		if b == '%' {
			return c.takes(appendDecoded(nil, canonical))
		}
	}
	return c.takes(canonical)
}

func allOf(v []byte, is func(byte) bool) bool {
	for _, c := range v {
		if !is(c) {
			return false
		}
	}
	return len(v) > 0
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isUint: digits that a uint64 holds.
func isUint(v []byte) bool { return isDecimal(v, math.MaxUint64) }

// isInt: what an int64 holds, without "+".
func isInt(v []byte) bool {
	if len(v) > 0 && v[0] == '-' {
		return isDecimal(v[1:], -math.MinInt64)
	}
	return isDecimal(v, math.MaxInt64)
}

// isDecimal: digits of a number up to most. An error of strconv would allocate.
func isDecimal(v []byte, most uint64) bool {
	n := uint64(0)
	for _, c := range v {
		if !isDigit(c) {
			return false
		}
		d := uint64(c - '0')
		if n > (most-d)/10 {
			return false
		}
		n = 10*n + d
	}
	return len(v) > 0
}

// isFloat: digits with a fraction or without, and no exponent.
func isFloat(v []byte) bool {
	if len(v) > 0 && v[0] == '-' {
		v = v[1:]
	}
	for i, c := range v {
		if c == '.' {
			return allOf(v[:i], isDigit) && allOf(v[i+1:], isDigit)
		}
	}
	return allOf(v, isDigit)
}

// isUUID: the form of RFC 9562 4, of either case.
func isUUID(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, c := range v {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !IsHex(c) {
				return false
			}
		}
	}
	return true
}

// isDate: a day of the calendar, as 2006-01-02 (RFC 3339 5.6, full-date).
func isDate(v []byte) bool {
	if len(v) != 10 || v[4] != '-' || v[7] != '-' || !allOf(v[:4], isDigit) || !allOf(v[5:7], isDigit) || !allOf(v[8:], isDigit) {
		return false
	}
	year := int(v[0]-'0')*1000 + int(v[1]-'0')*100 + int(v[2]-'0')*10 + int(v[3]-'0')
	month, day := int(v[5]-'0')*10+int(v[6]-'0'), int(v[8]-'0')*10+int(v[9]-'0')
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		if last = 28; year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
	}
	return 1 <= month && month <= 12 && 1 <= day && day <= last
}
