package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// apply adds what a validate tag demands: rules parted by commas, those after
// "dive" for the elements of a list or the values of a map. Rules that JSON
// Schema can't express are left out, and all for elements of which s says nothing:
// those of a type that writes its own JSON.
func apply(s *Schema, t reflect.Type, rules string) error {
	if s == nil {
		return nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	own, inner, dive := strings.Cut(","+rules+",", ",dive,")
	for rule := range strings.SplitSeq(own, ",") {
		name, value, _ := strings.Cut(rule, "=")
		if err := applyOne(s, t, name, value); err != nil {
			return fmt.Errorf("rule %q: %w", rule, err)
		}
	}
	if !dive {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return apply(s.Items, t.Elem(), inner)
	case reflect.Map:
		return apply(s.AdditionalProperties, t.Elem(), inner)
	}
	return fmt.Errorf("rule dive: %s has no elements", t)
}

// formats are rules that have a format in JSON Schema 2020-12, Validation 7.3.
var formats = map[string]string{
	"email": "email", "url": "uri", "uri": "uri", "uuid": "uuid", "uuid4": "uuid",
	"ipv4": "ipv4", "ipv6": "ipv6", "hostname": "hostname", "hostname_rfc1123": "hostname",
}

// patterns are rules that a regular expression can express.
var patterns = map[string]string{
	"alpha": "^[a-zA-Z]+$", "alphanum": "^[a-zA-Z0-9]+$", "numeric": `^[-+]?[0-9]+(\.[0-9]+)?$`,
	"lowercase": "^[^A-Z]*$", "uppercase": "^[^a-z]*$",
}

func applyOne(s *Schema, t reflect.Type, name, value string) error {
	if f := formats[name]; f != "" {
		s.Format = f
		return nil
	}
	if p := patterns[name]; p != "" {
		s.Pattern = p
		return nil
	}
	switch name {
	case "min", "gte":
		return bound(s, t, value, true, false)
	case "max", "lte":
		return bound(s, t, value, false, false)
	case "gt":
		return bound(s, t, value, true, true)
	case "lt":
		return bound(s, t, value, false, true)
	case "len":
		if err := bound(s, t, value, true, false); err != nil {
			return err
		}
		return bound(s, t, value, false, false)
	case "unique":
		s.UniqueItems = s.Items != nil
	case "oneof":
		return oneOf(s, t, value)
	}
	return nil
}

// bound limits a number, or the length of a text, list or map.
func bound(s *Schema, t reflect.Type, value string, low, exclusive bool) error {
	if d, err := time.ParseDuration(value); err == nil && t == durationType {
		value = strconv.FormatInt(int64(d), 10)
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 {
		if _, err := strconv.ParseFloat(value, 64); err != nil || !json.Valid([]byte(value)) {
			return fmt.Errorf("%q is not a number", value)
		}
		*numberBound(s, low, exclusive) = json.Number(value)
		return nil
	}
	to := lengthBound(s, t, low)
	if to == nil {
		return nil // such as a time, or bytes in base64
	}
	n, err := strconv.Atoi(value)
	if exclusive && low {
		n++
	} else if exclusive {
		n--
	}
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a length", value)
	}
	*to = &n
	return nil
}

func numberBound(s *Schema, low, exclusive bool) *json.Number {
	switch {
	case low && exclusive:
		return &s.ExclusiveMinimum
	case low:
		return &s.Minimum
	case exclusive:
		return &s.ExclusiveMaximum
	}
	return &s.Maximum
}

func lengthBound(s *Schema, t reflect.Type, low bool) **int {
	switch k := t.Kind(); {
	case k == reflect.String:
		return pick(low, &s.MinLength, &s.MaxLength)
	case s.Items != nil:
		return pick(low, &s.MinItems, &s.MaxItems)
	case s.AdditionalProperties != nil:
		return pick(low, &s.MinProperties, &s.MaxProperties)
	}
	return nil
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// oneOf lists the values, parted by spaces; one with spaces in it is in single
// quotes.
func oneOf(s *Schema, t reflect.Type, values string) error {
	for _, v := range splitValues(values) {
		if t.Kind() == reflect.String {
			s.Enum = append(s.Enum, v)
			continue
		}
		var n json.Number
		if err := json.Unmarshal([]byte(v), &n); err != nil {
			return fmt.Errorf("%q is not a number", v)
		}
		s.Enum = append(s.Enum, n)
	}
	if _, nullable := s.Type.([]string); nullable {
		s.Enum = append(s.Enum, nil)
	}
	return nil
}

func splitValues(s string) (values []string) {
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		if quoted, ok := strings.CutPrefix(s, "'"); ok {
			if v, rest, ok := strings.Cut(quoted, "'"); ok {
				values, s = append(values, v), rest
				continue
			}
		}
		v, rest, _ := strings.Cut(s, " ")
		values, s = append(values, v), rest
	}
	return values
}

// ruleNames returns the names of the rules for a value itself.
func ruleNames(rules string) (names []string) {
	for rule := range strings.SplitSeq(rules, ",") {
		name, _, _ := strings.Cut(rule, "=")
		if name == "dive" {
			break
		}
		names = append(names, name)
	}
	return names
}
