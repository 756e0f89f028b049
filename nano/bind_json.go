package nano

import (
	"bytes"
	"cmp"
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
	config := &c.x.app.config
	switch codec := &config.JSON; {
	case config.StrictJSON && codec.UnmarshalStrict != nil:
		return undecodable(codec.UnmarshalStrict(text, ptr))
	case codec.Unmarshal != nil:
		return undecodable(codec.Unmarshal(text, ptr))
	}
	return DecodeJSON(text, ptr, config.StrictJSON)
}

// DecodeJSON decodes text into what v points to as [Bind] does without a [JSONCodec]: by
// encoding/json, except that duplicate names in one object are refused, and, if strict,
// names that the type doesn't have. What can't be read is a [Problem] of status
// 400 that says where and why.
func DecodeJSON(text []byte, v any, strict bool) error {
	if err := decodeJSON(text, v, strict); err != nil {
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
	name := doubledName(text)
	switch {
	case name != "" && json.Valid(text):
		return duplicateName(name)
	case !strict || name != "":
		return json.Unmarshal(text, ptr) // which says where it isn't JSON
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(ptr); err != nil {
		return err
	}
	if !json.Valid(text) { // something follows the value
		return json.Unmarshal(text, new(any))
	}
	return nil
}

// duplicateName is a name that an object has twice.
type duplicateName string

func (d duplicateName) Error() string {
	return fmt.Sprintf("the name %q is there twice", clip(string(d)))
}

// jsonProblem says what is wrong with a body.
func jsonProblem(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var twice duplicateName
	var wrong FieldError
	switch {
	case errors.As(err, &syntax):
		wrong = FieldError{"body", "", fmt.Sprintf("is not JSON: %s, at byte %d", syntax, syntax.Offset)}
	case errors.As(err, &kind):
		wrong = FieldError{"body", clip(kind.Field), wrongKind(kind)}
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

// wrongKind says what a value must be, and is.
func wrongKind(e *json.UnmarshalTypeError) string {
	if number, ok := strings.CutPrefix(e.Value, "number "); ok { // one that the type doesn't hold
		return "must be " + jsonKind(e.Type, number) + ", is " + clip(number)
	}
	return "must be " + jsonKind(e.Type, "") + ", is " + cmp.Or(jsonValues[e.Value], clip(e.Value))
}

// jsonValues are encoding/json's names for the kinds of values.
var jsonValues = map[string]string{
	"string": "a string", "number": "a number", "bool": "true or false", "array": "an array", "object": "an object",
}

// jsonKind names the JSON that a Go type is read from. number is one that it is not
// read from, if the value is that.
func jsonKind(t reflect.Type, number string) string {
	outside := number != "" && !strings.ContainsAny(number, ".eE") // of the whole numbers it holds
	if implements(t) {
		return "a string"
	}
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		if number != "" {
			return "a number that fits " + kind.String()
		}
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if outside {
			most := int64(1)<<(t.Bits()-1) - 1
			return fmt.Sprintf("a whole number from %d to %d", -most-1, most)
		}
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if outside {
			return fmt.Sprintf("a whole number from 0 to %d", ^uint64(0)>>(64-t.Bits()))
		}
		return "a whole number that isn't negative"
	}
	return "something else"
}

// doubledName returns a name that an object in text has twice; "" if there is none,
// or if the text is no JSON. Which of two values counts differs from one parser
// to the next, so that a filter in front could have seen the other.
//
// It does not check the text, which the decoder does anyway, and takes whatever
// comes, in a time that grows with its length alone.
func doubledName(text []byte) string {
	k := nameCheck{text: text}
	return k.value()
}

// nameCheck walks JSON, or what may be some.
type nameCheck struct {
	text  []byte
	at    int
	depth int
}

// maxNesting is how deep encoding/json reads; it refuses what is deeper.
const maxNesting = 10_000

// value passes over a value. Where there is none it passes over all that is left.
func (k *nameCheck) value() (doubled string) {
	if k.depth++; k.depth > maxNesting {
		k.at = len(k.text)
		return ""
	}
	switch k.space() {
	case '{':
		doubled = k.object()
	case '[':
		k.at++
		for k.more(']') {
			if doubled = k.value(); doubled != "" {
				return doubled
			}
			if !k.pass(',') && k.space() != ']' {
				k.at = len(k.text)
			}
		}
		k.at++
	case '"':
		k.quoted()
	default:
		from := k.at
		for k.at < len(k.text) && !isAfterValue[k.text[k.at]] {
			k.at++
		}
		if k.at == from {
			k.at = len(k.text)
		}
	}
	k.depth--
	return doubled
}

// isAfterValue are the bytes that end a number, true, false or null.
var isAfterValue = [256]bool{',': true, ']': true, '}': true, ':': true, ' ': true, '\t': true, '\r': true, '\n': true}

// more reports whether there is more before the closing bracket.
func (k *nameCheck) more(bracket byte) bool {
	c := k.space()
	return c != bracket && c != 0
}

// pass passes over a byte if it is the next.
func (k *nameCheck) pass(c byte) bool {
	if k.space() != c {
		return false
	}
	k.at++
	return true
}

// fewNames is how many names of an object are compared one by one.
const fewNames = 8

func (k *nameCheck) object() string {
	var few [fewNames]string
	var seen map[string]bool
	n := 0
	k.at++
	for k.more('}') {
		if k.text[k.at] != '"' {
			k.at = len(k.text)
			break
		}
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
		if !k.pass(':') {
			k.at = len(k.text)
			break
		}
		if inner := k.value(); inner != "" {
			return inner
		}
		if !k.pass(',') && k.space() != '}' {
			k.at = len(k.text)
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

// quoted passes over a quoted string and returns its value.
func (k *nameCheck) quoted() string {
	from := k.at + 1
	for k.at = from; ; k.at++ {
		n := bytes.IndexByte(k.text[min(k.at, len(k.text)):], '"')
		if n < 0 {
			k.at = len(k.text)
			return ""
		}
		end := k.at + n
		if k.at = end; !isEscaped(k.text[from:end]) {
			break
		}
	}
	in := k.text[from:k.at]
	k.at++
	if bytes.IndexByte(in, '\\') < 0 {
		return unsafeString(in)
	}
	var s string
	_ = json.Unmarshal(k.text[from-1:k.at], &s) // what is no string has no name
	return s
}

// isEscaped reports whether the byte after text is escaped: an odd number of
// backslashes stands before it.
func isEscaped(text []byte) bool {
	n := len(text)
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (len(text)-n)%2 == 1
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
