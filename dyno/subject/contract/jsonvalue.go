package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"
)

// DecodeJSON parses one JSON value, keeping numbers as they are written.
func DecodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("there is nothing")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

// EqualJSON compares two values as JSON means them: members in any order,
// numbers by their value.
func EqualJSON(a, b any) bool { return reflect.DeepEqual(normalJSON(a), normalJSON(b)) }

// normalJSON writes every number in one way.
func normalJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = normalJSON(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = normalJSON(item)
		}
		return out
	case json.Number:
		return normalNumber(v)
	}
	return v
}

// normalNumber writes integers exactly and fractions as the nearest double.
func normalNumber(n json.Number) json.Number {
	f, err := n.Float64()
	if err != nil {
		return n // beyond all doubles; equal to itself only
	}
	if i, ok := new(big.Int).SetString(n.String(), 10); ok {
		return json.Number(i.String())
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

// indentJSON lays a value out in lines, with sorted members.
func indentJSON(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error() // can't be: the value was parsed
	}
	return string(text)
}
