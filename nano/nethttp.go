package nano

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/internal/router"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
)

// ServeHTTP makes an App an http.Handler: what arrives through net/http, such as
// TLS and HTTP/2, meets the same routes.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.admits(w, r) {
		return
	}
	x := a.takeStd(w, r)
	defer a.giveStd(x)
	x.Buf = x.Buf[:0]
	x.fromStd(r)
	h := a.find(x)
	x.limitStd()
	a.serve(x, h)
	x.through.leave()
	if x.through.aborted {
		panic(http.ErrAbortHandler)
	}
}

// takeStd returns an exchange whose response is written to w.
func (a *App) takeStd(w http.ResponseWriter, r *http.Request) *liveRequest {
	x := a.take(nil)
	s := &x.through
	*s = stdWire{w: w, r: r, body: r.Body, began: clock.Now(), limits: &a.config.Limits}
	x.Wire = s
	if h := w.Header(); len(h) > 0 { // set by the server or middleware outside the app
		eachField(h, func(name, value string) { x.Fields = appendField(x.Fields, name, value) })
	}
	return x
}

// limitStd bounds the request's body, when its route is known.
func (x *liveRequest) limitStd() {
	s := &x.through
	if limit := x.BodyLimit(); limit >= 0 && s.r.ContentLength != 0 && s.r.Body != nil {
		s.body = http.MaxBytesReader(s.w, s.r.Body, limit)
	}
}

// giveStd takes it back. It keeps the buffer, which is its own.
func (a *App) giveStd(x *liveRequest) {
	x.Recycle()
	x.Wire, x.through = nil, stdWire{}
	if cap(x.Buf) > router.MaxScratch {
		x.Buf = nil
	}
	a.spare.Put(x)
}

// stdWire writes to an http.ResponseWriter.
type stdWire struct {
	w       http.ResponseWriter
	r       *http.Request
	body    io.Reader
	began   int64 // on the monotonic clock
	limits  *Limits
	aborted bool
	whole   bool       // the response is complete: nothing that fails later is of it
	sized   bool       // the response has a length,
	left    int64      // of which so many bytes are to come
	broken  bool       // the client doesn't take the response
	wrote   bool       // content, over HTTP/2
	making  sync.Mutex // of waits: one goroutine may read while another one writes
	waits   *stdWaits  // nil until something is waited for
}

// fromStd lays the request out as if it had been read from an HTTP/1.1
// connection, so that everything after works on one form.
func (x *liveRequest) fromStd(r *http.Request) {
	put := func(s string) http1.Span {
		from := uint32(len(x.Buf))
		x.Buf = append(x.Buf, s...)
		return http1.Span{Start: from, End: uint32(len(x.Buf))}
	}
	x.Req.Reset()
	x.Req.Method = put(r.Method)
	x.Req.Path = put(r.URL.EscapedPath())
	x.Req.Query = put(r.URL.RawQuery)
	x.Req.Host = put(r.Host)
	x.Req.Minor = 1
	x.Req.ContentLength = r.ContentLength
	x.Req.Chunked = r.ContentLength < 0
	for name, values := range r.Header {
		for _, v := range values {
			x.Req.Fields = append(x.Req.Fields, http1.Field{Name: put(name), Value: put(v)})
		}
	}
	x.Req.Fields = append(x.Req.Fields, http1.Field{Name: put("Host"), Value: x.Req.Host})
	x.std, x.TLS = r, r.TLS
	x.Body = exchange.Body{Ready: r.ContentLength == 0}
	x.Remote = netip.AddrPort{}
	x.Unnamed = r.Context().Value(unnamed{}) != nil
}

// peer returns the address of the request's peer. net/http has it as text, which few
// handlers need parsed; middleware in front may have removed the port.
func (x *liveRequest) peer() netip.AddrPort {
	if x.std != nil && !x.Remote.IsValid() {
		var err error
		if x.Remote, err = netip.ParseAddrPort(x.std.RemoteAddr); err != nil {
			x.Remote = parseNode(x.std.RemoteAddr)
		}
	}
	return x.Remote
}

