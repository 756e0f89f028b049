package nano

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// bindJSON decodes the body into what ptr points to.
func (c Ctx) bindJSON(v reflect.Value, ptr any, optional bool) error {
	text, err := c.Body()
	if err != nil {
		return err
	}
	switch trimmed := bytes.Trim(text, " \t\r\n"); {
	case optional && (len(trimmed) == 0 || string(trimmed) == "null"):
		return nil
	case len(trimmed) == 0:
		return FieldErrors{{"body", "", "is empty"}}.problem(400, "the request has no body")
	case string(trimmed) == "null" && !takesNull(v, ptr):
		return FieldErrors{{"body", "", "is null"}}.problem(400, "the request's JSON holds nothing")
	}
	if unmarshal := c.x.app.config.JSON.Unmarshal; unmarshal != nil {
		return undecodable(unmarshal(text, ptr))
	}
	if err := decodeJSON(text, ptr, c.x.app.config.StrictJSON); err != nil {
		return jsonProblem(err)
	}
	return nil
}

// takesNull reports whether null is a value of the type rather than none.
func takesNull(v reflect.Value, ptr any) bool {
	if _, own := ptr.(json.Unmarshaler); own {
		return true
	}
	return v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface
}

// decodeJSON decodes text, which must be one JSON value without a name twice in
// one object.
func decodeJSON(text []byte, ptr any, strict bool) error {
	if !json.Valid(text) {
		return json.Unmarshal(text, ptr) // which says where
	}
	if name := doubledName(text); name != "" {
		return doubled(name)
	}
	if !strict {
		return json.Unmarshal(text, ptr)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(ptr)
}

// doubled is a name that an object has twice.
type doubled string

func (d doubled) Error() string { return fmt.Sprintf("the name %q is there twice", clip(string(d))) }

// jsonProblem says what is wrong with a body.
func jsonProblem(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var twice doubled
	var wrong FieldError
	switch {
	case errors.As(err, &syntax):
		wrong = FieldError{"body", "", fmt.Sprintf("is not JSON: %s, at byte %d", syntax, syntax.Offset)}
	case errors.As(err, &kind):
		wrong = FieldError{"body", clip(kind.Field), "must be " + jsonKind(kind.Type) + ", is " + clip(kind.Value)}
	case errors.As(err, &twice):
		wrong = FieldError{"body", clip(string(twice)), "is there twice"}
	default:
		text := strings.TrimPrefix(err.Error(), "json: ")
		if name, ok := strings.CutPrefix(text, "unknown field "); ok {
			wrong = FieldError{"body", clip(strings.Trim(name, `"`)), "is not known"}
		} else {
			wrong = FieldError{"body", "", "can't be read: " + clip(text)}
		}
	}
	return FieldErrors{wrong}.problem(400, "the request's JSON can't be read")
}

// jsonKind names the JSON that a Go type is read from.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number from " + t.Kind().String() + "'s range"
}

// doubledName returns a name that an object in text, which is valid JSON, has
// twice; "" if there is none. Which of two values counts differs from one parser
// to the next, so that a filter in front could have seen the other.
func doubledName(text []byte) string {
	k := nameCheck{text: text}
	return k.value()
}

// nameCheck walks valid JSON.
type nameCheck struct {
	text []byte
	at   int
}

// value passes over a value.
func (k *nameCheck) value() string {
	switch k.space() {
	case '{':
		return k.object()
	case '[':
		k.at++
		for k.space() != ']' {
			if name := k.value(); name != "" {
				return name
			}
			if k.space() == ',' {
				k.at++
			}
		}
		k.at++
	case '"':
		k.quoted()
	default:
		for k.at < len(k.text) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(k.text[k.at])) {
			k.at++
		}
	}
	return ""
}

// fewNames is how many names of an object are compared one by one.
const fewNames = 8

func (k *nameCheck) object() string {
	var few [fewNames]string
	var seen map[string]bool
	n := 0
	k.at++
	for k.space() != '}' {
		name := k.quoted()
		for i := range min(n, fewNames) {
			if few[i] == name {
				return shown(name)
			}
		}
		if seen[name] {
			return shown(name)
		}
		if n < fewNames {
			few[n] = name
		} else {
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[name] = true
		}
		n++
		k.space()
		k.at++ // ":"
		if inner := k.value(); inner != "" {
			return inner
		}
		if k.space() == ',' {
			k.at++
		}
	}
	k.at++
	return ""
}

// shown is the name, or what stands for the empty one.
func shown(name string) string {
	if name == "" {
		return `""`
	}
	return strings.Clone(name) // the name is a piece of the body
}

// quoted passes over a string and returns what it stands for.
func (k *nameCheck) quoted() string {
	from := k.at
	escapes := false
	for k.at++; k.text[k.at] != '"'; k.at++ {
		if k.text[k.at] == '\\' {
			escapes = true
			k.at++
		}
	}
	k.at++
	if !escapes {
		return unsafeString(k.text[from+1 : k.at-1])
	}
	var s string
	_ = json.Unmarshal(k.text[from:k.at], &s) // it is valid
	return s
}

// space passes over white space and returns what follows; 0 at the end.
func (k *nameCheck) space() byte {
	for k.at < len(k.text) {
		switch c := k.text[k.at]; c {
		case ' ', '\t', '\r', '\n':
			k.at++
		default:
			return c
		}
	}
	return 0
}

// mostEchoed is how much of what a client sent it gets back in an error, in bytes.
const mostEchoed = 100

// clip shortens what came from a client, at a character's end.
func clip[T string | []byte](s T) string {
	if len(s) <= mostEchoed {
		return string(s)
	}
	n := mostEchoed - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return string(s[:n]) + "…"
}
