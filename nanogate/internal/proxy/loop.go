//go:build linux

package proxy

import (
	"log/slog"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/tlsconn"
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

	// All below belongs to the loop's goroutine.
	current     *client            // whose request the present work is about, as far as is known
	snap        *snapshot.Snapshot // of this batch of events
	limits      http1.Limits       // of snap
	now         int64              // of this batch, ns
	dated       int64              // when the date has to be written again
	date        []byte             // "Date: …\r\n"
	clients     eventloop.Table[client]
	connections eventloop.Table[connection]
	calls       eventloop.Table[call]
	again       []int32 // event IDs of connections that have more to do
	others      []int32 // what again was in the batch before, for its memory
	wheel       *reactor.Wheel
	local       upstream.Local
	h2config    *http2.Config // of clients' connections, by snap

	scratch []byte            // what is read
	said    [64]byte          // what idle connections say
	out     []byte            // heads that are written
	buffers eventloop.Buffers // for heads
	unkept  []*kept           // memory for what filters keep

	req   request.Request
	head  http1.Request
	found route.Found
	resp  http1.ResponseHead
	named translate.Named
	path  []byte // of the request, in canonical form, if it wasn't sent in that

	stopped bool

	// What is one concern's has a type of its own, in its file.
	downstream  downstream
	streams     streams
	muxes       muxes
	pools       pools
	multiplexed multiplexed
	exchanges   exchanges
	bodies      bodies
	heads       heads
	caching     caching
	transcoding transcoding
	grpc        grpcCalls
	web         webCalls
	responders  responders
	suspensions suspensions
	attempts    attempts
	mirroring   mirroring
	deadlines   deadlines
	overload    overload
	slots       slots // where filters have a hand in exchanges
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
		scratch: make([]byte, readBuffer), out: make([]byte, 0, readBuffer),
		buffers: eventloop.Buffers{Fresh: 2 << 10, Largest: 16 << 10, Most: mostSpares}, // 2 KiB are what heads mostly need
		local:   upstream.Local{Loop: number, Seed: uint64(now)*0x9E3779B97F4A7C15 + uint64(number)*2 + 1},
	}
	l.assemble()
	if err := l.Begin(l, v.sys, eventBatch); err != nil {
		return nil, err
	}
	l.OpenWith(l.openMessage)
	l.downstream.listeners = v.acceptor.Join(&l.Core)
	l.downstream.handshakes = tlsconn.Handshakes{Most: l.downstream.mostShaking, Results: &v.Shakes}
	l.date, l.dated = l.DateLine(l.date[:0])
	l.take()
	return l, nil
}

// assemble makes the parts of a loop its own.
func (l *loop) assemble() {
	l.downstream.loop, l.streams.loop, l.muxes.loop, l.pools.loop, l.multiplexed.loop = l, l, l, l, l
	l.exchanges.loop, l.bodies.loop, l.heads.loop, l.caching.loop, l.transcoding.loop, l.grpc.loop = l, l, l, l, l, l
	l.responders.loop, l.suspensions.loop, l.attempts.loop, l.mirroring.loop, l.deadlines.loop, l.overload.loop = l, l, l, l, l, l
	l.web.loop = l
	l.fillSlots()
	l.muxes.frames = make([]byte, readBuffer)
	l.suspensions.called.message.Open = func(l *loop) { l.suspensions.takeCalls() }
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
	events, err := l.Poll(len(l.again)+len(l.muxes.dirty)+len(l.mirroring.mirrors) > 0, l.due)
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
	if len(l.muxes.dirty) > 0 {
		l.muxes.turnMuxes()
	}
	if len(l.mirroring.mirrors) > 0 {
		l.mirroring.turnMirrors()
	}
	l.clients.Reuse()
	l.connections.Reuse()
	l.calls.Reuse()
	if l.HasMail() {
		l.OpenMail()
	}
	if l.Draining() {
		l.downstream.drainStep()
	}
	l.overload.feel(len(events))
}

// finish comes after a loop's last step.
func (v *Server) finish(l *loop) {
	l.End()
	l.pools.closePools(true)
	l.overload.probe.close(l)
	l.Poller.Close()
}

// tick does what time asks for.
func (l *loop) tick() {
	defer l.survive(nobodys)
	l.now = l.Tick()
	l.wheel.Expire(l.now, l.deadlines.expire)
	if len(l.deadlines.queues) > 0 {
		l.deadlines.expireSoon()
	}
	if l.now >= l.dated {
		l.date, l.dated = l.DateLine(l.date[:0])
	}
	if l.pools.idle > 0 && l.now >= l.pools.sweep {
		l.pools.sweepPools()
	}
	if l.multiplexed.upstreamMuxes > 0 && l.now >= l.muxes.muxTick {
		l.multiplexed.tickUpstreamMuxes()
	}
	l.take()
	if len(l.pools.warm)+len(l.pools.warming) > 0 && l.now >= l.pools.warmAt {
		l.pools.warmUp()
	}
}

// due returns when the loop has something to do without an event.
func (l *loop) due() (at int64, ok bool) {
	at, ok = l.wheel.Next()
	if soon, have := l.deadlines.nextSoon(); have && (!ok || soon < at) {
		at, ok = soon, true
	}
	for _, other := range [...]struct {
		at   int64
		have bool
	}{{l.pools.sweep, l.pools.idle > 0}, {l.pools.warmAt, len(l.pools.warm)+len(l.pools.warming) > 0}, {l.muxes.muxTick, l.multiplexed.upstreamMuxes > 0}} {
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

// openMessage does what was posted: a panic in it costs no other client.
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
		l.pools.warms()
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
		l.overload.probe.came(l)
	case id < 0:
		l.downstream.listeners.Ready(id)
	case id&3 == ofClients:
		if c := l.clients.At(id >> 2); c.fd >= 0 {
			l.current = c
			l.downstream.clientEvent(c, e)
		}
	default:
		if k := l.connections.At(id >> 2); k.fd >= 0 {
			l.current = k.client
			l.pools.connectionEvent(k, e)
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
			l.downstream.proceed(c)
		}
	case ofCalls:
		if k := l.calls.At(id >> 2); k.fd >= 0 {
			l.current = k.client
			k.queued = false
			l.bodies.download(&k.backend)
		}
	default:
		if k := l.connections.At(id >> 2); k.fd >= 0 {
			l.current = k.client
			if k.queued = false; k.mux != nil {
				l.multiplexed.readUpstreamMux(k)
				return
			}
			l.bodies.download(&k.backend)
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
