package openapi

import (
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/nanogate/internal/transcode"
)

// schema is a JSON Schema (draft 2020-12, which OpenAPI 3.1 uses).
type schema map[string]any

// wellKnown are the types that JSON has in a form of their own
// (protobuf.dev/programming-guides/json).
var wellKnown = map[protoreflect.FullName]schema{
	"google.protobuf.Timestamp":   {"type": "string", "format": "date-time"},
	"google.protobuf.Duration":    {"type": "string", "pattern": `^-?[0-9]+(\.[0-9]{1,9})?s$`},
	"google.protobuf.FieldMask":   {"type": "string"},
	"google.protobuf.Struct":      {"type": "object"},
	"google.protobuf.Value":       {},
	"google.protobuf.ListValue":   {"type": "array", "items": schema{}},
	"google.protobuf.Empty":       {"type": "object"},
	"google.protobuf.Any":         {"type": "object", "properties": map[string]schema{"@type": {"type": "string"}}, "required": []string{"@type"}},
	"google.protobuf.DoubleValue": {"type": []string{"number", "null"}, "format": "double"},
	"google.protobuf.FloatValue":  {"type": []string{"number", "null"}, "format": "float"},
	"google.protobuf.Int64Value":  {"type": []string{"string", "null"}, "format": "int64"},
	"google.protobuf.UInt64Value": {"type": []string{"string", "null"}, "format": "uint64"},
	"google.protobuf.Int32Value":  {"type": []string{"integer", "null"}, "format": "int32"},
	"google.protobuf.UInt32Value": {"type": []string{"integer", "null"}, "format": "uint32"},
	"google.protobuf.BoolValue":   {"type": []string{"boolean", "null"}},
	"google.protobuf.StringValue": {"type": []string{"string", "null"}},
	"google.protobuf.BytesValue":  {"type": []string{"string", "null"}, "contentEncoding": "base64"},
}

// message refers to the schema of a message, which is made the first time.
func (d *maker) message(md protoreflect.MessageDescriptor) schema {
	if s, ok := wellKnown[md.FullName()]; ok {
		return s
	}
	name := string(md.FullName())
	if d.schemas[name] == nil {
		s := schema{"type": "object"}
		d.schemas[name] = s // before its fields, which may be of the same type
		properties := map[string]schema{}
		var required []string
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			property := d.described(fd)
			for _, behavior := range behaviors(fd) {
				switch behavior {
				case annotations.FieldBehavior_REQUIRED:
					required = append(required, d.name(fd))
				case annotations.FieldBehavior_OUTPUT_ONLY:
					property["readOnly"] = true
				case annotations.FieldBehavior_INPUT_ONLY:
					property["writeOnly"] = true
				}
			}
			if fd.Cardinality() == protoreflect.Required && !slices.Contains(required, d.name(fd)) {
				required = append(required, d.name(fd))
			}
			properties[d.name(fd)] = property
		}
		if len(properties) > 0 {
			s["properties"] = properties
		}
		if len(required) > 0 {
			s["required"] = required
		}
		if text := comment(md); text != "" {
			s["description"] = text
		}
	}
	return schema{"$ref": "#/components/schemas/" + name}
}

func behaviors(fd protoreflect.FieldDescriptor) []annotations.FieldBehavior {
	all, _ := proto.GetExtension(fd.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	return all
}

// name is what a field is called in JSON.
func (d *maker) name(fd protoreflect.FieldDescriptor) string {
	if d.api.Rules.PreserveNames {
		return string(fd.Name())
	}
	return fd.JSONName()
}

// described is the schema of a field with what its comment says.
func (d *maker) described(fd protoreflect.FieldDescriptor) schema {
	s := schema{}
	for key, value := range d.field(fd) {
		s[key] = value
	}
	if text := comment(fd); text != "" {
		s["description"] = text
	}
	if options, ok := fd.Options().(*descriptorpb.FieldOptions); ok && options.GetDeprecated() {
		s["deprecated"] = true
	}
	return s
}

// field is the schema of a field's JSON.
func (d *maker) field(fd protoreflect.FieldDescriptor) schema {
	switch {
	case fd.IsMap():
		return schema{"type": "object", "additionalProperties": d.value(fd.MapValue())}
	case fd.IsList():
		return schema{"type": "array", "items": d.value(fd)}
	}
	return d.value(fd)
}

// value is the schema of one value of a field.
func (d *maker) value(fd protoreflect.FieldDescriptor) schema {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return schema{"type": "boolean"}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return schema{"type": "integer", "format": "int32"}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return schema{"type": "integer", "format": "uint32", "minimum": 0}
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return schema{"type": "string", "format": "int64"}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return schema{"type": "string", "format": "uint64"}
	case protoreflect.FloatKind:
		return schema{"type": "number", "format": "float"}
	case protoreflect.DoubleKind:
		return schema{"type": "number", "format": "double"}
	case protoreflect.StringKind:
		return schema{"type": "string"}
	case protoreflect.BytesKind:
		return schema{"type": "string", "contentEncoding": "base64"}
	case protoreflect.EnumKind:
		return d.enum(fd.Enum())
	}
	return d.message(fd.Message())
}

func (d *maker) enum(ed protoreflect.EnumDescriptor) schema {
	if ed.FullName() == "google.protobuf.NullValue" {
		return schema{"type": "null"}
	}
	name := string(ed.FullName())
	if d.schemas[name] == nil {
		s := schema{"type": "string"}
		var values []any
		for i := range ed.Values().Len() {
			v := ed.Values().Get(i)
			if d.api.Rules.EnumNumbers {
				if !slices.Contains(values, any(v.Number())) {
					values = append(values, v.Number())
				}
			} else {
				values = append(values, string(v.Name()))
			}
		}
		if d.api.Rules.EnumNumbers {
			s["type"] = "integer"
		}
		s["enum"] = values
		if text := comment(ed); text != "" {
			s["description"] = text
		}
		d.schemas[name] = s
	}
	return schema{"$ref": "#/components/schemas/" + name}
}

// mostDepth bounds how deep fields of messages are listed as parameters.
const mostDepth = 4

// query lists the parameters of a binding's query: fields that neither the path nor the
// body has.
func (d *maker) query(b *transcode.Binding) (params []parameter) {
	if b.Whole {
		return nil
	}
	bound := map[string]bool{}
	for i := range b.Template.Variables {
		bound[b.Template.Variables[i].Name()] = true
	}
	var walk func(md protoreflect.MessageDescriptor, path, shown string, depth int)
	walk = func(md protoreflect.MessageDescriptor, path, shown string, depth int) {
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			name := path + string(fd.Name())
			if bound[name] || path == "" && fd == b.Body || fd.IsMap() {
				continue
			}
			shown := shown + d.name(fd)
			if fd.Message() == nil || transcode.IsOneValue(fd.Message()) {
				params = append(params, parameter{Name: shown, In: "query", Description: comment(fd), Schema: d.field(fd)})
			} else if !fd.IsList() && wellKnown[fd.Message().FullName()] == nil && depth < mostDepth {
				walk(fd.Message(), name+".", shown+".", depth+1)
			}
		}
	}
	walk(b.Method.Desc.Input(), "", "", 1)
	return params
}

// comment is what stands before a declaration in its file, if the descriptors have it.
func comment(d protoreflect.Descriptor) string {
	text := d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
