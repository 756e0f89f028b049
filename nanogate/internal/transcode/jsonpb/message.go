// Package jsonpb makes messages of protobuf's wire format of JSON, and JSON of them, by
// their descriptors, without a message in memory in between. It decides nothing: what it
// is not sure about, be it wrong or rare, it leaves to protojson by returning false, and
// what it does take comes to what protojson and proto make of it. So there are no errors
// here, and none of protojson's rules is changed (protobuf.dev/programming-guides/json,
// protobuf.dev/programming-guides/encoding).
//
// Left to protojson are all errors, and also: Any, Struct, Value, ListValue, FieldMask,
// groups, extensions, unknown fields of JSON, numbers of JSON that are no plain integers
// where integers are wanted, times with an offset, maps of many keys in JSON, and in
// messages whatever has to be merged.
package jsonpb

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Options are those of protojson that make a difference here.
type Options struct {
	UseProtoNames     bool // names of fields as the .proto file has them
	UseEnumNumbers    bool
	EmitDefaultValues bool
	MostNesting       int // messages within each other, and the outermost
}

// Types are the types of messages that have been requested, and those of their fields.
// They are made while descriptors are loaded, by one goroutine; then nothing is changed.
type Types struct {
	options Options
	known   map[protoreflect.MessageDescriptor]*Message
}

// NewTypes returns types, of which there are none yet.
func NewTypes(options Options) *Types {
	return &Types{options, map[protoreflect.MessageDescriptor]*Message{}}
}

// Message is how messages of one type are read and written.
type Message struct {
	types    *Types
	form     form
	fields   []field // as they are declared
	byName   map[string]*field
	low      [mostLow]*field // by their numbers, as nearly all are
	high     map[protowire.Number]*field
	extended protoreflect.FieldRanges
}

// form is how JSON has a message.
type form uint8

const (
	left      form = iota // to protojson
	object                // the usual way
	timestamp             // google.protobuf.Timestamp
	duration              // google.protobuf.Duration
	wrapper               // one of google.protobuf's values that may be missing: as its one field
)

// Limits of what is taken. Messages that have more are left to protojson.
const (
	mostFields = 512
	mostOneofs = 64
	mostLow    = 64 // numbers of fields that are found by index
)

// Of returns the type of a descriptor, made at the first time.
func (t *Types) Of(md protoreflect.MessageDescriptor) *Message {
	if m := t.known[md]; m != nil {
		return m
	}
	m := &Message{types: t, form: formOf(md), extended: md.ExtensionRanges()}
	t.known[md] = m
	if m.form == left {
		return m
	}
	fields := md.Fields()
	m.fields = make([]field, fields.Len())
	m.byName, m.high = map[string]*field{}, map[protowire.Number]*field{}
	for i := range m.fields {
		f := &m.fields[i]
		*f = t.field(fields.Get(i))
		if f.number < mostLow {
			m.low[f.number] = f
		} else {
			m.high[f.number] = f
		}
		for _, name := range []string{fields.Get(i).JSONName(), fields.Get(i).TextName()} {
			fd := fields.ByJSONName(name) // of fields with the same name it is the one that protojson takes
			if fd == nil {
				fd = fields.ByTextName(name)
			}
			m.byName[name] = &m.fields[fd.Index()]
		}
	}
	return m
}

// numbered finds a field by its number.
func (m *Message) numbered(number protowire.Number) *field {
	if number < mostLow {
		return m.low[number]
	}
	return m.high[number]
}

// Taken reports whether messages of the type are, if there is nothing in them that isn't.
func (m *Message) Taken() bool { return m.form != left }

// Field is the type of a field that is a message; of another one it is nil.
func (m *Message) Field(fd protoreflect.FieldDescriptor) *Message {
	if m.form == left {
		return nil
	}
	return m.fields[fd.Index()].message
}

// formOf is how JSON has messages of a type.
func formOf(md protoreflect.MessageDescriptor) form {
	fields := md.Fields()
	if md.IsPlaceholder() || fields.Len() > mostFields || md.Oneofs().Len() > mostOneofs || md.RequiredNumbers().Len() > 0 {
		return left
	}
	if md.ParentFile().Package() != "google.protobuf" {
		return object
	}
	switch md.Name() {
	case "Any", "Struct", "Value", "ListValue", "FieldMask":
		return left
	case "Timestamp", "Duration":
		if fields.Len() != 2 || !isOne(fields.ByNumber(1), protoreflect.Int64Kind) || !isOne(fields.ByNumber(2), protoreflect.Int32Kind) {
			return left // it only is called so
		}
		if md.Name() == "Timestamp" {
			return timestamp
		}
		return duration
	case "BoolValue", "Int32Value", "Int64Value", "UInt32Value", "UInt64Value", "FloatValue", "DoubleValue", "StringValue", "BytesValue":
		if fd := fields.ByNumber(1); fields.Len() != 1 || fd == nil || !isOne(fd, fd.Kind()) || fd.Message() != nil {
			return left
		}
		return wrapper
	}
	return object
}

