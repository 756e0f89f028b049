//go:build linux

package proxy

import (
	"bytes"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/translate"
	"dyno.example/nanogate/internal/upstream"
)

// heads writes the heads of requests and responses as they are sent on, and the gateway's own
// responses.
type heads struct {
	*loop

	chain []byte // what a trusted proxy says about the peer before it
}

const via = "Via: 1.1 nanogate\r\n"

// requestHead appends the head that the upstream is sent (RFC 9110 7.6, RFC 9112 3).
// Fields that go on as they are are copied in runs; where nothing is changed that is
// one run from the method on.
func (l *heads) requestHead(dst []byte, c *client, r *request.Request) []byte {
	x, q, b := &c.x, r.Head, r.Buf
	route, end := x.route, len(b)-len("\r\n")
	rewrite := route.Rewrite
	if x.moved {
		rewrite = nil
	}
	run := end
	if len(q.Fields) > 0 {
		run = int(q.Fields[0].Name.Start)
	}
	if translate.Is11(b, q) && (q.Form == http1.AsteriskForm || rewrite == nil && q.Form == http1.OriginForm && &r.Path[0] == &b[q.Path.Start]) {
		run = int(q.Method.Start)
	} else {
		dst = l.requestLine(dst, r, rewrite)
	}
	host := route.Config.Host
	ownHost := host != "" || q.Form == http1.AbsoluteForm || q.Host.Empty()
	plain := l.plain(r, route.Request.Drop)
	l.bodies.withhold(x, r, c.trailers)
	from := c.conn()
	te := x.trailers
	for i := range q.Fields {
		f := &q.Fields[i]
		name := f.Name.Of(b)
		switch {
		case translate.Stripped(name):
			te = te || len(name) == len("te") && http1.ListHas(f.Value.Of(b), "trailers")
		case ownHost && len(name) == len("host") && http1.EqualFold(name, "host"):
		case translate.Unvouched(name, from.trusted, l.snap.Config.Certificates):
		case route.Identity.Has(name):
		case !plain && (l.named.Has(name) || translate.Dropped(name, r.Drops(), route.Request.Drop) || translate.Disguised(name, r.Drops(), route.Request.Drop, route.Identity.Names)):
		default:
			continue
		}
		dst = append(dst, b[run:f.Name.Start]...)
		if run = end; i+1 < len(q.Fields) {
			run = int(q.Fields[i+1].Name.Start)
		}
	}
	dst = append(dst, b[run:end]...)
	if ownHost {
		dst = appendHost(dst, host, r, x)
	}
	return l.ownFields(dst, c, r, te)
}

