package nano

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"dyno/nano/internal/netconn"
	"dyno/nano/internal/router"
	"dyno/nano/wire/clock"
	"dyno/nano/wire/http1"
)

// ServeHTTP makes an App an http.Handler: what arrives through net/http, such as
// TLS and HTTP/2, meets the same routes.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.admits(w, r) {
		return
	}
	x := a.takeStd(w, r)
	defer a.giveStd(x)
	x.buf = x.buf[:0]
	x.fromStd(r)
	h := a.find(x)
	x.limitStd()
	a.serve(x, h)
	x.through.leave()
	if x.through.aborted {
		panic(http.ErrAbortHandler)
	}
}

// takeStd returns an exchange that is answered through w.
func (a *App) takeStd(w http.ResponseWriter, r *http.Request) *exchange {
	x := a.take(nil)
	s := &x.through
	*s = stdWire{w: w, r: r, body: r.Body, began: clock.Now(), limits: &a.config.Limits}
	x.wire = s
	if h := w.Header(); len(h) > 0 { // set by who is outside
		eachField(h, func(name, value string) { x.fields = appendField(x.fields, name, value) })
	}
	return x
}

// limitStd bounds the request's body, when its route is known.
func (x *exchange) limitStd() {
	s := &x.through
	if limit := x.bodyLimit(); limit >= 0 && s.r.ContentLength != 0 && s.r.Body != nil {
		s.body = http.MaxBytesReader(s.w, s.r.Body, limit)
	}
}

// giveStd takes it back. It keeps the buffer, which is its own.
func (a *App) giveStd(x *exchange) {
	x.recycle()
	x.wire, x.through = nil, stdWire{}
	if cap(x.buf) > router.MaxScratch {
		x.buf = nil
	}
	a.spare.Put(x)
}

// stdWire answers through an http.ResponseWriter.
type stdWire struct {
	w       http.ResponseWriter
	r       *http.Request
	body    io.Reader
	began   int64 // on the monotonic clock
	limits  *Limits
	aborted bool
	sized   bool      // the response has a length,
	left    int64     // of which so many bytes are to come
	broken  bool      // the client doesn't take the response
	wrote   bool      // content, over HTTP/2
	waits   *stdWaits // nil until something is waited for
}

// fromStd lays the request out as if it had been read from an HTTP/1.1
// connection, so that everything after works on one form.
func (x *exchange) fromStd(r *http.Request) {
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
	x.req.Chunked = r.ContentLength < 0
	for name, values := range r.Header {
		for _, v := range values {
			x.req.Fields = append(x.req.Fields, http1.Field{Name: put(name), Value: put(v)})
		}
	}
	x.req.Fields = append(x.req.Fields, http1.Field{Name: put("Host"), Value: x.req.Host})
	x.std, x.tls = r, r.TLS
	x.body = body{ready: r.ContentLength == 0}
	x.remote = netip.AddrPort{}
}

// peer returns the address of who sent the request. net/http tells it as text,
// which few ask for; middleware in front may have left the port out.
func (x *exchange) peer() netip.AddrPort {
	if x.std != nil && !x.remote.IsValid() {
		var err error
		if x.remote, err = netip.ParseAddrPort(x.std.RemoteAddr); err != nil {
			x.remote = parseNode(x.std.RemoteAddr)
		}
	}
	return x.remote
}

// head gives net/http the fields. The header may have those that were there
// before: x.fields has them too. length < 0: not known, or net/http counts.
func (s *stdWire) head(x *exchange, length int64) {
	h := s.w.Header()
	clear(h)
	if usual := usualFields[string(x.fields)]; usual != nil {
		h["Content-Type"] = usual
	} else {
		fill(h, string(x.fields))
	}
	if own := h["Content-Length"]; own != nil && x.status != 304 && s.r.Method != "HEAD" {
		x.ignored([]byte("Content-Length: " + own[0]))
		delete(h, "Content-Length")
	}
	if length >= 0 {
		h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	}
	s.w.WriteHeader(x.status)
}

// usualFields are the fields of most responses as net/http wants them. Nobody
// writes into the values: http.Header's own methods replace them.
var usualFields = map[string][]string{
	textLine: {"text/plain; charset=utf-8"},
	jsonLine: {"application/json"},
	htmlLine: {"text/html; charset=utf-8"},
}

// fill puts lines of fields into an empty header.
func fill(h http.Header, lines string) {
	values := make([]string, 0, strings.Count(lines, "\n"))
	for line, rest, ok := strings.Cut(lines, "\r\n"); ok; line, rest, ok = strings.Cut(rest, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		name, value = textproto.CanonicalMIMEHeaderKey(name), strings.TrimLeft(value, " ")
		if h[name] != nil {
			h[name] = append(h[name], value)
			continue
		}
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
}

// countedByStd is the size up to which net/http gives the length of a body that
// was written at once by itself.
const countedByStd = 2048

func (s *stdWire) respond(x *exchange, body []byte) error {
	length := int64(len(body))
	if bodiless(x.status) || s.r.Method == "HEAD" && length == 0 || s.r.Method != "HEAD" && 0 < length && length <= countedByStd {
		length = -1
	}
	s.head(x, length)
	if len(body) == 0 || bodiless(x.status) {
		return nil
	}
	_, err := s.write(x, body)
	return err
}

func (s *stdWire) begin(x *exchange, length int64) error {
	s.head(x, length)
	s.left, s.sized = length, length >= 0 && s.r.Method != "HEAD" && !bodiless(x.status)
	return nil
}

func (s *stdWire) end(_ *exchange, trailers []byte) error {
	if s.sized && s.left > 0 {
		s.aborted = true
		return shorter(s.left)
	}
	h := s.w.Header()
	eachLine(trailers, func(name, value string) { h.Add(http.TrailerPrefix+name, value) })
	return nil
}

func (s *stdWire) abort(*exchange) { s.aborted = true }

func (s *stdWire) context(x *exchange) (context.Context, context.CancelCauseFunc) {
	return x.timed(s.r.Context(), time.Duration(clock.Now()-s.began))
}

func (s *stdWire) hijack(*exchange) (net.Conn, []byte, error) {
	c, rw, err := http.NewResponseController(s.w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	netconn.Unguard(c)
	early, err := rw.Reader.Peek(rw.Reader.Buffered())
	return c, early, err
}

// inform implements netWire.
func (s *stdWire) inform(x *exchange, status int, lines []byte) error {
	h := s.w.Header()
	clear(h)
	eachLine(lines, h.Add)
	s.w.WriteHeader(status)
	clear(h)
	return nil
}

// trailers implements netWire.
func (s *stdWire) trailers(_ *exchange, f func(name, value string)) { eachField(s.r.Trailer, f) }

// deadline implements netWire.
func (s *stdWire) deadline(d direction, at time.Time) error {
	c := http.NewResponseController(s.w)
	if d == reading {
		s.waiting().in.own.Store(!at.IsZero())
		return c.SetReadDeadline(at)
	}
	s.waiting().out.own.Store(!at.IsZero())
	return c.SetWriteDeadline(at)
}

// local implements netWire.
func (s *stdWire) local() net.Addr {
	a, _ := s.r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return a
}
