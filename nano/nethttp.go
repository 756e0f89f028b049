package nano

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"dyno/internal/http1"
)

// ServeHTTP makes an App an http.Handler: what arrives through net/http, such as
// TLS and HTTP/2, meets the same routes.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sw := &stdWire{w: w, r: r, body: http.MaxBytesReader(w, r.Body, a.config.Limits.Body)}
	x := a.take(sw)
	defer a.give(x)
	x.fromStd(r)
	h := a.find(x)
	a.serve(x, h)
	if sw.aborted {
		panic(http.ErrAbortHandler)
	}
}

// stdWire answers through an http.ResponseWriter.
type stdWire struct {
	w       http.ResponseWriter
	r       *http.Request
	body    interface{ Read([]byte) (int, error) }
	aborted bool
}

// fromStd lays the request out as if it had been read from an HTTP/1.1
// connection, so that everything after works on one form.
func (x *exchange) fromStd(r *http.Request) {
	x.buf = x.buf[:0]
	put := func(s string) http1.Span {
		from := uint32(len(x.buf))
		x.buf = append(x.buf, s...)
		return http1.Span{Start: from, End: uint32(len(x.buf))}
	}
	x.req.Reset()
	x.req.Method = put(r.Method)
	x.req.Path = put(r.URL.EscapedPath())
	x.req.Query = put(r.URL.RawQuery)
	x.req.Host = put(r.Host)
	x.req.Minor = 1
	x.req.ContentLength = r.ContentLength
	for name, values := range r.Header {
		for _, v := range values {
			x.req.Fields = append(x.req.Fields, http1.Field{Name: put(name), Value: put(v)})
		}
	}
	x.req.Fields = append(x.req.Fields, http1.Field{Name: put("Host"), Value: x.req.Host})
	x.tls = r.TLS != nil
	x.remote, _ = netip.ParseAddrPort(r.RemoteAddr)
}

func (s *stdWire) head(x *exchange) {
	h := s.w.Header()
	for rest := x.fields; len(rest) > 0; {
		line, end := cutLine(rest)
		for i, c := range line {
			if c == ':' {
				h.Add(string(line[:i]), string(line[i+2:]))
				break
			}
		}
		rest = rest[end:]
	}
}

func (s *stdWire) answer(x *exchange, body []byte) error {
	s.head(x)
	if x.status != 204 && x.status != 304 && s.r.Method != "HEAD" {
		s.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	s.w.WriteHeader(x.status)
	if len(body) == 0 {
		return nil
	}
	_, err := s.w.Write(body)
	return err
}

func (s *stdWire) begin(x *exchange, length int64) error {
	s.head(x)
	if length >= 0 {
		s.w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	}
	s.w.WriteHeader(x.status)
	return nil
}

func (s *stdWire) write(_ *exchange, p []byte) (int, error) { return s.w.Write(p) }

func (s *stdWire) flush(*exchange) error { return http.NewResponseController(s.w).Flush() }

func (s *stdWire) end(_ *exchange, trailers []byte) error {
	for rest := trailers; len(rest) > 0; {
		line, end := cutLine(rest)
		for i, c := range line {
			if c == ':' {
				s.w.Header().Add(http.TrailerPrefix+string(line[:i]), string(line[i+2:]))
				break
			}
		}
		rest = rest[end:]
	}
	return nil
}

func (s *stdWire) read(_ *exchange, p []byte) (int, error) { return s.body.Read(p) }

func (s *stdWire) abort(*exchange) { s.aborted = true }

func (s *stdWire) context(*exchange) (context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(s.r.Context())
}

func (s *stdWire) hijack(*exchange) (net.Conn, []byte, error) {
	c, rw, err := http.NewResponseController(s.w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, err := rw.Reader.Peek(rw.Reader.Buffered())
	return c, early, err
}
