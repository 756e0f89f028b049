package nano

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"dyno.example/nano/internal/exchange"
)

// bridge is the http.ResponseWriter of a net/http handler on an exchange. It isn't
// reused, as handlers keep it longer than they should; its buffer is.
type bridge struct {
	c   Ctx
	x   *liveRequest
	app *App

	req     *http.Request
	remote  string // its RemoteAddr and Host, as they were made
	host    string
	request http.Request
	url     url.URL
	ctx     requestContext
	body    bridgeBody

	header    http.Header
	status    int
	length    int64 // of the response, as the handler declared it; -1: it didn't
	written   int64 // of its content: sent, or in early
	early     *earlyBytes
	announced []string // names of trailers
	typed     bool     // no Content-Type is to be found
	wrote     bool     // WriteHeader was called
	begun     bool     // the head was given to the wire
	hijacked  bool
	overfull  bool // a write has exceeded length: nothing more is taken, as in net/http

	mu   sync.Mutex
	over bool // the exchange is out of reach
}

// earlyBytes is the start of a response's content. If that is all of it, Content-Length
// can be set.
type earlyBytes [wholeResponse + sniffed]byte

const (
	wholeResponse = 2048 // as in net/http
	sniffed       = 512  // what http.DetectContentType reads
)

var earlyPool = sync.Pool{New: func() any { return new(earlyBytes) }}

var (
	_ http.Flusher    = (*bridge)(nil)
	_ http.Hijacker   = (*bridge)(nil)
	_ io.ReaderFrom   = (*bridge)(nil)
	_ io.StringWriter = (*bridge)(nil)
)

func newBridge(c Ctx) (*bridge, error) {
	x := c.live()
	b := &bridge{c: c, x: x, app: x.app, header: make(http.Header, 4), length: -1}
	b.ctx = requestContext{b: b, made: x.ctx}
	b.body.b = b
	if err := b.fill(); err != nil {
		return nil, err
	}
	b.remote, b.host = b.req.RemoteAddr, b.req.Host
	eachLine(x.Fields, b.header.Add)
	x.Fields = x.Fields[:0]
	return b, nil
}

// leave takes the exchange out of reach of whoever keeps the bridge.
func (b *bridge) leave() {
	b.mu.Lock()
	b.over = true
	b.mu.Unlock()
	if !b.body.mu.TryLock() {
		_ = b.setDeadline(exchange.Reading, time.Unix(1, 0)) // what reads must return
		b.body.mu.Lock()
	}
	b.body.closed = true
	b.body.mu.Unlock()
	b.ctx.end()
	b.x.begun = b.begun || b.hijacked
	if b.early != nil {
		earlyPool.Put(b.early)
		b.early = nil
	}
}

// Header implements http.ResponseWriter.
func (b *bridge) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *bridge) WriteHeader(code int) {
	if code < 100 || code > 999 {
		panic(fmt.Sprintf("nano: invalid WriteHeader code %v", code))
	}
	switch {
	case b.hijacked, b.wrote, b.over:
		b.app.config.Logger.Warn("superfluous WriteHeader", "route", b.req.Pattern, "status", code)
		return
	case code < 200:
		b.inform(code)
		return
	}
	b.wrote, b.status = true, code
	b.declare()
	b.layFields()
}

// inform sends an interim response. 101 is the last one: a handler that switches
// protocols hijacks the connection next.
func (b *bridge) inform(code int) {
	w, ok := exchange.NetWireOf(b.x.Wire)
	if !ok || b.x.Req.Minor == 0 {
		return // RFC 9110 15.2: not to a client of HTTP/1.0
	}
	var lines []byte
	eachField(b.header, func(name, value string) {
		if name != "Content-Length" && name != "Transfer-Encoding" { // RFC 9110 8.6, RFC 9112 6.1
			lines = appendField(lines, name, value)
		}
	})
	_ = w.Inform(&b.x.Exchange, code, lines) // an error shows again when the response is sent
	if code == http.StatusSwitchingProtocols {
		b.wrote, b.status = true, code
	}
}

// Write implements http.ResponseWriter.
func (b *bridge) Write(p []byte) (int, error) {
	if !b.wrote && !b.hijacked && !b.over {
		b.WriteHeader(http.StatusOK)
	}
	switch {
	case b.hijacked:
		return 0, http.ErrHijacked
	case b.over:
		return 0, ErrResponded
	case len(p) == 0:
		return 0, nil
	case bodiless(b.status):
		return 0, http.ErrBodyNotAllowed
	}
	before := b.written
	if b.overfull = b.overfull || b.length >= 0 && before+int64(len(p)) > b.length; b.overfull {
		return 0, http.ErrContentLength
	}
	b.written += int64(len(p))
	if b.begun {
		return b.x.Wire.Write(&b.x.Exchange, p)
	}
	if b.early == nil {
		b.early = earlyPool.Get().(*earlyBytes)
	}
	n := copy(b.early[before:], p) // with a bit more than a complete response, to sniff
	if b.written <= wholeResponse {
		return n, nil
	}
	if err := b.begin(b.early[:before], b.early[:int(before)+n]); err != nil {
		return 0, err
	}
	return b.x.Wire.Write(&b.x.Exchange, p)
}

// WriteString implements io.StringWriter.
func (b *bridge) WriteString(s string) (int, error) { return b.Write(unsafeBytes(s)) }

// ReadFrom implements io.ReaderFrom.
func (b *bridge) ReadFrom(r io.Reader) (n int64, err error) {
	p := copyPool.Get().(*[copySize]byte)
	defer copyPool.Put(p)
	return io.CopyBuffer(struct{ io.Writer }{b}, r, p[:])
}

