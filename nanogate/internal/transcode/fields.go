package transcode

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/internal/spelling"
)

// fieldPath follows names from a message to a field. All but the last are messages that
// aren't repeated. With json a name may be the one that the field has in JSON.
func fieldPath(md protoreflect.MessageDescriptor, names []string, json bool) ([]protoreflect.FieldDescriptor, error) {
	path := make([]protoreflect.FieldDescriptor, 0, len(names))
	for i, name := range names {
		fd := md.Fields().ByName(protoreflect.Name(name))
		if fd == nil && json {
			fd = md.Fields().ByJSONName(name)
		}
		if fd == nil {
			return nil, noField(md, name)
		}
		path = append(path, fd)
		if i == len(names)-1 {
			return path, nil
		}
		switch {
		case fd.IsMap():
			return nil, fmt.Errorf("%s is a map, which has no fields", fd.FullName())
		case fd.IsList():
			return nil, fmt.Errorf("%s is repeated: it can't be said which of it is meant", fd.FullName())
		case fd.Message() == nil:
			return nil, fmt.Errorf("%s is no message, and has no field %q", fd.FullName(), names[i+1])
		}
		md = fd.Message()
	}
	return nil, fmt.Errorf("there is no name")
}

func noField(md protoreflect.MessageDescriptor, name string) error {
	var names []string
	for i := range md.Fields().Len() {
		names = append(names, string(md.Fields().Get(i).Name()))
	}
	if near, ok := spelling.Nearest(name, names); ok {
		return fmt.Errorf("%s has no field %q, did you mean %s?", md.FullName(), name, near)
	}
	return fmt.Errorf("%s has no field %q", md.FullName(), name)
}

// setting is a value for a field of a request's message.
type setting struct {
	path  []protoreflect.FieldDescriptor
	value protoreflect.Value
}

// put puts the value in; into a list it is appended.
func (s *setting) put(m protoreflect.Message) {
	last := len(s.path) - 1
	for _, fd := range s.path[:last] {
		m = m.Mutable(fd).Message()
	}
	if fd := s.path[last]; fd.IsList() {
		m.Mutable(fd).List().Append(s.value)
	} else {
		m.Set(fd, s.value)
	}
}

// value reads text of a path or a query as a value of a field, or of one of its values if
// it is repeated.
func (a *API) value(fd protoreflect.FieldDescriptor, text string) (v protoreflect.Value, err error) {
	expected := func(what string) (protoreflect.Value, error) {
		return v, fmt.Errorf("expected %s, got %s", what, quote(text))
	}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		if text != "true" && text != "false" {
			return expected("true or false")
		}
		return protoreflect.ValueOfBool(text == "true"), nil
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		v, what := integer(fd.Kind(), text)
		if what != "" {
			return expected(what)
		}
		return v, nil
	case protoreflect.FloatKind:
		x, ok := parseFloat(text, 32)
		if !ok {
			return expected("a number")
		}
		return protoreflect.ValueOfFloat32(float32(x)), nil
	case protoreflect.DoubleKind:
		x, ok := parseFloat(text, 64)
		if !ok {
			return expected("a number")
		}
		return protoreflect.ValueOfFloat64(x), nil
	case protoreflect.StringKind:
		if !utf8.ValidString(text) {
			return expected("text in UTF-8")
		}
		return protoreflect.ValueOfString(text), nil
	case protoreflect.BytesKind:
		b, err := parseBytes(text)
		if err != nil {
			return expected("bytes in base64")
		}
		return protoreflect.ValueOfBytes(b), nil
	case protoreflect.EnumKind:
		if v := fd.Enum().Values().ByName(protoreflect.Name(text)); v != nil {
			return protoreflect.ValueOfEnum(v.Number()), nil
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || fd.Enum().IsClosed() && fd.Enum().Values().ByNumber(protoreflect.EnumNumber(n)) == nil {
			return expected("a value of " + string(fd.Enum().FullName()))
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), nil
	}
	return a.known(fd, text)
}

// integer reads a whole number of a field's kind, or says what was expected.
func integer(kind protoreflect.Kind, text string) (v protoreflect.Value, expected string) {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return v, "a whole number of 32 bits"
		}
		return protoreflect.ValueOfInt32(int32(n)), ""
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return v, "a whole number from 0 of 32 bits"
		}
		return protoreflect.ValueOfUint32(uint32(n)), ""
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return v, "a whole number of 64 bits"
		}
		return protoreflect.ValueOfInt64(n), ""
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return v, "a whole number from 0 of 64 bits"
	}
	return protoreflect.ValueOfUint64(n), ""
}

// known reads one of the well-known types that are a single value in JSON.
func (a *API) known(fd protoreflect.FieldDescriptor, text string) (v protoreflect.Value, err error) {
	md := fd.Message()
	m := dynamicpb.NewMessage(md)
	switch name := md.FullName(); {
	case md.ParentFile().Package() == "google.protobuf" && strings.HasSuffix(string(name), "Value") && md.Fields().Len() == 1 && md.Fields().ByName("value") != nil:
		inner, err := a.value(md.Fields().ByName("value"), text)
		if err != nil {
			return v, err
		}
		m.Set(md.Fields().ByName("value"), inner)
	case name == "google.protobuf.Timestamp", name == "google.protobuf.Duration", name == "google.protobuf.FieldMask":
		if err := (protojson.UnmarshalOptions{}).Unmarshal(appendQuoted(nil, text), m); err != nil {
			return v, fmt.Errorf("expected a %s as JSON has it, got %s", name.Name(), quote(text))
		}
	default:
		return v, fmt.Errorf("%s is a message: name one of its fields", name)
	}
	return protoreflect.ValueOfMessage(m), nil
}

// parseFloat reads a number as JSON has it, or one of the names that protobuf has for
// those that JSON has not.
func parseFloat(text string, bits int) (float64, bool) {
	switch text {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, bits)
	return x, err == nil
}

// parseBytes reads base64, in either alphabet, with padding or without.
func parseBytes(text string) ([]byte, error) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	return encoding.DecodeString(strings.TrimRight(text, "="))
}

// quote returns text as messages show it, cut if it is long.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "…"
	}
	return strconv.Quote(text)
}
