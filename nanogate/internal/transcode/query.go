package transcode

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// mostParameters bounds the parameters of a query, and how many names one may have.
const (
	mostParameters = 1000
	mostNames      = 32
)

// query reads the parameters of a request: fields that neither the path nor the body
// has ("Rules for HTTP mapping").
func (a *API) query(b *Binding, query []byte, settings []setting) ([]setting, error) {
	own := len(settings)
	for n := 0; len(query) > 0; n++ {
		if n == mostParameters {
			return nil, &Wrong{Text: fmt.Sprintf("the query has more than %d parameters", mostParameters)}
		}
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		if len(pair) == 0 {
			continue
		}
		key, value, _ := bytes.Cut(pair, []byte("="))
		name := unescapeQuery(key)
		path, err := a.parameter(b, name, settings[:own])
		if errors.Is(err, errUnknown) && a.Rules.IgnoreUnknown {
			continue
		}
		if err != nil {
			return nil, &Wrong{Field: name, Text: err.Error()}
		}
		last := path[len(path)-1]
		v, err := a.value(last, unescapeQuery(value))
		if err != nil {
			return nil, &Wrong{Field: name, Text: err.Error()}
		}
		if !last.IsList() && isSet(settings[own:], path) {
			return nil, &Wrong{Field: name, Text: "it is given twice, and isn't repeated"}
		}
		settings = append(settings, setting{path, v})
	}
	return settings, nil
}

// errUnknown is a parameter that no field is meant by.
var errUnknown = errors.New("no such parameter")

// parameter finds the field of a parameter's name. bound are those of the path.
func (a *API) parameter(b *Binding, name string, bound []setting) ([]protoreflect.FieldDescriptor, error) {
	if b.Whole {
		return nil, fmt.Errorf("%w: this method takes all from its path and its body", errUnknown)
	}
	names := strings.SplitN(name, ".", mostNames+1)
	if len(names) > mostNames {
		return nil, fmt.Errorf("%w: it has more than %d names", errUnknown, mostNames)
	}
	path, err := fieldPath(b.Method.Desc.Input(), names, true)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	case b.Body != nil && path[0] == b.Body:
		return nil, fmt.Errorf("%s is the body of the request", b.Body.Name())
	case isSet(bound, path):
		return nil, errors.New("the path has it")
	}
	switch last := path[len(path)-1]; {
	case last.IsMap():
		return nil, fmt.Errorf("%s is a map, which a query can't have", last.FullName())
	case last.IsList() && last.Message() != nil && !IsOneValue(last.Message()):
		return nil, fmt.Errorf("%s is a list of messages, which a query can't have", last.FullName())
	}
	return path, nil
}

// IsOneValue reports whether a message is one value in JSON.
func IsOneValue(md protoreflect.MessageDescriptor) bool {
	switch md.FullName() {
	case "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask",
		"google.protobuf.DoubleValue", "google.protobuf.FloatValue", "google.protobuf.Int64Value", "google.protobuf.UInt64Value",
		"google.protobuf.Int32Value", "google.protobuf.UInt32Value", "google.protobuf.BoolValue", "google.protobuf.StringValue", "google.protobuf.BytesValue":
		return true
	}
	return false
}

// isSet reports whether there is a setting of that field.
func isSet(settings []setting, path []protoreflect.FieldDescriptor) bool {
next:
	for i := range settings {
		if len(settings[i].path) != len(path) {
			continue
		}
		for k, fd := range path {
			if settings[i].path[k] != fd {
				continue next
			}
		}
		return true
	}
	return false
}

// unescapeQuery decodes a part of a query: plus is a space (WHATWG URL 5.1).
func unescapeQuery(b []byte) string {
	if bytes.IndexByte(b, '%') < 0 && bytes.IndexByte(b, '+') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '+':
			out = append(out, ' ')
		case b[i] == '%' && i+2 < len(b) && isHex(b[i+1]) && isHex(b[i+2]):
			out = append(out, hex(b[i+1])<<4|hex(b[i+2]))
			i += 2
		default:
			out = append(out, b[i])
		}
	}
	return string(out)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
