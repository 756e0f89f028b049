//go:build linux

package proxy

import (
	"bytes"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// withhold keeps which fields the head of a request was written without, as its trailers
// mustn't bring them after all. They come when the loop has long been at other requests.
func (l *bodies) withhold(x *exchange, r *request.Request, trailers []byte) {
	x.withheld = append(x.withheld[:0], r.Drops()...)
	if x.body.Done() && len(trailers) == 0 {
		return
	}
	for _, name := range l.named.Names() {
		x.withheld = append(x.withheld, string(bytes.ToLower(name)))
	}
}

// requestTrailers are the trailers of a request as lines, as its upstream is sent them.
func (l *bodies) requestTrailers(c *client) []byte {
	x := &c.x
	lines := l.trailerLines(&x.body, c.trailers)
	if len(lines) == 0 {
		return nil
	}
	lines = translate.RequestTrailers(lines, x.withheld, x.route.Request.Drop, x.route.Identity.Names)
	if len(c.trailers) > 0 {
		c.trailers = lines // in place: another try finds what is left
	}
	return lines
}

// responseTrailers are the trailers of a response as lines, as the client is sent them.
func (l *bodies) responseTrailers(x *exchange, k *backend) []byte {
	lines := l.trailerLines(&k.body, k.trailers)
	drop := responseDrop(x)
	if len(lines) == 0 || len(drop) == 0 {
		return lines
	}
	lines = translate.ResponseTrailers(lines, drop)
	if len(k.trailers) > 0 {
		k.trailers = lines
	}
	return lines
}

// trailerLines are the trailers that followed a body, as lines: those that came over
// HTTP/2, or else what followed its chunks.
func (l *bodies) trailerLines(body *http1.Body, lines []byte) []byte {
	if len(lines) > 0 {
		return lines
	}
	text, fields := body.Trailers()
	l.trail = l.trail[:0]
	for _, f := range fields {
		l.trail = append(append(l.trail, f.Name.Of(text)...), ": "...)
		l.trail = append(append(l.trail, f.Value.Of(text)...), "\r\n"...)
	}
	return l.trail
}
