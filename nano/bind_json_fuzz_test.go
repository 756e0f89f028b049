package nano

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzDoubledName: in JSON the names found are those that a reader of tokens finds;
// whatever else comes is passed over.
func FuzzDoubledName(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":[{"a":2},{"a":3}]}`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `[[{"x":1,"x":1}]]`, `{"":0,"":1}`,
		`{"a":1,"\u0061":2}`, `{"a\\":1,"a\"":2,"a\\\"":3}`, ` { "a" : true , "b" : null } `,
		`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"9":0}`,
		`{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[`, `[1`, `[,`, `{,}`, `"`, `"\`, `{"a"1}`, `{"a":1 "a":2}`, "\x00", `]`, `}`, `:`, ``,
		strings.Repeat("[", 12_000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found := doubledName(text)
		if !json.Valid(text) {
			return
		}
		if want := hasDoubledName(text); want != (found != "") {
			t.Errorf("found %q in %q, want %t", found, text, want)
		}
	})
}

// hasDoubledName reads JSON token by token.
func hasDoubledName(text []byte) bool {
	type open struct {
		names map[string]bool // nil in an array
		value bool            // a value is next, not a name
	}
	var stack []open
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		top := len(stack) - 1
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			stack = stack[:top]
			continue
		}
		if top >= 0 && stack[top].names != nil {
			if !stack[top].value {
				name := token.(string)
				if stack[top].names[name] {
					return true
				}
				stack[top].names[name], stack[top].value = true, true
				continue
			}
			stack[top].value = false
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, open{names: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, open{})
		}
	}
}
