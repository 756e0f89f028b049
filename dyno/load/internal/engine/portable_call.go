package engine

import (
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
)

// says notes that a message of a call is begun. The line's mu is held.
func (c *http2Line) says(t *trip) {
	t.call.says(t.worker.request.Call)
	p := c.line.engine
	p.mu.Lock()
	p.rec.Messages.Out++
	p.mu.Unlock()
}

// sayMore readies the next message of a call, if there is one.
func (c *http2Line) sayMore(t *trip) bool {
	if t.call.final {
		return false
	}
	c.says(t)
	p := c.line.engine
	p.mu.Lock()
	t.rest = p.mix.further(&t.worker.exchange, clock.Now())
	p.mu.Unlock()
	return true
}

// callEvent deals with what came on the stream of a call.
func (c *http2Line) callEvent(t *trip, ev *http2.Event, now int64) {
	w, o := t.worker, &t.result
	switch ev.Kind {
	case http2.EventHead:
		if o.first == 0 {
			o.first = now
		}
		o.status = ev.Header.Status
		t.call.head(&w.exchange, ev.Header, ev.End)
	case http2.EventData:
		c.wire.Consume(ev.Stream, len(ev.Data))
		if c.hears(t, ev.Data, now); t.call.broken != "" && t.call.isGRPC {
			c.end(t, outcome{done: now, kind: measure.BodyError, why: i18n.Verbatim(t.call.broken)})
			return
		}
	case http2.EventTrailers:
		t.call.status(&w.exchange, ev.Header)
	}
	if ev.End {
		kind, why := t.call.judge(&w.exchange, o.status)
		c.end(t, outcome{status: o.status, first: o.first, done: now, kind: kind, why: why, called: kind != measure.BodyError || why.IsZero()})
	}
}

// hears takes bytes of messages.
func (c *http2Line) hears(t *trip, data []byte, now int64) {
	t.body += int64(len(data))
	t.call.keep(&t.worker.exchange, t.result.status, data)
	for {
		n, part, ok := t.call.next(data)
		if data = data[n:]; !ok {
			return
		}
		if part.Last {
			c.messageCame(t, now)
		}
	}
}

// messageCame counts a message.
func (c *http2Line) messageCame(t *trip, now int64) {
	t.call.came++
	w, p := t.worker, c.line.engine
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rec.Messages.In++
	if w.request.Call.ManyResponses {
		p.rec.Durations.Timed[measure.Message].Record(now - max(t.call.last, w.sentAt))
		t.call.last = now
	}
}

// called records a call that has its response, as expected or not. The engine's mu is
// held.
func (w *worker) called(o *outcome) {
	p := w.engine
	p.rec.left(w.intended, o.done)
	p.rec.countStatus(o.status, w.intended)
	if c := &w.trip.call; c.ended {
		p.rec.countCode(c.code, w.intended)
	}
	p.Errors.settle(&w.exchange, o.kind, o.why, p.rec, Times{w.intended, w.sentAt, o.first, o.done})
	w.thinks(o.done)
}
