package jsonpb

import (
	"bytes"
	"encoding/base64"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// notNumbers are numbers by their names.
var notNumbers = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

// value reads one value of a field, and writes it without a tag.
func (r *reader) value(f *field) bool {
	switch f.kind {
	case protoreflect.MessageKind:
		at := r.open()
		if !r.message(f.message) {
			return false
		}
		r.close(at)
		return true
	case protoreflect.StringKind:
		text, ok := r.string()
		if ok {
			r.out = protowire.AppendBytes(r.out, text)
		}
		return ok
	case protoreflect.BytesKind:
		return r.bytes()
	case protoreflect.BoolKind:
		if r.next() == 't' {
			r.out = append(r.out, 1)
			return r.word("true")
		}
		r.out = append(r.out, 0)
		return r.word("false")
	case protoreflect.FloatKind:
		x, ok := r.float(32)
		r.out = protowire.AppendFixed32(r.out, math.Float32bits(float32(x)))
		return ok
	case protoreflect.DoubleKind:
		x, ok := r.float(64)
		r.out = protowire.AppendFixed64(r.out, math.Float64bits(x))
		return ok
	case protoreflect.EnumKind:
		if r.next() == '"' {
			name, ok := r.string()
			if !ok {
				return false
			}
			n, ok := f.enum.numbers[string(name)]
			r.out = protowire.AppendVarint(r.out, uint64(int64(n)))
			return ok
		}
	}
	n, negative, ok := r.integer()
	return ok && r.number(f.kind, n, negative)
}

// number writes a whole number of a kind, if it is one.
func (r *reader) number(kind protoreflect.Kind, n uint64, negative bool) bool {
	most := uint64(math.MaxInt64)
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		most = math.MaxInt32
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		most = math.MaxUint32
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		most = math.MaxUint64
	}
	signed := most == math.MaxInt32 || most == math.MaxInt64
	switch {
	case !negative && n > most, negative && (!signed || n > most+1):
		return false
	case negative:
		n = -n
	}
	r.out = appendWhole(r.out, kind, n)
	return true
}

// appendWhole appends a whole number, of which a negative one has all its 64 bits.
func appendWhole(dst []byte, kind protoreflect.Kind, n uint64) []byte {
	switch kind {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(int64(n)))
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protowire.AppendFixed32(dst, uint32(n))
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protowire.AppendFixed64(dst, n)
	}
	return protowire.AppendVarint(dst, n)
}

// bytes reads base64, in either alphabet, with padding or without.
func (r *reader) bytes() bool {
	text, ok := r.string()
	if !ok {
		return false
	}
	padded, bare := base64.StdEncoding, base64.RawStdEncoding
	if bytes.ContainsAny(text, "-_") {
		padded, bare = base64.URLEncoding, base64.RawURLEncoding
	}
	encoding := padded
	if len(text)%4 != 0 {
		encoding = bare
	}
	at := r.open()
	out, err := encoding.AppendDecode(r.out, text)
	if err != nil {
		return false
	}
	r.out = out
	r.close(at)
	return true
}

// key writes the key of a map's entry that a name in JSON is.
func (r *reader) key(f *field, name []byte) bool {
	switch f.kind {
	case protoreflect.StringKind:
		r.out = protowire.AppendBytes(r.out, name)
		return true
	case protoreflect.BoolKind:
		is := string(name) == "true"
		r.out = protowire.AppendVarint(r.out, protowire.EncodeBool(is))
		return is || string(name) == "false"
	}
	n, negative, ok := parseInteger(name)
	return ok && r.number(f.kind, n, negative)
}
