package nano

import (
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"

	"dyno/nano/wire/clock"
)

// hooks is the wire of an exchange with hooks. It lies on the wire that carries
// the response. An exchange keeps it for its next use.
type hooks struct {
	wire
	x       *exchange
	began   int64 // on the monotonic clock
	before  []func(Ctx, *Response)
	after   []func(Ctx, Outcome)
	filters []Filter
	offered Response

	collecting bool   // filters fill collected: a whole response
	collected  []byte // reused
	sent       bool   // the head was given to the wire, maybe before there were hooks
	ended      bool   // filters are closed
	hijacked   bool
	cut        bool
	size       int64
	err        error
	limited    bool  // Ctx.LimitBody bounds the request's body:
	left       int64 // so many bytes of it may still be read
}

const maxCollected = 64 << 10 // bytes kept between requests

// hook puts hooks onto the exchange, if there are none.
func (x *exchange) hook() *hooks {
	if x.hooked {
		return x.hooks
	}
	if x.hooks == nil {
		x.hooks = &hooks{x: x}
	}
	h := x.hooks
	h.wire, h.began, h.sent = x.wire, clock.Now(), x.begun
	x.wire, x.hooked = h, true
	return h
}

// unhook tells the hooks how the request ended and takes them off.
func (x *exchange) unhook(o Outcome) {
	h := x.hooks
	o.Took = time.Duration(clock.Now() - h.began)
	h.tell(o)
	x.wire, x.hooked = h.wire, false
	h.reset()
}

// reset readies the hooks for another request.
func (h *hooks) reset() {
	clear(h.before)
	clear(h.after)
	clear(h.filters)
	collected := h.collected[:0]
	if cap(collected) > maxCollected {
		collected = nil
	}
	*h = hooks{x: h.x, before: h.before[:0], after: h.after[:0], filters: h.filters[:0], collected: collected}
}

// finish closes the filters of a streamed response whose handler has returned.
func (h *hooks) finish() {
	if !h.sent || h.cut {
		return
	}
	if err := h.closeFilters(); err != nil {
		h.err = err
		h.abort(h.x)
	}
}

func (h *hooks) outcome() Outcome {
	o := Outcome{Status: h.x.status, Size: h.size, Err: h.err, Cut: h.cut, Gone: h.x.gone()}
	switch {
	case h.hijacked:
		o.Status = 101
	case !h.sent:
		o.Status, o.Cut = 0, true
	}
	return o
}

// tell calls the functions of AfterResponse.
func (h *hooks) tell(o Outcome) {
	c := Ctx{h.x, h.x.gen.Load()}
	for i := len(h.after) - 1; i >= 0; i-- {
		h.call(h.after[i], c, o)
	}
}

