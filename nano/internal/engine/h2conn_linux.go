package engine

import (
	"bytes"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
)

// How a loop serves HTTP/2 (RFC 9113). The connection stays with the loop, whatever
// its handlers do: bytes that came go through the codec, whose events begin requests,
// bring their bodies and open windows. A request is an [h2stream]; its handler gives
// the stream what it has to send, and the loop sends it.

// h2conns is how connections of HTTP/2 are read, written and ended.
type h2conns struct {
	*loop

	pool http2.Pool
}

// h2conn is what a connection of HTTP/2 has beside a conn. It is the loop's.
type h2conn struct {
	codec   http2.Conn
	streams *h2stream                 // all there are
	ready   eventloop.Queue[h2stream] // those that may have something to send
	resumes []*h2stream               // whose handlers are to be resumed
	last    h2head                    // of a response
	unsized int                       // streams whose body has no length, and is all in if it comes with its head
	rest    []byte                    // what follows the request whose handler runs on the loop
	partial int64                     // since when the start of a frame, or of a field block, waits for the rest; 0: none does
	ticked  int64                     // when the streams were last looked at
}

// maxStreams is the number of requests under way on one connection.
const maxStreams = 100

// mostSettingsWait is how long a client may take to acknowledge SETTINGS, or five
// times as long as for a request's head, if that is less.
const mostSettingsWait = 10 * time.Second

// http2Config makes the codec hold clients to the limits of the server.
func http2Config(l *Limits) *http2.Config {
	c := http2.ServerConfig(l.Head, l.Fields, l.WriteStall)
	c.Settings.MaxConcurrent = maxStreams
	if l.ReadHead > 0 {
		c.Limits.SettingsWait = min(5*l.ReadHead, mostSettingsWait)
	}
	return http2.NewConfig(c)
}

// tickEvery returns how often streams are looked at: every second, or as often as the
// limits of time need it.
func tickEvery(l *Limits) time.Duration {
	every := time.Second
	for _, d := range [...]time.Duration{l.ReadHead, l.ReadBody, l.WriteStall} {
		if d > 0 {
			every = min(every, max(d/2, 5*time.Millisecond))
		}
	}
	return every
}

// beginHTTP2 makes c a connection of HTTP/2. Its preface is still to be read.
func (l *h2conns) begin(c *conn) {
	h := &h2conn{ticked: l.now}
	h.codec.Start(l.server.http2, &l.pool, l.now)
	c.h2 = h
	if l.Draining() && !l.openings.fresh(c) { // who is told at once sends no request
		h.codec.Drain(l.now)
	}
}

// processHTTP2 reads b and keeps the rest.
func (l *h2conns) process(c *conn, b []byte) (mine bool) {
	h := c.h2
	l.beginOut(c)
	c.unseen = false
	h.rest = b
	if len(h.resumes) > 0 && !l.coroutines.resumeWaiting(c) {
		return false
	}
	began := len(b)
	for !c.closing && !c.cut {
		n, ev, err := h.codec.Next(b, l.now)
		b = b[n:]
		if n, why := h.codec.Faults(); n > 0 {
			l.violated(c, n, why)
		}
		if err != nil {
			l.fail(c, err)
			break
		}
		if ev.Kind == http2.More {
			break
		}
		h.rest = b
		if !l.happened(c, ev) {
			return false
		}
		if len(h.codec.Out) >= flushAt {
			if l.deliverOut(c); len(c.out) > 0 {
				c.unseen = true // more when the client has taken that
				break
			}
		}
	}
	if len(b) < began && !h.codec.InBlock() {
		h.partial = 0
	}
	l.pause(c, b)
	return true
}

// pause ends a turn: what was read and not served is kept, what is to be sent is sent.
func (l *h2conns) pause(c *conn, b []byte) {
	h := c.h2
	h.rest = nil
	if h.unsized > 0 {
		l.h2streams.beginUnsized(c)
	}
	l.transport.keep(c, b)
	if len(c.in) == 0 && !h.codec.InBlock() {
		h.partial = 0
	} else if h.partial == 0 {
		h.partial = l.now
	}
	l.sendReady(c)
	l.lifecycle.settle(c)
}

