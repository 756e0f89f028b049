package mirror

import (
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// So many are sent at once and so many wait; what waited longest is sent first, and what is
// left when the mirror is closed is dropped, also what is captured still.
func TestQueue(t *testing.T) {
	m, l, now := mirrorOf(t, ", methods: [POST], concurrency: 2, queue: 3"), newLoop(), time.Now().UnixNano()
	r := requestOf(t, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
	waits := 0
	for range 5 {
		if l.ask(m, r, now) {
			waits++
		}
	}
	if waits != 3 || m.Record.Read().Dropped[Queue] != 2 {
		t.Errorf("%d wait, %+v", waits, m.Record.Read())
	}
	order := []*Capture{m.first, m.first.next, m.last}
	one, two := m.Next(), m.Next()
	if one != order[0] || two != order[1] || m.Next() != nil {
		t.Error("the first two aren't sent at once, or more are")
	}
	respond := func(c *Capture) {
		c.ShadowDone(c.Endpoint(), &request.Outcome{Status: 200, Upstream: true, Forwarded: now}, now)
	}
	one.Response(200, l.response)
	respond(one)
	three := m.Next()
	if three != order[2] || m.Next() != nil || m.last != nil {
		t.Error("the last one isn't sent when there is room")
	}
	l.ask(m, r, now)
	still := m.Take(r, &l.local)
	still.Response(200, l.response)
	m.Close()
	if still.End(r.Buf, &request.Outcome{Status: 200, Upstream: true, Forwarded: now}, true, now) || m.Record.Read().Dropped[Closed] != 2 {
		t.Errorf("%+v", m.Record.Read())
	}
	for _, c := range []*Capture{two, three} { // these go on
		c.Response(200, l.response)
		respond(c)
	}
	if c := m.Record.Read(); c.Same != 3 || m.held.Load() != 0 || m.under != 0 {
		t.Errorf("%+v, %d bytes held, %d under way", c, m.held.Load(), m.under)
	}
}

// Loops that share a mirror send all there is, whoever captured it: nothing is left behind.
func TestQueueOfLoops(t *testing.T) {
	const loops, each = 4, 500
	m := mirrorOf(t, ", methods: [POST], concurrency: 2, queue: 100000")
	var all sync.WaitGroup
	for n := range loops {
		all.Go(func() {
			l, now := newLoop(), time.Now().UnixNano()
			l.local = upstream.Local{Loop: n, Seed: uint64(n + 1)}
			r := requestOf(t, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
			for range each {
				l.ask(m, r, now)
				l.send(m, now)
			}
		})
	}
	all.Wait()
	if c := m.Record.Read(); c.Same != loops*each || m.held.Load() != 0 {
		t.Errorf("%+v, %d bytes held", c, m.held.Load())
	}
}
