//go:build linux

package proxy

import (
	"dyno/gate/translate"
	"dyno/nano/wire/http1"
)

// responseLimits bound the head of an upstream's response.
var responseLimits = http1.Limits{Head: 64 << 10, Fields: 256}

// responseHead appends the head that the client is sent, of the response whose head was
// parsed from b: as it came but for what is for one hop only, and framed anew
// (RFC 9110 7.6, RFC 9112 6).
func (l *loop) responseHead(dst []byte, c *client, b []byte) []byte {
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
func (l *loop) framed(dst []byte, c *client) []byte {
	return l.framedAs(dst, c, l.resp.Chunked || l.resp.UntilClose)
}

// framedAs is framed for a body whose length isn't told, if unsized.
func (l *loop) framedAs(dst []byte, c *client, unsized bool) []byte {
	x := &c.x
	switch {
	case !unsized:
	case x.minor == 0:
		x.keep = false // it doesn't know chunks: the end of the connection is the end
	default:
		x.rewrap = true
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	if !x.body.Done() {
		x.keep = false // the rest of the request stands between us and the next one
	}
	if l.server.draining.Load() {
		x.keep = false
	}
	return append(appendConnection(dst, x), "\r\n"...)
}