// happened acts upon an event.
func (l *h2conns) happened(c *conn, ev *http2.Event) (mine bool) {
	switch ev.Kind {
	case http2.EventHead:
		return l.h2streams.request(c, ev)
	case http2.EventTooLarge:
		l.h2streams.refuse(c, l.h2streams.add(c, ev.Stream), 431, "request head longer than the limit, or with more fields")
	case http2.EventData, http2.EventTrailers:
		if t, ok := ev.Stream.User.(*h2stream); ok {
			return l.h2streams.bodyCame(c, t, ev)
		}
	case http2.EventReset:
		if ev.Err != nil {
			l.violated(c, 1, ev.Err)
		}
		if t, ok := ev.Stream.User.(*h2stream); ok {
			l.h2streams.wasLost(c, t, exchange.ErrClientGone)
		} else {
			c.h2.codec.Release(ev.Stream)
		}
	case http2.EventWritable:
		if t, ok := ev.Stream.User.(*h2stream); ok {
			c.h2.ready.Push(t, &t.queued)
		}
	}
	return true
}

// beginOut has the codec write into the turn's buffer, behind what it has of its own.
func (l *h2conns) beginOut(c *conn) {
	h := c.h2
	l.turn.out = append(l.turn.out[:0], h.codec.Out...)
	h.codec.Out = l.turn.out
}

// deliverOut gives the kernel what the codec has written.
func (l *h2conns) deliverOut(c *conn) {
	h := c.h2
	if len(h.codec.Out) > 0 || c.secure != nil && c.secure.Holds() {
		l.turn.out = h.codec.Out
		l.transport.deliver(c)
		h.codec.Out = l.turn.out
	}
	if len(c.out) == 0 {
		h.codec.Flushed()
	}
}

// sendReady sends what streams have, a frame of each in turn, until the kernel takes
// no more, and takes the turn's buffer back from the codec. What is to be sent after
// that is the codec's own.
func (l *h2conns) sendReady(c *conn) {
	h := c.h2
	for len(c.out) == 0 && !c.cut {
		for len(h.codec.Out) < flushAt {
			t := h.ready.Pop()
			if t == nil {
				break
			}
			if l.h2streams.send(c, t) {
				h.ready.Push(t, &t.queued)
			}
		}
		if l.deliverOut(c); h.ready.Empty() {
			break
		}
	}
	own := h.codec.Out
	if l.turn.out = own[:0]; len(own) > 0 {
		h.codec.Out = bytes.Clone(own)
	} else {
		h.codec.Out = nil
	}
}

// violated has the app take note of n violations, the last of which is told.
func (l *h2conns) violated(c *conn, n int, why error) {
	for range n {
		l.config.App.Violated(why, c.remote)
	}
}

// fail ends a connection: the codec has told the client why. Its handlers are told.
func (l *h2conns) fail(c *conn, err error) {
	l.violated(c, 1, err)
	c.closing, c.unread = true, true
	l.h2streams.lose(c, exchange.ErrClientGone)
}

// settleHTTP2 decides what the connection waits for next.
func (l *h2conns) settle(c *conn) {
	h := c.h2
	switch {
	case c.cut:
		l.lifecycle.drop(c)
	case len(c.out) > 0:
		l.lifecycle.writing(c)
	case c.closing:
		l.lifecycle.retire(c)
	case h.codec.Drained():
		c.closing = true
		l.lifecycle.retire(c)
	case c.ending && !c.unseen:
		l.lifecycle.drop(c) // a client that sends no more opens no windows either
	case h.codec.Streams() > 0 || h.partial != 0:
		if c.phase != phaseStreams {
			h.ticked = l.now
			l.lifecycle.await(c, phaseStreams)
		}
	default:
		l.lifecycle.await(c, phaseIdle)
	}
}