const copySize = 32 << 10

var copyPool = sync.Pool{New: func() any { return new([copySize]byte) }}

// begin sends the head of a streamed response and what was held back of its content.
// look is the content that the type is detected from.
func (b *bridge) begin(early, look []byte) error {
	b.sniff(look)
	x := b.x
	x.Status, x.begun, b.begun = b.status, true, true
	if err := x.Wire.Begin(&x.Exchange, b.length); err != nil || len(early) == 0 {
		return err
	}
	_, err := x.Wire.Write(&x.Exchange, early)
	return err
}

// held is what was written and not sent.
func (b *bridge) held() []byte {
	if b.early == nil || b.begun {
		return nil
	}
	return b.early[:b.written]
}

// FlushError implements what http.ResponseController looks for.
func (b *bridge) FlushError() error {
	switch {
	case b.hijacked:
		return http.ErrHijacked
	case b.over:
		return ErrResponded
	case !b.wrote:
		b.WriteHeader(http.StatusOK)
	}
	if !b.begun {
		if err := b.begin(b.held(), b.held()); err != nil {
			return err
		}
	}
	return b.x.Wire.Flush(&b.x.Exchange)
}

// Flush implements http.Flusher.
func (b *bridge) Flush() { _ = b.FlushError() }

// finish sends what the handler has left to send.
func (b *bridge) finish() error {
	if b.hijacked {
		return nil
	}
	if !b.wrote {
		b.WriteHeader(http.StatusOK)
	}
	x, held := b.x, b.held()
	if b.status == http.StatusSwitchingProtocols { // and the connection wasn't hijacked
		b.begun, x.begun = true, true
		return ErrAborted
	}
	trailers := b.trailerLines()
	streamed := len(trailers) > 0 || len(b.announced) > 0 || // trailers need chunks
		b.length > b.written || // cut short, unless the request is HEAD
		b.req.Method == "HEAD" && b.written == 0 // its length isn't known
	if !b.begun && !streamed {
		b.sniff(held)
		x.Status, x.begun, b.begun = b.status, true, true
		return x.Wire.Respond(&x.Exchange, held)
	}
	if !b.begun {
		if err := b.begin(held, held); err != nil {
			return err
		}
	}
	return x.Wire.End(&x.Exchange, trailers)
}

// Hijack implements http.Hijacker.
func (b *bridge) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	switch {
	case b.hijacked:
		return nil, nil, http.ErrHijacked
	case b.over:
		return nil, nil, ErrResponded
	case b.wrote && b.status != http.StatusSwitchingProtocols && !b.begun:
		if err := b.FlushError(); err != nil {
			return nil, nil, err
		}
	}
	c, early, err := b.x.Wire.Hijack(&b.x.Exchange)
	if err != nil {
		return nil, nil, err
	}
	b.hijacked, b.x.begun = true, true
	r := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(early), c), max(4096, len(early)))
	if len(early) == 0 {
		r = bufio.NewReader(c)
	}
	_, _ = r.Peek(len(early)) // so that Buffered counts them
	return c, bufio.NewReadWriter(r, bufio.NewWriter(c)), nil
}

// SetReadDeadline implements what http.ResponseController looks for.
func (b *bridge) SetReadDeadline(at time.Time) error { return b.deadline(exchange.Reading, at) }

// SetWriteDeadline implements what http.ResponseController looks for.
func (b *bridge) SetWriteDeadline(at time.Time) error { return b.deadline(exchange.Writing, at) }

// deadline is for any goroutine, also one that has outlived the request: the wire
// is another one's then.
func (b *bridge) deadline(d exchange.Direction, at time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return ErrResponded
	}
	return b.setDeadline(d, at)
}

func (b *bridge) setDeadline(d exchange.Direction, at time.Time) error {
	w, ok := exchange.NetWireOf(b.x.Wire)
	if !ok {
		return errors.ErrUnsupported
	}
	return w.Deadline(d, at)
}

// EnableFullDuplex implements what http.ResponseController looks for. Bodies are
// never thrown away to make way for a response.
func (b *bridge) EnableFullDuplex() error {
	if b.x.std == nil {
		return nil
	}
	if sw, ok := exchange.NetWireOf(b.x.Wire); ok {
		if sw, ok := sw.(*stdWire); ok {
			return http.NewResponseController(sw.w).EnableFullDuplex()
		}
	}
	return errors.ErrUnsupported
}

// local returns the address the client has connected to.
func (b *bridge) local() net.Addr {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return nil
	}
	if w, ok := exchange.NetWireOf(b.x.Wire); ok {
		return w.Local()
	}
	return nil
}

// declare takes the length the handler has set.
func (b *bridge) declare() {
	text := b.header.Get("Content-Length")
	if text == "" || b.header.Get("Transfer-Encoding") != "" {
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		b.app.config.Logger.Warn("invalid Content-Length", "route", b.req.Pattern, "value", text)
		return
	}
	if !bodiless(b.status) {
		b.length = n
	}
}

// bodiless reports whether a response of the status has no content (RFC 9110 6.4.1).
func bodiless(status int) bool { return status < 200 || status == 204 || status == 304 }

// sniff sets the Content-Type if the handler hasn't.
func (b *bridge) sniff(content []byte) {
	if b.typed || len(content) == 0 || bodiless(b.status) {
		return
	}
	b.x.Fields = appendField(b.x.Fields, "Content-Type", http.DetectContentType(content))
}
