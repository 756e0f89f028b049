//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/cache"
	"log/slog"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/translate"
	"dyno.example/nanogate/internal/upstream"
)

// loop is one event loop: a poller, clients, connections to upstreams, their
// deadlines, and the buffers and parsers that they use in turn.
type loop struct {
	eventloop.Core[*loop]
	server *Server

	called called

	// All below belongs to the loop's goroutine.
	current     *client            // whose request the present work is about, as far as is known
	snap        *snapshot.Snapshot // of this batch of events
	limits      http1.Limits       // of snap
	now         int64              // of this batch, ns
	dated       int64              // when the date has to be written anew
	date        []byte             // "Date: …\r\n"
	clients     eventloop.Table[client]
	connections eventloop.Table[connection]
	calls       eventloop.Table[call]
	again       []int32 // event IDs of connections that have more to do
	others      []int32 // what again was in the batch before, for its memory
	wheel       *reactor.Wheel
	listeners   *eventloop.Listeners[*loop, entry]
	local       upstream.Local
	pools       []*pool // by the slots of endpoints
	idle        int     // connections in pools
	queues      []*queue
	shaking     int                // handshakes of clients under way
	pending     []pendingHandshake // clients that wait until there are fewer
	sweep       int64              // when pools are looked through next
	weighed     int64              // when memory is looked at next
	pressure    limit.Pressure
	probe       probe
	warm        []*upstream.Upstream // of snap, whose pools are kept warm
	warming     []*connection        // connections that are being opened for that
	warmAt      int64                // when pools are warmed next
	dirty       []*mux               // connections over HTTP/2 that may have something to send
	spareDirty  []*mux               // what dirty was in the batch before, for its memory
	carriers    int                  // connections over HTTP/2 to endpoints
	muxTick     int64                // when they are looked at next
	h2pool      http2.Pool
	h2config    *http2.Config // of clients' connections, by snap

	scratch []byte            // what is read
	said    [64]byte          // what idle connections say
	frames  []byte            // what is read over HTTP/2: acting upon it may read from others into scratch
	outs    [][]byte          // spare memory for what is sent over HTTP/2
	text    []byte            // a head of HTTP/2 as text
	web     []byte            // what was translated of or into gRPC-Web
	trail   []byte            // trailers as lines
	out     []byte            // heads that are written
	buffers eventloop.Buffers // for heads
	asleep  []*suspended      // memory for requests that wait

	passages          []*passage // memory for what those know who look at responses
	reply             request.Response
	edited, wasEdited []byte // heads that they have changed

	rewritten, wasRewritten []byte // heads of requests that guards have changed

	decisions uint64 // that requests have waited for

	req   request.Request
	head  http1.Request
	found route.Found
	resp  http1.ResponseHead
	named translate.Named
	path  []byte // of the request, in canonical form, if it wasn't sent in that
	chain []byte // what a trusted proxy says of who was before it

	asked         cache.RequestFields
	sent          cache.UpstreamRequest
	coming        cache.UpstreamResponse
	url           []byte    // that a request asks for
	kind          cache.Key // of a route's requests that is told apart from others
	chosen        []byte    // what a request has in the fields that responses are told apart by
	turn          uint64    // of those that look for what is stored
	revalidations int       // background requests that revalidate what is stored

	mirrors []*snapshot.Route // whose mirrors may have something to send, see shadow.go

	stopped bool
}

const (
	eventBatch = 256
	readBuffer = 64 << 10
	mostSpares = 4096
	sweepEvery = int64(time.Second)
)

func newLoop(v *Server, number int) (*loop, error) {
	now := v.sys.Now()
	l := &loop{
		server: v, now: now, wheel: reactor.NewWheel(now),
		scratch: make([]byte, readBuffer), frames: make([]byte, readBuffer), out: make([]byte, 0, readBuffer),
		buffers: eventloop.Buffers{Fresh: 2 << 10, Largest: 16 << 10, Most: mostSpares}, // 2 KiB are what heads mostly need
		local:   upstream.Local{Loop: number, Seed: uint64(now)*0x9E3779B97F4A7C15 + uint64(number)*2 + 1},
	}
	l.called.message.Open = (*loop).takeCalls
	if err := l.Begin(l, v.sys, eventBatch); err != nil {
		return nil, err
	}
	l.OpenWith(l.openMessage)
	l.listeners = v.acceptor.Join(&l.Core)
	l.date, l.dated = l.DateLine(l.date[:0])
	l.take()
	return l, nil
}

// run is the loop.
func (l *loop) run() {
	defer l.server.running.Done()
	for !l.stopped {
		l.step()
	}
	l.server.finish(l)
}

