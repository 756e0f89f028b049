package nano

import (
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/clock"
)

// hooks is the wire of an exchange with hooks. It lies on the wire that carries
// the response. An exchange keeps it for its next use.
type hooks struct {
	exchange.Wire
	x       *liveRequest
	began   int64 // on the monotonic clock
	before  []func(Ctx, *Response)
	after   []func(Ctx, Outcome)
	filters []Filter
	offered Response

	collecting bool   // filters fill collected: the response isn't streamed
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
func (x *liveRequest) hook() *hooks {
	if x.hooked {
		return x.hooks
	}
	if x.hooks == nil {
		x.hooks = &hooks{x: x}
	}
	h := x.hooks
	h.Wire, h.began, h.sent = x.Wire, clock.Now(), x.begun
	x.Wire, x.hooked = h, true
	return h
}

// unhook calls the hooks of AfterResponse with the outcome and removes all hooks.
func (x *liveRequest) unhook(o Outcome) {
	h := x.hooks
	o.Took = time.Duration(clock.Now() - h.began)
	h.callAfter(o)
	x.Wire, x.hooked = h.Wire, false
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
		h.Abort(&h.x.Exchange)
	}
}

func (h *hooks) outcome() Outcome {
	o := Outcome{Status: h.x.Status, Size: h.size, Err: h.err, Cut: h.cut, Gone: h.x.gone()}
	switch {
	case h.hijacked:
		o.Status = 101
	case !h.sent:
		o.Status, o.Cut = 0, true
	}
	return o
}

// callAfter calls the functions of AfterResponse.
func (h *hooks) callAfter(o Outcome) {
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
	if s := h.x.Status; bodiless(s) {
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

// Respond implements exchange.Wire.
func (h *hooks) Respond(x *exchange.Exchange, body []byte) error {
	h.prepare(body, int64(len(body)), true)
	body = h.offered.body
	if len(h.filters) > 0 && len(body) > codedAtOnce {
		return h.stream(x, body)
	}
	if len(h.filters) > 0 {
		if err := h.collect(body); err != nil {
			h.dropFilters()
			h.x.begun = false
			return fmt.Errorf("coding the response: %w", err)
		}
		body = h.collected
	}
	h.sent = true
	h.count(len(body))
	return h.Wire.Respond(x, body)
}

// codedAtOnce is up to how many bytes of content are coded before the response
// begins, so that its length is known. More is coded as the client takes it: what is
// coded must not wait in memory for clients that don't read.
const codedAtOnce = 1 << 20

// stream sends a large response through the filters.
func (h *hooks) stream(x *exchange.Exchange, body []byte) error {
	h.sent = true
	if err := h.Wire.Begin(x, -1); err != nil {
		return err
	}
	if !exchange.IsHead(x) {
		for len(body) > 0 { // in parts, for some filters hold what they make of one
			n := min(len(body), maxCollected)
			if _, err := h.filters[0].Write(body[:n]); err != nil {
				return err
			}
			body = body[n:]
		}
	}
	return h.End(x, nil)
}

// collect puts a response that isn't streamed through the filters.
func (h *hooks) collect(body []byte) error {
	h.collecting, h.collected = true, h.collected[:0]
	_, err := h.filters[0].Write(body)
	if err == nil {
		err = h.closeFilters()
	}
	h.collecting, h.ended = false, err == nil
	return err
}

// Begin implements exchange.Wire.
func (h *hooks) Begin(x *exchange.Exchange, length int64) error {
	h.prepare(nil, length, false)
	if len(h.filters) > 0 {
		length = -1
	}
	h.sent = true
	return h.Wire.Begin(x, length)
}

// Write implements exchange.Wire.
func (h *hooks) Write(_ *exchange.Exchange, p []byte) (int, error) { return stage{h, 0}.Write(p) }

// put takes what comes out of the filters.
func (h *hooks) put(p []byte) (int, error) {
	if h.collecting {
		h.collected = append(h.collected, p...)
		return len(p), nil
	}
	n, err := h.Wire.Write(&h.x.Exchange, p)
	h.count(n)
	return n, err
}

// senderOf returns what sends files on a wire; nil if it can't, or if filters
// have to see the content.
func senderOf(w exchange.Wire) exchange.FileSender {
	if h, ok := w.(*hooks); ok {
		if len(h.filters) > 0 || senderOf(h.Wire) == nil {
			return nil
		}
		return h
	}
	f, _ := w.(exchange.FileSender)
	return f
}

// SendFile implements exchange.FileSender.
func (h *hooks) SendFile(x *exchange.Exchange, f *os.File, offset, length int64) error {
	err := senderOf(h.Wire).SendFile(x, f, offset, length)
	if err == nil {
		h.count(int(length))
	}
	return err
}

func (h *hooks) count(n int) {
	if s := h.x.Status; s != 204 && s != 304 && !(n > 0 && exchange.IsHead(&h.x.Exchange)) {
		h.size += int64(n)
	}
}

// Flush implements exchange.Wire.
func (h *hooks) Flush(x *exchange.Exchange) error {
	for _, f := range h.filters {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return h.Wire.Flush(x)
}

// End implements exchange.Wire.
func (h *hooks) End(x *exchange.Exchange, trailers []byte) error {
	if err := h.closeFilters(); err != nil {
		return err
	}
	return h.Wire.End(x, trailers)
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

// Read implements exchange.Wire.
func (h *hooks) Read(x *exchange.Exchange, p []byte) (int, error) {
	n, err := h.Wire.Read(x, p)
	if h.left -= int64(n); h.limited && h.left < 0 {
		return 0, ErrBodyTooLarge
	}
	return n, err
}

// Abort implements exchange.Wire.
func (h *hooks) Abort(x *exchange.Exchange) {
	h.cut = true
	h.Wire.Abort(x)
}

// Hijack implements exchange.Wire.
func (h *hooks) Hijack(x *exchange.Exchange) (net.Conn, []byte, error) {
	c, early, err := h.Wire.Hijack(x)
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

// Below returns the wire that the hooks lie on.
func (h *hooks) Below() exchange.Wire { return h.Wire }
