package protomsg

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"dyno.example/dyno/load/template"
)

// wireValue says how a text becomes a value on the wire.
type wireValue struct {
	kind  protoreflect.Kind
	stamp bool             // google.protobuf.Timestamp, of RFC 3339
	enum  map[string]int32 // by name
}

func valueOf(fd protoreflect.FieldDescriptor) wireValue {
	v := wireValue{kind: fd.Kind(), stamp: fd.Message() != nil && fd.Message().FullName() == timestamp}
	if e := fd.Enum(); e != nil {
		v.enum = make(map[string]int32)
		for i := range e.Values().Len() {
			one := e.Values().Get(i)
			v.enum[string(one.Name())] = int32(one.Number())
		}
	}
	return v
}

// isText reports whether JSON has such values in quotes only.
func (v *wireValue) isText() bool {
	return v.kind == protoreflect.StringKind || v.kind == protoreflect.BytesKind || v.stamp
}

func (v *wireValue) wireType() protowire.Type {
	switch v.kind {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

// append appends the value of a text, without a tag. ok is false if it has none; an
// integer that is out of range has one, its lowest bits.
func (v *wireValue) append(dst, text []byte) (wire []byte, ok bool) {
	switch v.kind {
	case protoreflect.StringKind:
		return append(protowire.AppendVarint(dst, uint64(len(text))), text...), true
	case protoreflect.BytesKind:
		return appendBase64(dst, text)
	case protoreflect.MessageKind:
		return appendTimestamp(dst, text)
	case protoreflect.BoolKind:
		return protowire.AppendVarint(dst, protowire.EncodeBool(string(text) == "true")), string(text) == "true" || string(text) == "false"
	case protoreflect.EnumKind:
		if n, ok := v.enum[string(text)]; ok {
			return protowire.AppendVarint(dst, uint64(int64(n))), true
		}
		n, err := strconv.ParseInt(string(text), 10, 32)
		return protowire.AppendVarint(dst, uint64(n)), err == nil
	case protoreflect.FloatKind:
		x, err := strconv.ParseFloat(string(text), 32)
		return protowire.AppendFixed32(dst, math.Float32bits(float32(x))), err == nil
	case protoreflect.DoubleKind:
		x, err := strconv.ParseFloat(string(text), 64)
		return protowire.AppendFixed64(dst, math.Float64bits(x)), err == nil
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		n, err := strconv.ParseUint(string(text), 10, 64)
		return v.appendNumber(dst, n), err == nil && (v.bits() == 64 || n <= math.MaxUint32)
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return v.appendNumber(dst, uint64(n)), err == nil && (v.bits() == 64 || n == int64(int32(n)))
}

// bits is the width of an integer.
func (v *wireValue) bits() int {
	switch v.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return 32
	}
	return 64
}

// appendNumber appends an integer, whose sign is that of its highest bit.
func (v *wireValue) appendNumber(dst []byte, n uint64) []byte {
	switch v.kind {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protowire.AppendFixed32(dst, uint32(n))
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protowire.AppendFixed64(dst, n)
	case protoreflect.Sint32Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(int64(int32(n))))
	case protoreflect.Sint64Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(int64(n)))
	case protoreflect.Int32Kind:
		return protowire.AppendVarint(dst, uint64(int64(int32(n))))
	case protoreflect.Uint32Kind:
		return protowire.AppendVarint(dst, uint64(uint32(n)))
	}
	return protowire.AppendVarint(dst, n)
}

// appendBase64 appends bytes from base64: of both alphabets, padded or not, as
// protobuf's JSON mapping takes them.
func appendBase64(dst, text []byte) ([]byte, bool) {
	code := base64.RawStdEncoding
	if bytes.ContainsAny(text, "-_") {
		code = base64.RawURLEncoding
	}
	start := len(dst)
	dst, err := code.AppendDecode(dst, bytes.TrimRight(text, "="))
	return insertLength(dst, start), err == nil
}

// appendTimestamp appends a google.protobuf.Timestamp from RFC 3339.
func appendTimestamp(dst, text []byte) ([]byte, bool) {
	at, err := time.Parse(time.RFC3339Nano, string(text))
	start := len(dst)
	dst = protowire.AppendTag(dst, 1, protowire.VarintType)
	dst = protowire.AppendVarint(dst, uint64(at.Unix()))
	if n := at.Nanosecond(); n > 0 {
		dst = protowire.AppendTag(dst, 2, protowire.VarintType)
		dst = protowire.AppendVarint(dst, uint64(n))
	}
	return insertLength(dst, start), err == nil
}

// insertLength puts before what is in dst from start how long it is.
func insertLength(dst []byte, start int) []byte {
	n := len(dst) - start
	size := protowire.SizeVarint(uint64(n))
	for range size {
		dst = append(dst, 0)
	}
	copy(dst[start+size:], dst[start:start+n])
	protowire.AppendVarint(dst[:start], uint64(n))
	return dst
}

// fits reports what is wrong with a template for a field, or nil: every text it can
// put in must have a value.
func (v *wireValue) fits(t *template.Template, fd protoreflect.FieldDescriptor) error {
	if v.kind == protoreflect.StringKind {
		for from, text := range t.Texts() {
			if !utf8.ValidString(text) {
				return fmt.Errorf("%stext that is not UTF-8: %q", origin(from), text)
			}
		}
		return nil
	}
	texts, ok := t.Single()
	if !ok {
		return fmt.Errorf("expected %s: that takes one placeholder, and nothing around it", describe(fd))
	}
	for from, text := range texts {
		if _, ok := v.append(nil, []byte(text)); !ok {
			const most = 60
			if len(text) > most {
				text = strings.ToValidUTF8(text[:most], "") + "…"
			}
			return fmt.Errorf("%sexpected %s, got %q", origin(from), describe(fd), text)
		}
	}
	return nil
}

// origin is the start of a message about a text that is from elsewhere.
func origin(from string) string {
	if from == "" {
		return ""
	}
	return from + ": "
}
