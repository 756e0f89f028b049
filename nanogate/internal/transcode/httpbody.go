package transcode

import (
	"errors"

	"google.golang.org/protobuf/reflect/protoreflect"

	"dyno.example/nano/wire/http1"
)

// httpBody is where a google.api.HttpBody has its content: what a method takes or gives
// that is no JSON, such as a picture (google/api/httpbody.proto).
type httpBody struct {
	contentType, data protoreflect.FieldDescriptor
}

// httpBodyOf returns that of a message; nil if it is no HttpBody.
func httpBodyOf(md protoreflect.MessageDescriptor) *httpBody {
	if md == nil || md.FullName() != "google.api.HttpBody" {
		return nil
	}
	b := &httpBody{md.Fields().ByName("content_type"), md.Fields().ByName("data")}
	if !isOne(b.contentType, protoreflect.StringKind) || !isOne(b.data, protoreflect.BytesKind) {
		return nil // it only is called so
	}
	return b
}

func isOne(fd protoreflect.FieldDescriptor, kind protoreflect.Kind) bool {
	return fd != nil && fd.Kind() == kind && !fd.IsList()
}

// httpBodyIn returns that of a message, or of a field of it that is given.
func httpBodyIn(md protoreflect.MessageDescriptor, fd protoreflect.FieldDescriptor) *httpBody {
	switch {
	case fd == nil:
		return httpBodyOf(md)
	case fd.IsList() || fd.IsMap():
		return nil
	}
	return httpBodyOf(fd.Message())
}

// RawRequest reports whether the body of a request is taken as it is, whatever it is.
func (b *Binding) RawRequest() bool { return b.request != nil }

// RawResponse reports whether what a response's messages hold is given as it is.
func (b *Binding) RawResponse() bool { return b.response != nil }

// fillRaw puts a piece of a body into the message m that it becomes.
func (c *Call) fillRaw(m protoreflect.Message, piece []byte) {
	b := c.Binding
	if b.Body != nil {
		m = m.Mutable(b.Body).Message()
	}
	if c.frame == 0 && c.kind != "" { // of several messages the first one says it
		m.Set(b.request.contentType, protoreflect.ValueOfString(c.kind))
	}
	if len(piece) > 0 {
		m.Set(b.request.data, protoreflect.ValueOfBytes(piece))
	}
	c.frame++
}

// pieces takes a piece of a body that becomes a message of its own.
func (c *Call) pieces(piece []byte, end bool) ([]byte, error) {
	most := max(1, c.api.Rules.Most/2) // the rest is for what else a message has
	for len(piece) > 0 || end && c.frame == 0 {
		n := min(len(piece), most)
		var err error
		if c.frames, err = c.encode(c.frames, piece[:n]); err != nil {
			return nil, err
		}
		piece = piece[n:]
	}
	return c.frames, nil
}

var errContentType = errors.New("its content type can't be a field of HTTP")

// writeRaw appends the content of a message.
func (c *Call) writeRaw(m protoreflect.Message) error {
	b := c.Binding
	if b.Response != nil {
		m = m.Get(b.Response).Message()
	}
	if c.got == 1 { // of several messages the first one says it
		c.given = m.Get(b.response.contentType).String()
		if c.given != "" && !http1.ValidFieldValue(c.given) {
			return errContentType
		}
	}
	c.text = append(c.text, m.Get(b.response.data).Bytes()...)
	return nil
}

// ContentType is the media type of a response that isn't an error; "": it isn't said. Of
// a response in [Raw] form it is known when something of it is there.
func (c *Call) ContentType() string {
	if c.Binding.response != nil {
		return c.given
	}
	return c.Form.ContentType()
}