// step waits for a batch of events and does what they, the time and others ask for.
func (l *loop) step() {
	events, err := l.Poll(len(l.again)+len(l.dirty)+len(l.mirrors) > 0, l.due)
	if err != nil {
		l.log().Error("event loop", "error", err)
		l.stopped = true
		return
	}
	l.tick()
	for i := range events {
		l.handle(&events[i])
	}
	turns := l.again
	l.again = l.others[:0]
	for _, id := range turns {
		l.goOn(id)
	}
	l.others = turns
	if len(l.dirty) > 0 {
		l.turnMuxes()
	}
	if len(l.mirrors) > 0 {
		l.turnMirrors()
	}
	l.clients.Reuse()
	l.connections.Reuse()
	l.calls.Reuse()
	if l.HasMail() {
		l.OpenMail()
	}
	if l.Draining() {
		l.drainStep()
	}
	l.feel(len(events))
}

// finish comes after a loop's last step.
func (v *Server) finish(l *loop) {
	l.End()
	l.closePools(true)
	l.probe.close(l)
	l.Poller.Close()
}

// tick does what time asks for.
func (l *loop) tick() {
	defer l.survive(nobodys)
	l.now = l.Tick()
	l.wheel.Expire(l.now, l.expire)
	if len(l.queues) > 0 {
		l.expireSoon()
	}
	if l.now >= l.dated {
		l.date, l.dated = l.DateLine(l.date[:0])
	}
	if l.idle > 0 && l.now >= l.sweep {
		l.sweepPools()
	}
	if l.carriers > 0 && l.now >= l.muxTick {
		l.tickCarriers()
	}
	l.take()
	if len(l.warm)+len(l.warming) > 0 && l.now >= l.warmAt {
		l.warmUp()
	}
}

// due returns when the loop has something to do without an event.
func (l *loop) due() (at int64, ok bool) {
	at, ok = l.wheel.Next()
	if soon, have := l.nextSoon(); have && (!ok || soon < at) {
		at, ok = soon, true
	}
	for _, other := range [...]struct {
		at   int64
		have bool
	}{{l.sweep, l.idle > 0}, {l.warmAt, len(l.warm)+len(l.warming) > 0}, {l.muxTick, l.carriers > 0}} {
		if other.have && (!ok || other.at < at) {
			at, ok = other.at, true
		}
	}
	return at, ok
}

// message is something for a loop to do, which any goroutine may post.
type message = eventloop.Message[*loop]

// call gives the loop something to do and wakes it if it waits. Any goroutine may call
// it. If the loop has ended, it is done here, so that what it holds is closed.
func (l *loop) call(f func(*loop)) { l.Hand(&message{Open: f}) }

// openMessage does what was posted: a panic in it costs nobody else.
func (l *loop) openMessage(n *message) {
	defer l.survive(nobodys)
	l.current = nil
	n.Open(l)
}

// take takes the snapshot that is served from now.
func (l *loop) take() {
	if s := l.server.current.Load(); s != l.snap {
		c := &s.Config.Client
		l.snap, l.limits = s, http1.Limits{Head: c.Head, URI: c.URI, Fields: c.Fields}
		l.warms()
		l.h2config = http2Config(c)
	}
}

// Event IDs tell by the lowest bits whose table they are of. Calls have no events of their
// own, but turns.
const (
	ofClients = iota
	ofConnections
	ofCalls
)

func clientEvent(id int32) int32     { return id<<2 | ofClients }
func connectionEvent(id int32) int32 { return id<<2 | ofConnections }
func callEvent(id int32) int32       { return id<<2 | ofCalls }

// handle takes one event.
func (l *loop) handle(e *reactor.Event) {
	id := e.ID()
	defer l.survive(id)
	switch {
	case id == probeEvent:
		l.probe.came(l)
	case id < 0:
		l.listeners.Ready(id)
	case id&3 == ofClients:
		if c := l.clients.At(id >> 2); c.fd >= 0 {
			l.current = c
			l.clientEvent(c, e)
		}
	default:
		if k := l.connections.At(id >> 2); k.fd >= 0 {
			l.current = k.client
			l.connectionEvent(k, e)
		}
	}
}

// goOn goes on with a connection that had more to do than its turn.
func (l *loop) goOn(id int32) {
	defer l.survive(id)
	switch id & 3 {
	case ofClients:
		if c := l.clients.At(id >> 2); c.fd >= 0 {
			l.current = c
			c.queued = false
			l.proceed(c)
		}
	case ofCalls:
		if k := l.calls.At(id >> 2); k.fd >= 0 {
			l.current = k.client
			k.queued = false
			l.download(&k.backend)
		}
	default:
		if k := l.connections.At(id >> 2); k.fd >= 0 {
			l.current = k.client
			if k.queued = false; k.mux != nil {
				l.readCarrier(k)
				return
			}
			l.download(&k.backend)
		}
	}
}

// later lets a client have another turn after all others.
func (l *loop) later(c *client) {
	if !c.queued {
		c.queued = true
		l.again = append(l.again, clientEvent(c.id))
	}
}

// laterBackend does the same for a backend.
func (l *loop) laterBackend(k *backend) {
	if k.queued {
		return
	}
	k.queued = true
	if k.call != nil {
		l.again = append(l.again, callEvent(k.id))
		return
	}
	l.again = append(l.again, connectionEvent(k.id))
}

func (l *loop) log() *slog.Logger { return l.server.log }
