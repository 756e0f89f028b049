// Package request is a request as the parts of the gateway see it: the head as it was
// parsed, in place, and its sender. Nothing here allocates, does I/O or keeps its
// arguments.
package request

import (
	"bytes"
	"context"
	"net/netip"
	"slices"

	"dyno.example/nano/wire/http1"
)

// Request is one request on its way through the gateway. It belongs to the loop that
// read it, and all bytes it gives are views that are good until the function that was
// given it returns: copy what is needed later.
type Request struct {
	Head *http1.Request
	Buf  []byte // what Head was parsed from

	// Path is the path in canonical form (see [AppendCanonical]), what routes are
	// matched against and upstreams are sent: two parts of a chain can't read it in
	// two ways.
	Path []byte

	// Params are the parts of the path that the names in the route's pattern have found, in
	// their order.
	Params []Span

	Peer        netip.AddrPort // peer of the connection; zero for unix sockets
	Client      netip.Addr     // the client: the peer, or the address that a trusted proxy gives
	Secure      bool           // it came over TLS, or a trusted proxy says so
	Port        uint16         // of the gateway's address that it came to; 0 for unix sockets
	HTTP2       bool           // it came over HTTP/2; Head is its head as one of HTTP/1.1
	Certificate *Certificate   // the client's, verified; nil: it has shown none
	Now         int64          // when its head was in, ns of [clock.Now]
	Trace       Trace          // that it belongs to; set by the tracer
	Response    *Response      // of its upstream, on its way to the client; nil: there is none yet

	// Importance decides which requests are shed first under overload.
	Importance Importance

	lines []byte // that are sent to the upstream with the client's
	added []byte // that are added to the response
	drops []string

	rewritten Line   // what the first line is to say; zero: what it says
	content   []byte // in place of the client's, if refilled
	refilled  bool
	found     []found          // what guards have verified, and what others keep
	ends      []func(*Outcome) // that are called when it has ended
	ctx       context.Context  // nil: it is on its loop
	own       bool             // it is a copy that whoever has it may keep
	loan      *loan            // memory of what is lent of it; nil: nothing was yet
}

// Begin readies r for the request that was parsed from buf into head. What guards have
// set before is forgotten.
func (r *Request) Begin(head *http1.Request, buf []byte) {
	r.Head, r.Buf, r.Params, r.Trace, r.Response = head, buf, nil, Trace{}, nil
	r.lines, r.added, r.drops = r.lines[:0], r.added[:0], r.drops[:0]
	r.rewritten, r.content, r.refilled = Line{}, nil, false
	r.ends = nil
	if len(r.found) > 0 {
		clear(r.found)
		r.found = r.found[:0]
	}
}

// Span is a part of the canonical path.
type Span struct{ Start, End int32 }

// Trace is where a request stands in a distributed trace (W3C Trace Context).
type Trace struct {
	ID      [16]byte // all zero: it is in none
	Sampled bool
}

// Method is the method as sent.
func (r *Request) Method() []byte { return r.Head.Method.Of(r.Buf) }

// RawPath is the path as sent; it may be empty in absolute-form.
func (r *Request) RawPath() []byte { return r.Head.Path.Of(r.Buf) }

// Query is the query as sent, without its "?".
func (r *Request) Query() []byte { return r.Head.Query.Of(r.Buf) }

// Host is the request's host, without its port, in the case it was sent in.
func (r *Request) Host() []byte {
	host := r.Authority()
	for i := len(host) - 1; i >= 0; i-- {
		switch host[i] {
		case ':':
			return host[:i]
		case ']':
			return host
		}
	}
	return host
}

// Authority is the host with its port, if there is one.
func (r *Request) Authority() []byte { return r.Head.Host.Of(r.Buf) }

// Header returns the value of the first field of that name, which must be in lower
// case.
func (r *Request) Header(lower string) (value []byte, ok bool) {
	span, ok := r.Head.Find(r.Buf, lower)
	return span.Of(r.Buf), ok
}

// Sent returns the value of the first field of that name, which must be in lower case, as
// the upstream will have it by now: a guard may have put it in place of the client's.
func (r *Request) UpstreamHeader(lower string) (value []byte, ok bool) {
	for rest := r.lines; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, crlf)
		if name, value, _ := bytes.Cut(line, colon); string(name) == lower {
			return value, true
		}
	}
	if slices.Contains(r.drops, lower) {
		return nil, false
	}
	return r.Header(lower)
}

