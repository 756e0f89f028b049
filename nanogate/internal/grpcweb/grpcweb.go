// Package grpcweb translates the calls of browsers into gRPC and back: gRPC-Web
// (doc/PROTOCOL-WEB.md of github.com/grpc/grpc), in its binary form and in base64.
// Messages stay as they are; what differs is the content type, the coding of the body,
// and where trailers stand: in a last frame of the body, as scripts can't read others.
//
// Everything here works on bytes that its caller owns.
package grpcweb

import (
	"bytes"
	"errors"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
)

const (
	contentType = "application/grpc-web"
	text        = "-text"
)

// ErrText is of a body in base64 that isn't.
var ErrText = errors.New("grpcweb: the body is not in base64")

// Call is one call.
type Call struct {
	Text bool // its request is in base64

	textBack bool // its response is
	plain    bool // its response is passed on as it is: it has no messages, or isn't one of gRPC
	in       decoder
	out      messages
}

// Begin makes a call of a request; nil if its Content-Type isn't one of gRPC-Web. accept
// is its Accept field, which may select base64 on its own.
func Begin(kind, accept []byte) *Call {
	isText, _, ok := split(kind)
	if !ok {
		return nil
	}
	return &Call{Text: isText, textBack: isText || bytes.Contains(accept, []byte(contentType+text))}
}

// split reads a Content-Type: what it says after application/grpc-web and "-text", such
// as "+proto", with all parameters.
func split(value []byte) (isText bool, rest []byte, ok bool) {
	if len(value) < len(contentType) || !http1.EqualFold(value[:len(contentType)], contentType) {
		return false, nil, false
	}
	rest = value[len(contentType):]
	if len(rest) >= len(text) && http1.EqualFold(rest[:len(text)], text) {
		isText, rest = true, rest[len(text):]
	}
	if len(rest) > 0 && rest[0] != '+' && rest[0] != ';' && rest[0] != ' ' {
		return false, nil, false
	}
	return isText, rest, true
}

// AppendContentType appends the Content-Type that the upstream is sent, for the call's
// own.
func AppendContentType(dst, web []byte) []byte {
	_, rest, _ := split(web)
	return append(append(dst, grpc.ContentType...), rest...)
}

// Request appends to dst what a part of the request's body is in gRPC; last says that
// nothing follows.
func (c *Call) Request(dst, part []byte, last bool) ([]byte, error) {
	if !c.Text {
		return append(dst, part...), nil
	}
	dst, err := c.in.decode(dst, part)
	if err == nil && last && c.in.n > 0 {
		err = ErrText
	}
	return dst, err
}

// Response appends to dst the head of a response whose head, with the line that ends it,
// is given; last says that there is no body.
func (c *Call) Response(dst, head []byte, last bool) []byte {
	c.plain = true
	from := len(dst)
	for len(head) > 0 {
		end := bytes.IndexByte(head, '\n') + 1
		line := head[:end]
		head = head[end:]
		name, value, _ := bytes.Cut(line, colon)
		switch {
		case http1.EqualFold(name, "content-type"):
			value = bytes.TrimSpace(value)
			if len(value) >= len(grpc.ContentType) && http1.EqualFold(value[:len(grpc.ContentType)], grpc.ContentType) {
				c.plain = last
				dst = append(c.appendType(append(dst, "content-type: "...), value[len(grpc.ContentType):]), "\r\n"...)
				continue
			}
		case http1.EqualFold(name, "trailer"):
			continue
		}
		dst = append(dst, line...)
	}
	if !c.plain { // the last frame makes the body longer
		dst = append(dst[:from], withoutLength(dst[from:])...)
	}
	return dst
}

var colon = []byte(":")

// appendType appends the response's Content-Type, up to its format.
func (c *Call) appendType(dst, format []byte) []byte {
	dst = append(dst, contentType...)
	if c.textBack {
		dst = append(dst, text...)
	}
	return append(dst, format...)
}

// withoutLength takes Content-Length out of a head, in place.
func withoutLength(head []byte) []byte {
	kept := head[:0]
	for len(head) > 0 {
		end := bytes.IndexByte(head, '\n') + 1
		line := head[:end]
		head = head[end:]
		if name, _, _ := bytes.Cut(line, colon); !http1.EqualFold(name, "content-length") {
			kept = append(kept, line...)
		}
	}
	return kept
}

// Refusal appends the fields of a response of nothing but a status.
func (c *Call) Refusal(dst, status []byte) []byte {
	dst = c.appendType(append(dst, "content-type: "...), []byte("+proto"))
	return append(append(dst, "\r\n"...), status...)
}

// Part appends to dst what a part of the response's body is to the client.
func (c *Call) Part(dst, part []byte) []byte {
	if !c.plain {
		c.out.feed(part)
	}
	return c.code(dst, part)
}

// End appends what ends the response's body: a frame with the trailers, which are given
// as lines.
func (c *Call) End(dst, trailers []byte) []byte {
	if c.plain {
		return dst
	}
	frame := append(make([]byte, 0, 128), trailersFlag, 0, 0, 0, 0)
	frame = append(frame, trailers...)
	if !hasStatus(trailers) { // to some clients none is OK
		frame = append(frame, "grpc-status: 2\r\ngrpc-message: the server ended the call without a status\r\n"...)
	}
	n := len(frame) - grpc.PrefixLen
	frame[1], frame[2], frame[3], frame[4] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return c.code(dst, frame)
}

// trailersFlag marks the frame of trailers.
const trailersFlag = 0x80

// Between reports whether the response can be ended by a frame of trailers: what was
// given to Part ends with a message.
func (c *Call) Between() bool { return !c.plain && c.out.whole() }

// hasStatus reports whether there is a grpc-status among lines.
func hasStatus(lines []byte) bool {
	for len(lines) > 0 {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte("\n"))
		if name, _, _ := bytes.Cut(line, colon); http1.EqualFold(name, grpc.FieldStatus) {
			return true
		}
	}
	return false
}
