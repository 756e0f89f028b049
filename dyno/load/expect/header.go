package expect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// parseHeader compiles "NAME", "NAME exists", "NAME absent" or "NAME OPERATOR
// TEXT". With several fields of the name, one that is as expected will do.
func parseHeader(rest string) (check, error) {
	name, rest := word(rest)
	operator, operand := word(rest)
	c := check{needs: Head}
	switch {
	case name == "":
		return c, errors.New("names no header; write it as header content-type contains json")
	case strings.ContainsAny(name, ":=\"<>"):
		return c, fmt.Errorf("%q is no header name", name)
	case operand == "" && (operator == "" || operator == "exists"):
		c.holds = func(a response) (string, bool) { return "none", has(a.head, name) }
		return c, nil
	case operand == "" && operator == "absent":
		c.holds = func(a response) (string, bool) { return "one", !has(a.head, name) }
		return c, nil
	}
	test, err := parseText(operator, operand)
	c.holds = func(a response) (string, bool) { return holdsHeader(a.head, name, test) }
	return c, err
}

func has(head []byte, name string) bool {
	found := false
	for value := range Fields(head, name) {
		found = found || value != nil
	}
	return found
}

func holdsHeader(head []byte, name string, test textTest) (got string, ok bool) {
	var last []byte
	for value := range Fields(head, name) {
		if test(value) {
			return "", true
		}
		last = value
	}
	if last == nil {
		return "no such header", false
	}
	if IsSecret(name) {
		return "another value", false
	}
	return quote(last), false
}

// Fields yields the values of the fields of one name in a response's head, without
// the white space around them and never nil. They are views into the head. What
// precedes the first line end, the status line, is passed over.
func Fields(head []byte, name string) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		_, rest, _ := bytes.Cut(head, []byte("\n"))
		for len(rest) > 0 {
			var line []byte
			line, rest, _ = bytes.Cut(rest, []byte("\n"))
			field, value, ok := bytes.Cut(line, []byte(":"))
			if ok && len(field) == len(name) && bytes.EqualFold(field, []byte(name)) && !yield(trim(value)) {
				return
			}
		}
	}
}

// trim removes white space around a value; the result is not nil.
func trim(value []byte) []byte {
	for len(value) > 0 && isSpace(value[0]) {
		value = value[1:]
	}
	for len(value) > 0 && isSpace(value[len(value)-1]) {
		value = value[:len(value)-1]
	}
	return value
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