var crlf, colon = []byte("\r\n"), []byte(": ")

// Headers calls f with the value of each field of that name, which must be in lower
// case, until f returns false.
func (r *Request) Headers(lower string, f func(value []byte) bool) {
	for _, field := range r.Head.Fields {
		if field.Name.Len() == len(lower) && http1.EqualFold(field.Name.Of(r.Buf), lower) && !f(field.Value.Of(r.Buf)) {
			return
		}
	}
}

// Forward adds a field to the forwarded request, in place of all of that name, which must
// be in lower case, that the client sent or that were added before. It is for what a guard
// found out, such as the user. name and value must be valid (see [http1.ValidToken],
// [http1.ValidFieldValue]); what isn't is left out, and the others are removed all the
// same.
func (r *Request) Forward(lower string, value []byte) { forward(r, lower, value) }

// ForwardText is [Request.Forward] for a text.
func (r *Request) ForwardText(lower, value string) { forward(r, lower, value) }

func forward[T string | []byte](r *Request, lower string, value T) {
	r.drops = append(r.drops, lower)
	r.lines = replace(r.lines, lower, lower, value)
}

// replace puts a field in place of those of that name; value may lie in lines.
func replace[T string | []byte](lines []byte, name, lower string, value T) []byte {
	before := len(lines)
	lines = AppendField(lines, name, value)
	if before == 0 {
		return lines
	}
	return append(without(lines[:before], lower), lines[before:]...)
}

// Drop keeps the fields of that name, which must be in lower case, from the upstream.
func (r *Request) Drop(lower string) {
	r.drops = append(r.drops, lower)
	if len(r.lines) > 0 {
		r.lines = without(r.lines, lower)
	}
}

// without takes the lines of a field out of lines, in place.
func without(lines []byte, lower string) []byte {
	kept := lines[:0]
	for len(lines) > 0 {
		end := bytes.Index(lines, crlf) + len(crlf)
		if name, _, _ := bytes.Cut(lines[:end], colon); !http1.EqualFold(name, lower) {
			kept = append(kept, lines[:end]...)
		}
		lines = lines[end:]
	}
	return kept
}

// Respond adds a field to the response, whoever gives it.
func (r *Request) Respond(name string, value []byte) { r.added = AppendField(r.added, name, value) }

// Forwards returns the lines that [Request.Forward] has gathered, each with its CRLF.
func (r *Request) Forwards() []byte { return r.lines }

// Drops returns the names of fields that are kept from the upstream.
func (r *Request) Drops() []string { return r.drops }

// Responds returns the lines that [Request.Respond] has gathered.
func (r *Request) Responds() []byte { return r.added }

// AppendField appends a field's line with its CRLF, and nothing if it isn't valid.
func AppendField[T string | []byte](dst []byte, name string, value T) []byte {
	if !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
		return dst
	}
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	dst = append(dst, value...)
	return append(dst, "\r\n"...)
}

// Cookie returns the value of the first cookie of that name (RFC 6265 5.4).
func (r *Request) Cookie(name string) (value []byte, ok bool) {
	r.Cookies(func(_, key, found []byte) bool {
		if ok = string(key) == name; ok {
			value = found
		}
		return !ok
	})
	return value, ok
}

// Cookies calls f with each cookie, as it was sent and taken apart, until f returns false.
// What has no name is left out.
func (r *Request) Cookies(f func(pair, name, value []byte) bool) {
	for _, field := range r.Head.Fields {
		if field.Name.Len() != len("cookie") || !http1.EqualFold(field.Name.Of(r.Buf), "cookie") {
			continue
		}
		list := field.Value.Of(r.Buf)
		for len(list) > 0 {
			var pair []byte
			pair, list, _ = bytes.Cut(list, semicolon)
			pair = bytes.TrimSpace(pair)
			name, value, found := bytes.Cut(pair, equals)
			if found && !f(pair, name, value) {
				return
			}
		}
	}
}

var semicolon, equals = []byte(";"), []byte("=")
