// Package translate puts heads and trailers of HTTP/2 into the text of HTTP/1.1, and back.
// That text is the form in which the gateway works on a message, whichever protocol
// brought it and whichever takes it on: routes, guards, edits and retries see one grammar,
// and what two protocols would read in two ways is refused by the stricter of them.
//
// Everything here works on bytes that its caller owns and allocates nothing once they
// have grown.
package translate

import (
	"bytes"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
)

// Request writes the head of a request as HTTP/1.1 has it into dst, from its start, and
// reads it into r: see [http2.ComposeText]. end says that no body follows; uri bounds the
// target, in bytes.
func Request(r *http1.Request, dst []byte, h *http2.Header, end bool, uri int) ([]byte, error) {
	upgrade := !h.Protocol.Empty()
	if upgrade {
		if err := checkProtocol(h); err != nil {
			return dst, err
		}
	}
	return http2.ComposeText(r, dst, h, !end && h.ContentLength < 0 && !upgrade, uri)
}

// checkProtocol holds extended CONNECT to what becomes an upgrade of HTTP/1.1 (RFC 8441
// 5): WebSocket, whose bytes are no body.
func checkProtocol(h *http2.Header) error {
	switch {
	case string(h.Protocol.Of(h.Bytes)) != "websocket":
		return &http1.Error{Status: 501, Message: "of what CONNECT may ask for there is WebSocket only"}
	case h.ContentLength >= 0:
		return &http1.Error{Status: 400, Message: "a WebSocket has no Content-Length"}
	}
	return nil
}

// Response appends the head of a response, final or interim, as HTTP/1.1 has it. end says
// that no body follows: the length is then 0, unless it was given or there never is a
// body.
func Response(dst []byte, h *http2.Header, end, toHead bool) []byte {
	dst = append(dst, http1.StatusLine(h.Status)...)
	for i := range h.Fields {
		f := &h.Fields[i]
		dst = appendLine(dst, f.Name.Of(h.Bytes), f.Value.Of(h.Bytes))
	}
	if end && !toHead && h.ContentLength < 0 && h.Status >= 200 && h.Status != 204 && h.Status != 304 {
		dst = append(dst, "content-length: 0\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// Trailers appends trailers as lines, each with its CRLF, but for those that must not be
// sent as trailers (RFC 9110 6.5.1).
func Trailers(dst []byte, h *http2.Header) []byte {
	for i := range h.Fields {
		f := &h.Fields[i]
		if name := f.Name.Of(h.Bytes); !http1.ForbiddenTrailer(name) {
			dst = appendLine(dst, name, f.Value.Of(h.Bytes))
		}
	}
	return dst
}

func appendLine(dst, name, value []byte) []byte {
	dst = append(append(dst, name...), ": "...)
	return append(append(dst, value...), "\r\n"...)
}

// Private appends the names, each with a line's end, of fields that their sender wants
// kept out of compression, and that the encoder wouldn't keep out by itself. Whoever sends
// them on has to do the same (RFC 7541 7.1.3).
func Private(dst []byte, h *http2.Header) []byte {
	for i := range h.Fields {
		f := &h.Fields[i]
		if !f.Sensitive || f.Known == http2.NameAuthorization || f.Known == http2.NameProxyAuthorization || f.Known == http2.NameSetCookie {
			continue
		}
		dst = append(append(dst, f.Name.Of(h.Bytes)...), '\n')
	}
	return dst
}

// SendRequest sends the head of a request, given as text, on a stream that was opened for
// it. private is what [Private] found; end says that no body follows.
func SendRequest(c *http2.Conn, s *http2.Stream, head, scheme, private []byte, end bool) {
	line := bytes.IndexByte(head, '\n') + 1
	method, target, _ := bytes.Cut(head[:line-len(" HTTP/1.1\r\n")], space)
	fields := head[line:]
	c.Request(s, method, scheme, host(fields), target)
	sendFields(c, fields, private, true)
	c.EndHeaders(end)
}

var space = []byte(" ")

// SendConnect sends the head of an upgrade to WebSocket, given as text, as extended
// CONNECT (RFC 8441 5), which the peer must have offered.
func SendConnect(c *http2.Conn, s *http2.Stream, head, scheme, private []byte) {
	line := bytes.IndexByte(head, '\n') + 1
	_, target, _ := bytes.Cut(head[:line-len(" HTTP/1.1\r\n")], space)
	fields := head[line:]
	c.Connect(s, webSocket, scheme, host(fields), target)
	sendFields(c, fields, private, true)
	c.EndHeaders(false)
}

var webSocket = []byte("websocket")

// host finds the value of the Host field.
func host(fields []byte) []byte {
	for len(fields) > 2 {
		name, value, rest := http1.CutField(fields)
		if len(name) == len("host") && http1.EqualFold(name, "host") {
			return value
		}
		fields = rest
	}
	return nil
}

// SendResponse sends the head of a response, final or interim, given as text.
func SendResponse(c *http2.Conn, s *http2.Stream, head, private []byte, end bool) {
	digits := head[len("HTTP/1.1 "):]
	c.Response(s, int(digits[0]-'0')*100+int(digits[1]-'0')*10+int(digits[2]-'0'))
	sendFields(c, head[bytes.IndexByte(head, '\n')+1:], private, false)
	c.EndHeaders(end)
}

// SendTrailers sends trailers, given as lines. They end the stream.
func SendTrailers(c *http2.Conn, s *http2.Stream, lines []byte) {
	c.Trailers(s)
	sendFields(c, lines, nil, false)
	c.EndHeaders(true)
}

// sendFields adds all fields but those that are about a connection, which HTTP/2 knows
// none of (RFC 9113 8.2.2).
func sendFields(c *http2.Conn, lines, private []byte, request bool) {
	for len(lines) > 2 {
		name, value, rest := http1.CutField(lines)
		lines = rest
		switch {
		case aboutConnection(name, value, request):
		case len(private) > 0 && isPrivate(private, name):
			c.Sensitive(name, value)
		default:
			c.Field(name, value)
		}
	}
}

// aboutConnection reports whether a field is not sent over HTTP/2. TE is when it says no
// more than "trailers", as the gateway writes it; the key of a WebSocket has a meaning in
// an upgrade only.
func aboutConnection(name, value []byte, request bool) bool {
	switch len(name) {
	case 2:
		return http1.EqualFold(name, "te") && (!request || !http1.EqualFold(value, "trailers"))
	case 4:
		return request && http1.EqualFold(name, "host")
	case 7:
		return http1.EqualFold(name, "upgrade")
	case 10:
		return http1.EqualFold(name, "connection") || http1.EqualFold(name, "keep-alive")
	case 14:
		return http1.EqualFold(name, "http2-settings")
	case 16:
		return http1.EqualFold(name, "proxy-connection")
	case 17:
		return http1.EqualFold(name, "transfer-encoding") || request && http1.EqualFold(name, "sec-websocket-key")
	}
	return false
}

// isPrivate reports whether a name is one of those in a list as [Private] makes it.
func isPrivate(private, name []byte) bool {
	for len(private) > 0 {
		one, rest, _ := bytes.Cut(private, newline)
		if bytes.EqualFold(one, name) {
			return true
		}
		private = rest
	}
	return false
}

var newline = []byte("\n")
