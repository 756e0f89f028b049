package mirror

import (
	"slices"
	"strconv"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// Mark is the field by which a shadow knows a mirrored request. Requests that come with
// it aren't mirrored again, so gateways can't send each other copies of copies.
const Mark = "x-mirrored"

// edit is what is changed of the fields that the first endpoint was sent.
type edit struct {
	drop  []string // in lower case
	lines []byte
}

func editOf(h *config.Headers, host string) (e edit) {
	e.drop = append(e.drop, "content-length", "transfer-encoding", "expect") // as the body is all there
	if host != "" {
		e.drop = append(e.drop, "host")
	}
	e.drop = append(e.drop, h.Remove...)
	for _, f := range h.Set {
		e.drop = append(e.drop, strings.ToLower(f.Name))
	}
	for _, f := range slices.Concat(h.Set, h.Add) {
		e.lines = request.AppendField(e.lines, f.Name, f.Value)
	}
	e.lines = append(e.lines, "X-Mirrored: nanogate\r\n"...)
	return e
}

// Endpoint is the shadow's endpoint.
func (c *Capture) Endpoint() *upstream.Endpoint { return c.endpoint }

// Head is the request's head as its own endpoint was sent it.
func (c *Capture) Head() []byte { return c.head }

// AppendHead appends the head for the shadow: q, which was parsed from [Capture.Head], with
// what the mirror changes of it. The body is complete, so it has a Content-Length and no
// 100-continue.
func (c *Capture) AppendHead(dst []byte, q *http1.Request) []byte {
	m, b := c.mirror, c.head
	dst = append(append(dst, q.Method.Of(b)...), ' ')
	dst = append(append(dst, q.Target.Of(b)...), " HTTP/1.1\r\n"...)
	for i := range q.Fields {
		f := &q.Fields[i]
		if name := f.Name.Of(b); !m.replaces(name) {
			dst = append(append(dst, name...), ": "...)
			dst = append(append(dst, f.Value.Of(b)...), "\r\n"...)
		}
	}
	switch m.host {
	case "":
	case "upstream":
		dst = append(append(append(dst, "Host: "...), c.endpoint.Host...), "\r\n"...)
	default:
		dst = append(append(append(dst, "Host: "...), m.host...), "\r\n"...)
	}
	if len(c.body) > 0 || q.Chunked || q.ContentLength >= 0 {
		dst = append(dst, "Content-Length: "...)
		dst = append(strconv.AppendInt(dst, int64(len(c.body)), 10), "\r\n"...)
	}
	return append(append(dst, m.edit.lines...), "\r\n"...)
}

// replaces reports whether a field of the request doesn't go to the shadow as it is.
func (m *Mirror) replaces(name []byte) bool {
	for _, drop := range m.edit.drop {
		if http1.EqualFold(name, drop) {
			return true
		}
	}
	return false
}

// Body is the request's body. It isn't the capture's any more, which takes spare instead.
func (c *Capture) Body(spare []byte) []byte {
	body := c.body
	c.body = spare[:0]
	return body
}
