package transcode

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/nano/wire/grpc"
)

// responseState is the state of a call's response.
type responseState struct {
	Head []byte // lines of the response's head for the client; kept for the caller

	reader  grpc.Reader
	message []byte // that is incomplete
	text    []byte
	got     int    // messages
	given   string // content type of what isn't JSON
}

// Restart forgets what there was of a response: the call is made again.
func (c *Call) Restart() {
	c.reader.Reset()
	c.message, c.text, c.got, c.given = c.message[:0], c.text[:0], 0, ""
}

// Errors of a response that isn't as its method says.
var (
	errCompressed = errors.New("a message is compressed, and that wasn't requested")
	errSeveral    = errors.New("there are several messages, and the method has one")
	errPart       = errors.New("the response ends within a message")
	errNone       = errors.New("there is no message, and the method has one")
)

// Response takes a piece of the response's content, and returns JSON to send on: of a
// stream what this piece completes, else nothing until [Call.Whole].
func (c *Call) Response(piece []byte) (text []byte, err error) {
	if c.Form != One {
		c.text = c.text[:0]
	}
	for len(piece) > 0 {
		n, p, ok, err := c.reader.Next(piece)
		if err != nil {
			return nil, err
		}
		piece = piece[n:]
		if !ok {
			continue
		}
		if p.Compressed {
			return nil, errCompressed
		}
		message := p.Data
		if !p.First || !p.Last {
			c.message = append(c.message, p.Data...)
			message = c.message
		}
		if !p.Last {
			continue
		}
		if c.got++; c.got > 1 && c.Form == One {
			return nil, errSeveral
		}
		if err := c.write(message); err != nil {
			return nil, err
		}
		c.message = c.message[:0]
	}
	if c.Form == One {
		return nil, nil
	}
	return c.text, nil
}

// Whole returns the response of a method that has one message, when it is complete.
func (c *Call) Whole() ([]byte, error) {
	switch {
	case c.reader.Within():
		return nil, errPart
	case c.got == 0 && c.Form == One:
		return nil, errNone
	}
	return c.text, nil
}

// write appends a message's JSON.
func (c *Call) write(message []byte) error {
	if c.Form == SSE {
		c.text = append(c.text, "data: "...)
	}
	if c.Binding.response == nil {
		if text, ok := c.directJSON(slices.Grow(c.text, 2*len(message)), message); ok {
			c.text = append(text, lineEnds[c.Form]...)
			return nil
		}
	}
	return c.dynamicJSON(message)
}

// dynamicJSON appends the same by having the message in memory.
func (c *Call) dynamicJSON(message []byte) error {
	m := dynamicpb.NewMessage(c.Binding.Method.Desc.Output())
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: c.api.types, RecursionLimit: mostNesting}).Unmarshal(message, m); err != nil {
		return fmt.Errorf("a message is no %s: %w", m.Descriptor().FullName(), err)
	}
	if c.Binding.response != nil {
		return c.writeRaw(m)
	}
	var err error
	if c.text, err = c.api.appendJSON(c.text, m, c.Binding.Response); err != nil {
		return err
	}
	c.text = append(c.text, lineEnds[c.Form]...)
	return nil
}

// lineEnds are what ends a message.
var lineEnds = [...]string{One: "\n", NDJSON: "\n", SSE: "\n\n"}

// appendJSON appends a message, or one of its fields, as JSON on one line.
func (a *API) appendJSON(dst []byte, m *dynamicpb.Message, fd protoreflect.FieldDescriptor) ([]byte, error) {
	switch {
	case fd == nil:
		return a.out.MarshalAppend(dst, m)
	case fd.Message() != nil && !fd.IsList() && !fd.IsMap():
		return a.out.MarshalAppend(dst, m.Get(fd).Message().Interface())
	case !m.Has(fd):
		return append(dst, a.empty(fd)...), nil
	}
	if a.out.EmitDefaultValues && ofMessages(fd) {
		return a.appendEach(dst, m, fd)
	}
	// A single value is what follows its name in a message with nothing else.
	single := dynamicpb.NewMessage(m.Descriptor())
	single.Set(fd, m.Get(fd))
	out := a.out
	out.EmitDefaultValues = false
	b, err := out.Marshal(single)
	if err != nil {
		return nil, err
	}
	at := bytes.IndexByte(b, '"') + 1
	for ; b[at] != '"'; at++ {
		if b[at] == '\\' {
			at++
		}
	}
	at += 1 + bytes.IndexByte(b[at:], ':')
	return append(dst, bytes.TrimSpace(b[at:len(b)-1])...), nil
}

// ofMessages reports whether what a list or map holds are messages.
func ofMessages(fd protoreflect.FieldDescriptor) bool {
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	return fd.Message() != nil
}

// appendEach appends a list or a map of messages, each with its default values.
func (a *API) appendEach(dst []byte, m *dynamicpb.Message, fd protoreflect.FieldDescriptor) (_ []byte, err error) {
	if list := m.Get(fd); fd.IsList() {
		dst = append(dst, '[')
		for i := range list.List().Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = a.out.MarshalAppend(dst, list.List().Get(i).Message().Interface()); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	dst = append(dst, '{')
	before := len(dst)
	m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		if len(dst) > before {
			dst = append(dst, ',')
		}
		dst, err = a.out.MarshalAppend(append(appendQuoted(dst, k.String()), ':'), v.Message().Interface())
		return err == nil
	})
	return append(dst, '}'), err
}

// empty is how a field that isn't set is written.
func (a *API) empty(fd protoreflect.FieldDescriptor) string {
	switch {
	case fd.IsList():
		return "[]"
	case fd.IsMap():
		return "{}"
	}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return strconv.FormatBool(fd.Default().Bool())
	case protoreflect.StringKind:
		return string(appendQuoted(nil, fd.Default().String()))
	case protoreflect.BytesKind:
		return `"` + base64.StdEncoding.EncodeToString(fd.Default().Bytes()) + `"`
	case protoreflect.EnumKind:
		v := fd.DefaultEnumValue()
		if a.out.UseEnumNumbers {
			return strconv.Itoa(int(v.Number()))
		}
		return string(appendQuoted(nil, string(v.Name())))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return `"` + fd.Default().String() + `"`
	}
	if text := fd.Default().String(); !strings.ContainsAny(text, "NI") {
		return text
	}
	return `"` + fd.Default().String() + `"` // NaN or an infinity
}
