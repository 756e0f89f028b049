package transcode

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// How messages are made and read without having them in memory (see jsonpb). What isn't
// taken here goes the long way, by protobuf's library, which also says what is wrong.

// direct appends the message that a body and the settings come to.
func (c *Call) direct(dst, body []byte) (out []byte, ok bool) {
	b := c.Binding
	if b.request != nil || !b.Method.in.Taken() || !c.beside() {
		return dst, false
	}
	text := bytes.TrimSpace(body)
	masked := b.mask != nil && len(text) > 0
	c.inside = c.inside[:0]
	for i := range c.settings {
		if s := &c.settings[i]; s.inside(b) {
			if c.inside, ok = b.Method.in.Field(b.Body).AppendValue(c.inside, s.path[1:], s.value); !ok {
				return dst, false
			}
		}
	}
	if len(text) == 0 && len(c.inside) > 0 {
		text, body = emptyObject, emptyObject
	}
	out = dst
	switch {
	case len(text) == 0:
	case b.Whole:
		if out, ok = b.Method.in.AppendMessage(out, body); !ok {
			return dst, false
		}
	case b.Body != nil:
		if out, ok = b.Method.in.AppendField(out, body, b.Body, c.inside); !ok {
			return dst, false
		}
	case !bytes.Equal(text, emptyObject):
		return dst, false
	}
	for i := range c.settings {
		if s := &c.settings[i]; !s.inside(b) {
			if out, ok = b.Method.in.AppendValue(out, s.path, s.value); !ok {
				return dst, false
			}
		}
	}
	if masked && !slices.ContainsFunc(c.settings, func(s setting) bool { return s.path[0] == b.mask }) {
		out = appendMask(out, b.mask.Number(), maskPaths(body, b.Body.Message()))
	}
	return out, true
}

var emptyObject = []byte("{}")

// appendMask appends a field that is a google.protobuf.FieldMask.
func appendMask(dst []byte, number protowire.Number, paths []string) []byte {
	var mask []byte
	for _, path := range paths {
		mask = protowire.AppendString(protowire.AppendTag(mask, 1, protowire.BytesType), path)
	}
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), mask)
}

// inside reports whether it is a field of the message that the body is.
func (s *setting) inside(b *Binding) bool {
	return b.Body != nil && s.path[0] == b.Body && len(s.path) == 2 && !isOneOf(s.path[1])
}

// isOneOf reports whether a field excludes others.
func isOneOf(fd protoreflect.FieldDescriptor) bool {
	return fd.ContainingOneof() != nil && !fd.ContainingOneof().IsSynthetic()
}

// beside reports whether the settings stand beside each other and what the body has: a
// value may come behind another one of its field, which it replaces for whoever reads it,
// but not all readers merge messages, or know of a oneof what came last.
func (c *Call) beside() bool {
	b := c.Binding
	for i := range c.settings {
		s := &c.settings[i]
		if s.inside(b) || len(s.path) == 1 && !isOneOf(s.path[0]) {
			continue
		}
		if b.Whole || b.Body != nil && isMerged(b.Body, s.path[0]) {
			return false
		}
		for k := range c.settings {
			if k != i && isMerged(c.settings[k].path[0], s.path[0]) {
				return false
			}
		}
	}
	return true
}

// isMerged reports whether two fields are the same, or of the same oneof.
func isMerged(a, b protoreflect.FieldDescriptor) bool {
	return a == b || isOneOf(a) && a.ContainingOneof() == b.ContainingOneof()
}

// directJSON appends what a message, or the part of it that is the response, is in JSON.
func (c *Call) directJSON(dst, message []byte) (out []byte, ok bool) {
	b := c.Binding
	if b.Response == nil {
		return b.Method.out.AppendJSON(dst, message)
	}
	out, unset, ok := b.Method.out.AppendFieldJSON(dst, message, b.Response)
	if unset {
		out = append(out, c.api.empty(b.Response)...)
	}
	return out, ok
}
