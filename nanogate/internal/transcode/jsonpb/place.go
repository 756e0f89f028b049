package jsonpb

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// AppendValue appends a value of the field that a path leads to, from message to message;
// of a list it is one. Whoever reads it merges it with what is there already. A type that is nil has no fields.
func (m *Message) AppendValue(dst []byte, path []protoreflect.FieldDescriptor, v protoreflect.Value) (out []byte, ok bool) {
	if m == nil || m.form != object {
		return dst, false
	}
	f := &m.fields[path[0].Index()]
	out = protowire.AppendTag(dst, f.number, f.wire)
	switch {
	case f.shape == unknown:
		return dst, false
	case len(path) > 1:
		at := len(out)
		if out, ok = f.message.AppendValue(append(out, 0), path[1:], v); !ok {
			return dst, false
		}
		return putLength(out, at), true
	case f.kind == protoreflect.MessageKind:
		at := len(out)
		out, err := proto.MarshalOptions{}.MarshalAppend(append(out, 0), v.Message().Interface())
		if err != nil {
			return dst, false
		}
		return putLength(out, at), true
	}
	return appendScalar(out, f.kind, v), true
}

// appendScalar appends a value that is no message.
func appendScalar(dst []byte, kind protoreflect.Kind, v protoreflect.Value) []byte {
	switch kind {
	case protoreflect.BoolKind:
		return protowire.AppendVarint(dst, protowire.EncodeBool(v.Bool()))
	case protoreflect.EnumKind:
		return protowire.AppendVarint(dst, uint64(int64(v.Enum())))
	case protoreflect.StringKind:
		return protowire.AppendString(dst, v.String())
	case protoreflect.BytesKind:
		return protowire.AppendBytes(dst, v.Bytes())
	case protoreflect.FloatKind:
		return protowire.AppendFixed32(dst, math.Float32bits(float32(v.Float())))
	case protoreflect.DoubleKind:
		return protowire.AppendFixed64(dst, math.Float64bits(v.Float()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return appendWhole(dst, kind, v.Uint())
	}
	return appendWhole(dst, kind, uint64(v.Int()))
}
