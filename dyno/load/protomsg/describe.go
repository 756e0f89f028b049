package protomsg

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Types of google.protobuf whose JSON is not an object of their fields
// (protobuf.dev/programming-guides/json).
const timestamp = "google.protobuf.Timestamp"

var special = map[protoreflect.FullName]string{
	timestamp:                   `a time such as "2026-01-31T12:00:00Z"`,
	"google.protobuf.Duration":  `a duration such as "1.5s"`,
	"google.protobuf.FieldMask": `a text such as "name,address.street"`,
	"google.protobuf.Any":       `an object with "@type"`,
	"google.protobuf.Struct":    "an object",
	"google.protobuf.ListValue": "a list",
	"google.protobuf.Value":     "any JSON",
}

func isSpecial(name protoreflect.FullName) bool { return special[name] != "" }

// isWrapper reports whether messages of a type are written as the only value they have.
func isWrapper(name protoreflect.FullName) bool {
	kind, ok := strings.CutPrefix(string(name), "google.protobuf.")
	kind, value := strings.CutSuffix(kind, "Value")
	switch kind {
	case "Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes":
		return ok && value
	}
	return false
}

// describe says what a field's values are, one of them if it has several.
func describe(fd protoreflect.FieldDescriptor) string {
	switch k := fd.Kind(); k {
	case protoreflect.EnumKind:
		const most = 8
		names := enumNames(fd.Enum())
		more := ""
		if len(names) > most {
			names, more = names[:most], ", …"
		}
		return "one of " + strings.Join(names, ", ") + more + " (" + string(fd.Enum().FullName()) + ")"
	case protoreflect.MessageKind, protoreflect.GroupKind:
		name := fd.Message().FullName()
		if what := special[name]; what != "" {
			return what + " (" + string(name) + ")"
		}
		if isWrapper(name) {
			return describe(fd.Message().Fields().ByNumber(1)) + " (" + string(name) + ")"
		}
		return "an object (" + string(name) + ")"
	case protoreflect.BytesKind:
		return "bytes in base64"
	case protoreflect.StringKind:
		return "a string"
	case protoreflect.BoolKind:
		return "true or false"
	default:
		return "a number (" + k.String() + ")"
	}
}

func enumNames(e protoreflect.EnumDescriptor) []string {
	var names []string
	for i := range e.Values().Len() {
		names = append(names, string(e.Values().Get(i).Name()))
	}
	return names
}

// filesOf is the file of a message with all that it imports: where the types are found
// that an Any or an extension in JSON names.
func filesOf(of protoreflect.MessageDescriptor) *protoregistry.Files {
	files := new(protoregistry.Files)
	seen := make(map[string]bool)
	var add func(fd protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] || fd.IsPlaceholder() {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i).FileDescriptor)
		}
		_ = files.RegisterFile(fd) // of two files with the same names the first is taken
	}
	add(of.ParentFile())
	return files
}
