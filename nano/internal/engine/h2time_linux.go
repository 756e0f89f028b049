package engine

import (
	"errors"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http2"
)

// The wheel holds one deadline for a connection. While it has streams that is the time
// for the next look at all of them.

var errSlowFrame = errors.New("http2: a frame or a field block takes longer than Limits.ReadHead")

// tick looks at what has taken too long on a connection.
func (l *h2conns) tick(c *conn) {
	h, limits := c.h2, &l.config.Limits
	waited := time.Duration(l.now - h.ticked)
	h.ticked = l.now
	l.beginOut(c)
	l.tickCodec(c)
	if !c.closing {
		for t := h.streams; t != nil; {
			next := t.next
			l.h2streams.tick(c, t, waited)
			t = next
		}
		if h.partial != 0 && limits.ReadHead > 0 && l.now-h.partial > int64(limits.ReadHead) {
			h.codec.Close(http2.EnhanceYourCalm)
			l.fail(c, errSlowFrame)
		}
	}
	c.phase = phaseIdle // so that the next look is set
	l.sendReady(c)
	l.lifecycle.settle(c)
}

// tickCodec does so with what the codec waits for.
func (l *h2conns) tickCodec(c *conn) {
	for {
		ev, err := c.h2.codec.Tick(l.now)
		switch {
		case err != nil:
			l.fail(c, err)
			return
		case ev.Kind == http2.More:
			return
		}
		l.happened(c, ev) // a stream is reset: no handler runs
	}
}

// tickStream looks at one stream: a body that is collected must come, and a response
// must be taken, at some pace.
func (l *h2streams) tick(c *conn, t *h2stream, waited time.Duration) {
	limits := &l.config.Limits
	moved := t.moved
	t.moved = 0
	if t.collecting {
		if t.still += waited; moved > 0 {
			t.still = 0
		}
		if t.pace.Spend(moved, waited, limits.MinRate, limits.ReadBody) || limits.ReadBody > 0 && t.still >= limits.ReadBody {
			l.refuse(c, t, 408, exchange.BodyTooSlow)
		}
		return
	}
	t.mu.Lock()
	waits := len(t.out.data) > t.out.sent && t.by[exchange.Writing].Load() == 0
	t.mu.Unlock()
	if !waits {
		t.pace = netconn.Pace{}
		return
	}
	t.pace.Begin(netconn.MostGrace)
	if !t.pace.Spend(moved, waited, limits.MinTake, limits.WriteStall) {
		return
	}
	c.h2.codec.Reset(t.s, http2.EnhanceYourCalm)
	l.wasLost(c, t, netconn.ErrStalled)
}

// closeIdle ends a connection that has had no request for long.
func (l *h2conns) closeIdle(c *conn) {
	l.beginOut(c)
	c.h2.codec.Close(http2.NoError)
	c.closing = true
	l.sendReady(c)
	l.lifecycle.settle(c)
}

// drainHTTP2 lets a connection go on to the end of its requests.
func (l *h2conns) drain(c *conn) {
	l.beginOut(c)
	c.h2.codec.Drain(l.now)
	l.tickCodec(c)
	l.sendReady(c)
	l.lifecycle.settle(c)
}