// head gives net/http the fields. The header may have those that were there
// before: x.Fields has them too. length < 0: not known, or net/http counts.
func (s *stdWire) head(x *exchange.Exchange, length int64) {
	h := s.w.Header()
	clear(h)
	if usual := usualFields[string(x.Fields)]; usual != nil {
		h["Content-Type"] = usual
	} else {
		fill(h, string(x.Fields))
	}
	if own := h["Content-Length"]; own != nil && x.Status != 304 && s.r.Method != "HEAD" {
		x.Owner.Ignored([]byte("Content-Length: " + own[0]))
		delete(h, "Content-Length")
	}
	if length >= 0 {
		h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	}
	s.w.WriteHeader(x.Status)
}

// usualFields are the fields of most responses as net/http wants them. The values are
// never written to: http.Header's own methods replace them.
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

func (s *stdWire) Respond(x *exchange.Exchange, body []byte) error {
	length := int64(len(body))
	if bodiless(x.Status) || s.r.Method == "HEAD" && length == 0 || s.r.Method != "HEAD" && 0 < length && length <= countedByStd {
		length = -1
	}
	s.head(x, length)
	if len(body) == 0 || bodiless(x.Status) {
		s.whole = true
		return nil
	}
	_, err := s.Write(x, body)
	s.whole = err == nil
	return err
}

func (s *stdWire) Begin(x *exchange.Exchange, length int64) error {
	s.head(x, length)
	s.left, s.sized = length, length >= 0 && s.r.Method != "HEAD" && !bodiless(x.Status)
	return nil
}

func (s *stdWire) End(_ *exchange.Exchange, trailers []byte) error {
	if s.sized && s.left > 0 {
		s.aborted = true
		return exchange.Shorter(s.left)
	}
	h := s.w.Header()
	eachLine(trailers, func(name, value string) { h.Add(http.TrailerPrefix+name, value) })
	s.whole = true
	return nil
}

func (s *stdWire) Abort(*exchange.Exchange) { s.aborted = true }

func (s *stdWire) Context(x *exchange.Exchange) (context.Context, context.CancelCauseFunc) {
	return x.Owner.Timed(s.r.Context(), time.Duration(clock.Now()-s.began))
}

func (s *stdWire) Hijack(*exchange.Exchange) (net.Conn, []byte, error) {
	c, rw, err := http.NewResponseController(s.w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	netconn.Unguard(c)
	early, err := rw.Reader.Peek(rw.Reader.Buffered())
	return c, early, err
}

// Inform implements exchange.NetWire.
func (s *stdWire) Inform(x *exchange.Exchange, status int, lines []byte) error {
	h := s.w.Header()
	clear(h)
	eachLine(lines, h.Add)
	s.w.WriteHeader(status)
	clear(h)
	return nil
}

// Trailers implements exchange.NetWire.
func (s *stdWire) Trailers(_ *exchange.Exchange, f func(name, value string)) {
	eachField(s.r.Trailer, f)
}

// Deadline implements exchange.NetWire.
func (s *stdWire) Deadline(d exchange.Direction, at time.Time) error {
	c := http.NewResponseController(s.w)
	if d == exchange.Reading {
		s.waiting().in.own.Store(!at.IsZero())
		return c.SetReadDeadline(at)
	}
	s.waiting().out.own.Store(!at.IsZero())
	return c.SetWriteDeadline(at)
}

// Local implements exchange.NetWire.
func (s *stdWire) Local() net.Addr {
	a, _ := s.r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return a
}

// net/http has no limit of its own for clients of HTTP/2 that send a body, or take
// a response, slower and slower; and one for HTTP/1 counts from the request's start.
// stdWaits gives a request the limits that one on a loop has: how long it waits for
// its client, and at what pace, in each direction. It is one request's and isn't
// reused: a timer may fire late.
type stdWaits struct {
	in, out stdWait
	waited  time.Duration // for the request's body
}

// stdWait is that of one direction.
type stdWait struct {
	pace  netconn.Pace
	timer *time.Timer
	own   atomic.Bool // the handler has set a deadline, which counts instead

	mu     sync.Mutex
	active bool // a goroutine waits: the writer may be used
	cut    bool // the client was too slow
}

// stdPiece is how much of a response is given to net/http at a time: the client's
// pace is looked at in between.
const stdPiece = 256 << 10

func (s *stdWire) waiting() *stdWaits {
	s.making.Lock()
	defer s.making.Unlock()
	if s.waits == nil {
		s.waits = &stdWaits{}
	}
	return s.waits
}

// during runs f, which waits for the client to send or take some bytes. When the
// client is too slow, the deadline that cut sets makes f return; then late is true.
func (w *stdWait) during(limit, grace time.Duration, rate int, cut func(time.Time) error, f func() (int, error)) (n int, late bool, err error) {
	if w.own.Load() || limit <= 0 && rate <= 0 {
		n, err = f()
		return n, false, err
	}
	w.pace.Begin(grace)
	w.mu.Lock()
	w.active = !w.cut
	w.mu.Unlock()
	if stall := w.pace.Patience(limit, rate); w.timer != nil {
		w.timer.Reset(stall)
	} else {
		w.timer = time.AfterFunc(stall, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.active {
				w.cut = true
				_ = cut(time.Unix(1, 0)) // an error: what is below knows no deadlines
			}
		})
	}
	from := time.Now()
	n, err = f()
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = false
	w.pace.Spend(int64(n), time.Since(from), rate, limit)
	return n, w.cut, err
}

