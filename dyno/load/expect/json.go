package expect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"unicode/utf8"
)

// document is a body read as JSON, or why it is none.
type document struct {
	root any
	err  error
}

func readDocument(body []byte) document {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // identifiers beyond 2^53 must not be rounded
	var doc document
	if doc.err = d.Decode(&doc.root); doc.err == nil {
		if _, err := d.Token(); err != io.EOF {
			doc.err = errors.New("more than one JSON value")
		}
	}
	if doc.err != nil {
		doc.err = fmt.Errorf("a body that is not JSON: %w", doc.err)
	}
	return doc
}

// parseJSON compiles "PATH", "PATH exists", "PATH absent", "PATH OPERATOR
// VALUE", "PATH contains TEXT" or "PATH matches REGEXP".
func parseJSON(rest string) (check, error) {
	p, rest, err := parsePath(rest)
	if err != nil {
		return check{}, err
	}
	operator, operand := word(rest)
	var test valueTest
	switch {
	case operand == "" && (operator == "" || operator == "exists"):
		test = func(_ any, found bool) bool { return found }
	case operand == "" && operator == "absent":
		test = func(_ any, found bool) bool { return !found }
	case operator == "contains" || operator == "matches":
		test, err = parseTextOf(operator, operand)
	default:
		test, err = parseComparison(operator, operand)
	}
	return check{needs: Body, json: true, holds: func(a response) (string, bool) {
		return holdsJSON(a.doc, p, test)
	}}, err
}

// valueTest judges the value a path leads to, if one was found.
type valueTest func(value any, found bool) bool

func holdsJSON(doc document, p path, test valueTest) (got string, ok bool) {
	if doc.err != nil {
		return doc.err.Error(), false
	}
	value, found := p.find(doc.root)
	switch {
	case test(value, found):
		return "", true
	case !found:
		return "nothing there", false
	}
	text, _ := json.Marshal(value)
	if len(text) > shown {
		return string(bytes.ToValidUTF8(text[:shown], nil)) + "…", false
	}
	return string(text), false
}

// find follows the path from the root.
func (p *path) find(value any) (any, bool) {
	for _, s := range p.steps {
		var ok bool
		if value, ok = s.from(value); !ok {
			return nil, false
		}
	}
	if p.length {
		return length(value)
	}
	return value, true
}

func (s step) from(value any) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		member, ok := v[s.name]
		return member, ok && !s.item
	case []any:
		if s.item && s.index < len(v) {
			return v[s.index], true
		}
	}
	return nil, false
}

func length(value any) (any, bool) {
	n := 0
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
	case []any:
		n = len(v)
	case string:
		n = utf8.RuneCountInString(v)
	default:
		return nil, false
	}
	return json.Number(fmt.Sprint(n)), true
}

// parseComparison compiles "OPERATOR VALUE", the value in JSON. Numbers and
// texts have an order; other values are equal or not.
func parseComparison(operator, operand string) (valueTest, error) {
	holds, ok := order(operator)
	if !ok {
		return nil, fmt.Errorf("%q is no comparison; expected ==, !=, <, <=, >, >=, contains, matches, exists or absent", operator)
	}
	want := readDocument([]byte(operand))
	if want.err != nil {
		return nil, fmt.Errorf("%q is not a JSON value; texts need quotes, as in == \"ok\"", operand)
	}
	ordered := operator != "==" && operator != "!="
	if _, comparable := compare(want.root, want.root); ordered && !comparable {
		return nil, fmt.Errorf("%s has no order: %s compares numbers and texts", operand, operator)
	}
	return func(value any, found bool) bool {
		sign, comparable := compare(value, want.root)
		switch {
		case !found:
			return false
		case comparable:
			return holds(sign)
		case ordered:
			return false
		}
		return reflect.DeepEqual(value, want.root) == (operator == "==")
	}, nil
}

// compare compares two numbers or two texts.
func compare(a, b any) (sign int, ok bool) {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return cmp.Compare(a, b), ok
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return 0, false
		}
		return compareNumbers(a, b)
	}
	return 0, false
}

// maxExact is the length of number that is compared exactly. 1e1000000 would
// take long to write out.
const maxExact = 30

func compareNumbers(a, b json.Number) (sign int, ok bool) {
	if a == b {
		return 0, true
	}
	x, okX := exact(a)
	y, okY := exact(b)
	if okX && okY {
		return x.Cmp(y), true
	}
	f, errA := a.Float64()
	g, errB := b.Float64()
	return cmp.Compare(f, g), errA == nil && errB == nil
}

// exact returns a number that is short and has no exponent.
func exact(n json.Number) (*big.Rat, bool) {
	if len(n) > maxExact || bytes.ContainsAny([]byte(n), "eE") {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}

// parseTextOf compiles a test of a text. An array contains a text if one of its
// items is equal to it.
func parseTextOf(operator, operand string) (valueTest, error) {
	test, err := parseText(operator, operand)
	if err != nil {
		return nil, err
	}
	item, err := unquote(operand)
	if err != nil {
		return nil, err
	}
	return func(value any, found bool) bool {
		switch v := value.(type) {
		case string:
			return found && test([]byte(v))
		case []any:
			for _, x := range v {
				if x == any(item) && operator == "contains" {
					return true
				}
			}
		}
		return false
	}, nil
}