func isOne(fd protoreflect.FieldDescriptor, kind protoreflect.Kind) bool {
	return fd != nil && fd.Kind() == kind && fd.Cardinality() == protoreflect.Optional && !fd.HasPresence()
}

// field is how a field is read and written.
type field struct {
	index    int
	number   protowire.Number
	kind     protoreflect.Kind
	shape    shape
	wire     protowire.Type // of one value
	tag      []byte         // with the wire type it is written with
	key      []byte         // as it stands in JSON, with its colon
	absent   []byte         // what stands there for one that isn't set; nil: nothing does
	presence bool           // it can be set to what it is without being set
	oneof    int            // that it is one of; -1: none
	message  *Message       // of that kind
	enum     *enum          // of that kind
	entry    *entry         // of a map
}

// shape is how many values a field has.
type shape uint8

const (
	unknown shape = iota // it is left to protojson
	single
	list   // each with its tag
	packed // a list, behind one tag
	keyed  // a map
)

// entry is what maps hold.
type entry struct{ key, value field }

// enum are the names of numbers.
type enum struct {
	numbers map[string]int32
	names   map[int32][]byte // as they stand in JSON
}

// field makes that of a descriptor.
func (t *Types) field(fd protoreflect.FieldDescriptor) field {
	f := field{index: fd.Index(), number: fd.Number(), kind: fd.Kind(), oneof: -1, presence: fd.HasPresence(), wire: wireOf(fd.Kind())}
	name := fd.JSONName()
	if t.options.UseProtoNames {
		name = fd.TextName()
	}
	key, ok := appendString(nil, []byte(name))
	f.key = append(key, ':')
	if oneof := fd.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		f.oneof = oneof.Index()
	}
	if fd.Enum() != nil {
		f.enum = t.enum(fd.Enum())
	}
	if t.options.EmitDefaultValues && !f.presence {
		f.absent = f.zero(fd)
	}
	switch {
	case !ok || fd.Kind() == protoreflect.GroupKind || isNull(fd):
		return f
	case fd.IsMap():
		f.shape, f.entry = keyed, &entry{t.field(fd.MapKey()), t.field(fd.MapValue())}
		f.entry.key.presence, f.entry.value.presence = true, true // both are always written
		if f.entry.value.shape == unknown {
			f.shape = unknown
		}
	case fd.IsPacked():
		f.shape = packed
	case fd.IsList():
		f.shape = list
	default:
		f.shape = single
	}
	if f.shape == packed {
		f.tag = protowire.AppendTag(nil, f.number, protowire.BytesType)
	} else {
		f.tag = protowire.AppendTag(nil, f.number, f.wire)
	}
	if fd.Message() != nil && !fd.IsMap() {
		f.message = t.Of(fd.Message())
	}
	return f
}

// isNull reports whether a field's values are null in JSON.
func isNull(fd protoreflect.FieldDescriptor) bool {
	return fd.Enum() != nil && fd.Enum().FullName() == "google.protobuf.NullValue"
}

// enum makes that of a descriptor.
func (t *Types) enum(ed protoreflect.EnumDescriptor) *enum {
	e := &enum{map[string]int32{}, map[int32][]byte{}}
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		number := int32(v.Number())
		e.numbers[string(v.Name())] = number
		if _, is := e.names[number]; is || t.options.UseEnumNumbers { // the first of several names is written
			continue
		}
		if name, ok := appendString(nil, []byte(v.Name())); ok {
			e.names[number] = name
		}
	}
	return e
}

// zero is how a field without presence is written that isn't set.
func (f *field) zero(fd protoreflect.FieldDescriptor) []byte {
	switch {
	case fd.IsMap():
		return []byte("{}")
	case fd.IsList():
		return []byte("[]")
	case isNull(fd):
		return []byte("null")
	}
	switch f.kind {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return []byte(`""`)
	case protoreflect.EnumKind:
		if name := f.enum.names[0]; name != nil {
			return name
		}
		return strconv.AppendInt(nil, 0, 10)
	}
	return appendNumber(nil, f.kind, 0)
}

// wireOf is how one value of a kind is written.
func wireOf(kind protoreflect.Kind) protowire.Type {
	switch kind {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}
