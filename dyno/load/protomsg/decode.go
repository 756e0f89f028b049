package protomsg

import (
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Decoder reads messages of a type. It may be shared.
type Decoder struct {
	of    protoreflect.MessageDescriptor
	types *dynamicpb.Types
}

// NewDecoder reads messages of the type.
func NewDecoder(of protoreflect.MessageDescriptor) *Decoder {
	return &Decoder{of, dynamicpb.NewTypes(filesOf(of))}
}

// AppendJSON appends a message as JSON: fields by their names in JSON, those that
// were not set with their defaults. It allocates: it is for what must be looked at.
func (d *Decoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	msg := dynamicpb.NewMessage(d.of)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: d.types}).Unmarshal(wire, msg); err != nil {
		return dst, err
	}
	return protojson.MarshalOptions{AllowPartial: true, EmitDefaultValues: true, Resolver: d.types}.MarshalAppend(dst, msg)
}