func (h *hooks) call(f func(Ctx, Outcome), c Ctx, o Outcome) {
	defer func() {
		if p := recover(); p != nil {
			h.x.app.config.Logger.Error("AfterResponse panicked", "route", routeName(h.x), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	f(c, o)
}

// prepare calls the functions of BeforeResponse.
func (h *hooks) prepare(body []byte, length int64, whole bool) {
	h.offered = Response{x: h.x, body: body, length: length, whole: whole}
	c := Ctx{h.x, h.x.gen.Load()}
	for i := len(h.before) - 1; i >= 0; i-- {
		h.before[i](c, &h.offered)
	}
	if s := h.x.status; bodiless(s) {
		h.dropFilters()
	}
	for i, f := range h.filters {
		f.Reset(stage{h, i + 1})
	}
}

func (h *hooks) dropFilters() {
	clear(h.filters)
	h.filters = h.filters[:0]
}

// respond implements wire.
func (h *hooks) respond(x *exchange, body []byte) error {
	h.prepare(body, int64(len(body)), true)
	body = h.offered.body
	if len(h.filters) > 0 && len(body) > codedAtOnce {
		return h.stream(x, body)
	}
	if len(h.filters) > 0 {
		if err := h.collect(body); err != nil {
			h.dropFilters()
			x.begun = false
			return fmt.Errorf("coding the response: %w", err)
		}
		body = h.collected
	}
	h.sent = true
	h.count(len(body))
	return h.wire.respond(x, body)
}

// codedAtOnce is up to how many bytes of content are coded before the response
// begins, so that its length is known. More is coded as the client takes it: what is
// coded must not wait in memory for clients that don't read.
const codedAtOnce = 1 << 20

// stream sends a large response through the filters.
func (h *hooks) stream(x *exchange, body []byte) error {
	h.sent = true
	if err := h.wire.begin(x, -1); err != nil {
		return err
	}
	if !isHead(x) {
		for len(body) > 0 { // in parts, for some filters hold what they make of one
			n := min(len(body), maxCollected)
			if _, err := h.filters[0].Write(body[:n]); err != nil {
				return err
			}
			body = body[n:]
		}
	}
	return h.end(x, nil)
}

// collect puts a whole response through the filters.
func (h *hooks) collect(body []byte) error {
	h.collecting, h.collected = true, h.collected[:0]
	_, err := h.filters[0].Write(body)
	if err == nil {
		err = h.closeFilters()
	}
	h.collecting, h.ended = false, err == nil
	return err
}

// begin implements wire.
func (h *hooks) begin(x *exchange, length int64) error {
	h.prepare(nil, length, false)
	if len(h.filters) > 0 {
		length = -1
	}
	h.sent = true
	return h.wire.begin(x, length)
}

// write implements wire.
func (h *hooks) write(_ *exchange, p []byte) (int, error) { return stage{h, 0}.Write(p) }

// put takes what comes out of the filters.
func (h *hooks) put(p []byte) (int, error) {
	if h.collecting {
		h.collected = append(h.collected, p...)
		return len(p), nil
	}
	n, err := h.wire.write(h.x, p)
	h.count(n)
	return n, err
}

// senderOf returns what sends files on a wire; nil if it can't, or if filters
// have to see the content.
func senderOf(w wire) fileSender {
	if h, ok := w.(*hooks); ok {
		if len(h.filters) > 0 || senderOf(h.wire) == nil {
			return nil
		}
		return h
	}
	f, _ := w.(fileSender)
	return f
}

// sendFile implements fileSender.
func (h *hooks) sendFile(x *exchange, f *os.File, offset, length int64) error {
	err := senderOf(h.wire).sendFile(x, f, offset, length)
	if err == nil {
		h.count(int(length))
	}
	return err
}

func (h *hooks) count(n int) {
	if s := h.x.status; s != 204 && s != 304 && !(n > 0 && isHead(h.x)) {
		h.size += int64(n)
	}
}

// flush implements wire.
func (h *hooks) flush(x *exchange) error {
	for _, f := range h.filters {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return h.wire.flush(x)
}

// end implements wire.
func (h *hooks) end(x *exchange, trailers []byte) error {
	if err := h.closeFilters(); err != nil {
		return err
	}
	return h.wire.end(x, trailers)
}

func (h *hooks) closeFilters() error {
	if h.ended {
		return nil
	}
	h.ended = true
	for _, f := range h.filters {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// read implements wire.
func (h *hooks) read(x *exchange, p []byte) (int, error) {
	n, err := h.wire.read(x, p)
	if h.left -= int64(n); h.limited && h.left < 0 {
		return 0, ErrBodyTooLarge
	}
	return n, err
}

// abort implements wire.
func (h *hooks) abort(x *exchange) {
	h.cut = true
	h.wire.abort(x)
}

// hijack implements wire.
func (h *hooks) hijack(x *exchange) (net.Conn, []byte, error) {
	c, early, err := h.wire.hijack(x)
	h.hijacked = err == nil
	return c, early, err
}

// panicked lets the bare response to a panic pass.
func (h *hooks) panicked(p any) {
	h.err = fmt.Errorf("panic: %v", p)
	if !h.sent && !h.hijacked {
		h.stepAside()
		h.x.begun = false
	}
}

// stepAside lets a bare response pass as it is.
func (h *hooks) stepAside() {
	clear(h.before)
	h.dropFilters()
	h.before, h.collecting = h.before[:0], false
}
