package transcode

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maskOf is the field of a request that says what of a resource is changed, if the rule is
// one whose body says it already: a PATCH with the resource as its body (google.aip.dev/134);
// else nil.
func (b *Binding) maskOf() protoreflect.FieldDescriptor {
	if b.Verb != "PATCH" || b.Body == nil || b.Body.IsList() || b.Body.IsMap() || b.Body.Message() == nil || b.request != nil {
		return nil
	}
	fd := b.Method.Desc.Input().Fields().ByName("update_mask")
	if fd == nil || fd.IsList() || fd.Message() == nil || fd.Message().FullName() != "google.protobuf.FieldMask" {
		return nil
	}
	return fd
}

// fillMask names the fields that a body has, as the request itself doesn't.
func (c *Call) fillMask(m protoreflect.Message, body []byte) {
	b := c.Binding
	if b.mask == nil || m.Has(b.mask) || len(bytes.TrimSpace(body)) == 0 {
		return
	}
	mask := m.Mutable(b.mask).Message()
	paths := mask.Mutable(mask.Descriptor().Fields().ByName("paths")).List()
	for _, path := range maskPaths(body, b.Body.Message()) {
		paths.Append(protoreflect.ValueOfString(path))
	}
}

// maskPaths are the paths of what is there in JSON of a message, which has been read as one
// already: members of messages within it one by one, and lists, maps and messages that JSON
// has another form for as wholes.
func maskPaths(body []byte, md protoreflect.MessageDescriptor) []string {
	w := maskWriter{in: json.NewDecoder(bytes.NewReader(body))}
	if t, err := w.in.Token(); err == nil && t == json.Delim('{') {
		w.object("", md)
	}
	return w.paths
}

type maskWriter struct {
	in    *json.Decoder
	paths []string
}

// object takes the members of an object, behind its brace, up to its end. It ends early at
// what is no JSON.
func (w *maskWriter) object(prefix string, md protoreflect.MessageDescriptor) {
	for w.in.More() {
		t, err := w.in.Token()
		key, is := t.(string)
		if err != nil || !is {
			return
		}
		fd := md.Fields().ByJSONName(key)
		if fd == nil {
			fd = md.Fields().ByName(protoreflect.Name(key))
		}
		if fd == nil || fd.IsList() || fd.IsMap() || fd.Message() == nil || fd.Message().ParentFile().Package() == "google.protobuf" {
			var rest json.RawMessage
			if w.in.Decode(&rest) != nil {
				return
			}
			if fd != nil { // one that is unknown is ignored, or wouldn't have come so far
				w.paths = append(w.paths, prefix+string(fd.Name()))
			}
			continue
		}
		path, before := prefix+string(fd.Name()), len(w.paths)
		if t, err = w.in.Token(); err != nil {
			return
		}
		if t == json.Delim('{') {
			w.object(path+".", fd.Message())
		}
		if len(w.paths) == before { // it is null, or empty: it is set or cleared as a whole
			w.paths = append(w.paths, path)
		}
	}
	w.in.Token() // the brace at its end
}