// leave ends the request. What net/http still holds of a response it sends when the
// handler has returned: over HTTP/2 that waits for the client, too.
func (s *stdWire) leave() {
	if s.wrote && s.limits.WriteStall > 0 && !s.waiting().out.own.Load() {
		_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(s.limits.WriteStall))
	}
}

// take gives net/http something to send over HTTP/2.
func (s *stdWire) take(f func() (int, error)) (int, error) {
	c := http.NewResponseController(s.w)
	n, late, err := s.waiting().out.during(s.limits.WriteStall, netconn.MostGrace, s.limits.MinTake, c.SetWriteDeadline, f)
	if late {
		err = netconn.ErrStalled
	}
	return n, err
}

// Write implements exchange.Wire.
func (s *stdWire) Write(_ *exchange.Exchange, p []byte) (n int, err error) {
	if s.sized {
		if int64(len(p)) > s.left {
			p = p[:s.left]
			defer func() { err = cmp.Or(err, exchange.ErrTooMuch) }()
		}
		defer func() { s.left -= int64(n) }()
	}
	if s.r.ProtoMajor < 2 { // the connection has a guard of its own
		n, err = s.w.Write(p)
	} else {
		s.wrote = s.wrote || len(p) > 0
		for len(p) > 0 && err == nil {
			var m int
			piece := p[:min(len(p), stdPiece)]
			m, err = s.take(func() (int, error) { return s.w.Write(piece) })
			n, p = n+m, p[m:]
		}
	}
	s.broken = s.broken || exchange.ConnectionLost(err) || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// Flush implements exchange.Wire.
func (s *stdWire) Flush(*exchange.Exchange) error {
	if s.r.ProtoMajor < 2 {
		return http.NewResponseController(s.w).Flush()
	}
	_, err := s.take(func() (int, error) { return 0, http.NewResponseController(s.w).Flush() })
	return err
}

// Read implements exchange.Wire.
func (s *stdWire) Read(x *exchange.Exchange, p []byte) (int, error) {
	c, w := http.NewResponseController(s.w), s.waiting()
	from := time.Now()
	stall, rate := x.Owner.BodyPace()
	n, late, err := w.in.during(stall, netconn.RateGrace, rate, c.SetReadDeadline, func() (int, error) { return s.body.Read(p) })
	w.waited += time.Since(from)
	var large *http.MaxBytesError
	switch {
	case err == nil, err == io.EOF, err == http.ErrBodyReadAfterClose:
		return n, err
	case late:
		return n, errTooSlow
	case errors.Is(err, os.ErrDeadlineExceeded): // the handler's own
		return n, err
	case errors.As(err, &large):
		return n, ErrBodyTooLarge
	case err == io.ErrUnexpectedEOF || exchange.ConnectionLost(err) || s.r.Context().Err() != nil:
		return n, bodyCut(err)
	}
	// What net/http may still report is that the body isn't framed as it should be.
	return n, NewProblem(400, "the request's body can't be read").Because(err)
}

// Gone implements exchange.NetWire.
func (s *stdWire) Gone() bool { return s.broken || s.r.Context().Err() == context.Canceled }

// BodyWait implements exchange.NetWire.
func (s *stdWire) BodyWait() time.Duration { return s.waiting().waited }