// ownFields appends what the gateway itself says in a request's head, and the head's end. te says
// that trailers are taken.
func (l *heads) ownFields(dst []byte, c *client, r *request.Request, te bool) []byte {
	x, from := &c.x, c.conn()
	route := x.route
	if x.chunked {
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	switch {
	case x.upgrade:
		dst = translate.AppendUpgrade(dst, r)
	case te:
		dst = append(dst, "Connection: TE\r\nTE: trailers\r\n"...)
	}
	if len(from.forwards) > 0 {
		dst = append(dst, from.forwards...)
		if l.snap.Config.Forwarded != config.ForwardedRFC {
			dst = append(append(dst, translate.AskedHost(r, from.trusted)...), "\r\n"...)
		}
	}
	if len(r.Forwards())+len(route.Request.Lines) > 0 {
		dst = append(append(dst, r.Forwards()...), route.Request.Lines...)
	}
	switch {
	case c.of != nil:
		dst = append(dst, "Via: 2.0 nanogate\r\n"...)
	case x.minor == 0:
		dst = append(dst, "Via: 1.0 nanogate\r\n"...)
	default:
		dst = append(dst, via...)
	}
	if d := c.deadlineRules(); d != nil {
		if left, limited := l.deadlines.timeLeft(x); limited {
			dst = translate.AppendTimeLeft(dst, d, left)
		}
	}
	return append(dst, "\r\n"...)
}

// requestLine appends a request line in origin-form.
func (l *heads) requestLine(dst []byte, r *request.Request, rewrite *snapshot.Template) []byte {
	dst = append(append(dst, r.Method()...), ' ')
	switch {
	case r.Head.Form == http1.AsteriskForm:
		dst = append(dst, '*')
	case rewrite == nil:
		dst = append(dst, r.Path...)
	default:
		from := len(dst)
		dst = rewrite.Append(dst, r, &l.found)
		if bytes.IndexByte(dst[from:], '?') >= 0 {
			return append(dst, " HTTP/1.1\r\n"...)
		}
	}
	if query := r.Query(); len(query) > 0 {
		dst = append(append(dst, '?'), query...)
	}
	return append(dst, " HTTP/1.1\r\n"...)
}

func appendHost(dst []byte, host string, r *request.Request, x *exchange) []byte {
	dst = append(dst, "Host: "...)
	switch {
	case host == "upstream" || host == "" && len(r.Authority()) == 0:
		dst = appendName(dst, x.endpoint)
	case host != "":
		dst = append(dst, host...)
	default:
		dst = append(dst, r.Authority()...)
	}
	return append(dst, "\r\n"...)
}

// appendName appends an endpoint's own name as a host.
func appendName(dst []byte, e *upstream.Endpoint) []byte {
	return append(dst, e.Host...)
}

// plain reports whether nothing but the usual is done with a request's fields.
func (l *heads) plain(r *request.Request, drop []string) bool {
	return l.named.N == 0 && len(drop) == 0 && len(r.Drops()) == 0 && bytes.IndexByte(r.Buf, '_') < 0
}

// ownLimits are for heads of requests that were looked at before: what a client may send was
// held to its limits then.
var ownLimits = http1.Limits{Head: 4 << 20, URI: 2 << 20, Fields: 20_000}

// responseLimits bound the head of an upstream's response.
var responseLimits = http1.Limits{Head: 64 << 10, Fields: 256}

// responseHead appends the head that the client is sent, of the response whose head was
// parsed from b: as it came, without what is for one hop only, and framed again
// (RFC 9110 7.6, RFC 9112 6).
func (l *heads) responseHead(dst []byte, c *client, b []byte) []byte {
	x, h := &c.x, &l.resp
	end := len(b) - len("\r\n")
	run := end
	if len(h.Fields) > 0 {
		run = int(h.Fields[0].Name.Start)
	}
	if h.Minor == 1 {
		run = 0
	} else {
		dst = append(append(dst, "HTTP/1.1"...), b[len("HTTP/1.0"):run]...)
	}
	drop := responseDrop(x)
	l.named.Read(h.Fields, b)
	bodiless := h.Status < 200 || h.Status == 204
	dated := false
	for i := range h.Fields {
		f := &h.Fields[i]
		name := f.Name.Of(b)
		switch {
		case translate.HopByHop(name):
		case len(name) == len("date") && http1.EqualFold(name, "date"):
			dated = true
			continue
		case bodiless && len(name) == len("content-length") && http1.EqualFold(name, "content-length"):
		case x.extended && http1.EqualFold(name, "sec-websocket-accept"): // which HTTP/2 has not
		case l.named.N > 0 && l.named.Has(name):
		case len(drop) > 0 && translate.Dropped(name, drop):
		default:
			continue
		}
		dst = append(dst, b[run:f.Name.Start]...)
		if run = end; i+1 < len(h.Fields) {
			run = int(h.Fields[i+1].Name.Start)
		}
	}
	dst = append(dst, b[run:end]...)
	if !dated && h.Status >= 200 {
		dst = append(dst, l.date...) // RFC 9110 6.6.1
	}
	return append(dst, x.fields...)
}

// responseDrop are the fields that the route takes out of its responses.
func responseDrop(x *exchange) []string {
	if x.route == nil {
		return nil
	}
	return x.route.Response.Drop
}

// framed appends how the response's body ends for this client, and the end of the head.
func (l *heads) framed(dst []byte, c *client) []byte {
	return l.framedAs(dst, c, l.resp.Chunked || l.resp.UntilClose)
}

// framedAs is framed for a body whose length isn't sent, if unsized.
func (l *heads) framedAs(dst []byte, c *client, unsized bool) []byte {
	x := &c.x
	switch {
	case !unsized:
	case x.minor == 0:
		x.keep, x.byClose = false, true // it doesn't know chunks: the end of the connection is the end
	default:
		x.rewrap = true
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	if !x.body.Done() {
		x.keep = false // the rest of the request stands between us and the next one
	}
	if l.server.Draining() {
		x.keep = false
	}
	return endHead(dst, x)
}

// reread makes the loop's request again from an exchange's, from its head as it was sent.
func (l *heads) reread(x *exchange) *request.Request {
	l.head.Reset()
	if n, err := l.head.Parse(x.head, &ownLimits); n > 0 && err == nil {
		l.req.Begin(&l.head, x.head)
		l.req.Path = l.head.Path.Of(x.head)
	}
	return &l.req
}

// rehosted returns the head with another endpoint's name as the host, if the endpoint's
// name is what the route sends; nil if it isn't. It lies in the loop's buffer.
func (l *heads) rehosted(x *exchange, e *upstream.Endpoint) []byte {
	if x.route.Config.Host != "upstream" {
		return nil
	}
	l.reread(x)
	at := l.head.Host
	l.out = append(l.out[:0], x.head[:at.Start]...)
	l.out = appendName(l.out, e)
	l.out = append(l.out, x.head[at.End:]...)
	return l.out
}
