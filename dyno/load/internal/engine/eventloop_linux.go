package engine

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/load/internal/agenda"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
)

// Settings of the event loop.
const (
	maxWait      = 10 * time.Millisecond // so that a stall can't hide behind a long wait
	timerTick    = 64 * time.Microsecond // with TimerPacing: between two polls
	spinBelow    = 80 * time.Microsecond // what a timer may be late: the rest is polled
	perEvent     = 50 * time.Microsecond // what handling one event may take before it counts as a stall
	leastEvents  = 16                    // that the kernel returns in one turn, if there are so many
	connectBurst = 128                   // connections in the making at once: listen queues are short
)

// backend is how an event loop talks to the kernel. Its methods are called from
// the loop's thread only.
type backend interface {
	// wait waits at most d for events and returns their number; d <= 0 only looks.
	wait(d time.Duration) (events int, err error)
	// pause comes back after d, whatever happens meanwhile.
	pause(d time.Duration) error
	// handle deals with the events of the last wait.
	handle()
	// dial starts the connection of l.conns[id]; errNotYet if that takes another
	// turn of the loop.
	dial(id int32) error
	// send hands l.conns[id].unsent to the kernel.
	send(id int32)
	// hangUp closes the connection of l.conns[id].
	hangUp(id int32)
	// leave says that nothing is timed any more: calls may take long from now on,
	// and must not hold up the rest of the program.
	leave()
	// close releases what the backend itself holds.
	close()
}

// eventLoop is the Linux engine: one thread that owns its connections, does no
// hand-over to goroutines and allocates nothing per request.
type eventLoop struct {
	Share
	backend   backend
	conns     []conn
	due       *reactor.Deadlines
	spin      spinning
	spinBelow time.Duration // waits shorter than this, and the ends of longer ones, are spent polling
	mix       *mix
	mux       *multiplexer // nil with HTTP/1.1
	tunnel    tunnel       // nil with HTTP: WebSockets, or server-sent events
	talker    talker       // the tunnel, if more than its beginning is sent on it; else nil
	drawer    drawer
	idle      ring[int32]      // places without a request
	backlog   ring[int64]      // intended starts of arrivals that wait for a connection
	arrivals  profile.Schedule // open loop
	begins    int64            // when the schedule begins
	next      int64            // the next arrival of the schedule
	rec       *Recorder        // nil until the load begins
	begun     uint64           // requests that have a connection, or wait for theirs to be made
	turn      uint64           // counts the turns of the loop: what is sent in one is handed to the kernel at its end
	sending   bool             // new requests may start
	coalesce  bool             // poll once in a timerTick only
	looked    int64            // when the loop last did
	now       int64
	back      int64 // when the loop had done with what it last saw
	work      int   // what has been done since that takes as long as an event
	woke      int64 // since when it handles events; 0: it doesn't
	events    int   // how many these are
	end       int64
	asked     int   // the connection whose retransmissions are read next
	broken    error // the backend failed: nothing can go on

	// What is one concern's has a type of its own, in its file.
	connector  connector
	encryption encryption
	thinkers   thinkers
}

// openEventLoop makes the loop for a share; the backend is made by open.
func openEventLoop(sh Share, open func(*eventLoop) (backend, error)) (Engine, error) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	if sh.CPU >= 0 {
		var set unix.CPUSet
		set.Set(sh.CPU)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return nil, fmt.Errorf("pinning a load loop to CPU %d: %w", sh.CPU, err)
		}
	}
	// Without this the kernel may round our waits up by 50 µs. Best effort.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	if err := roomForFiles(sh.Most * sh.Parts); err != nil {
		return nil, err
	}
	l := &eventLoop{
		Share: sh, conns: make([]conn, sh.Connections, sh.Most),
		due:       reactor.NewDeadlines(sh.Most),
		spinBelow: spins(&sh), mix: sh.mix(), drawer: sh.drawer(),
		idle: newRing[int32](sh.Link.Places(sh.Most)), backlog: newRing[int64](1024),
	}
	l.connector = connector{eventLoop: l, dialer: sh.dialer(), retries: reactor.NewDeadlines(sh.Most), waiting: newRing[int32](sh.Most)}
	l.encryption.eventLoop = l
	l.thinkers = thinkers{l, sh.Profile.Think.Thinker(sh.Seed, sh.Part), agenda.New(sh.Link.Places(sh.Connections))}
	if l.TLS != nil {
		l.encryption.plain = make([]byte, readBuffer)
	}
	if l.Link.Streams > 0 {
		l.mux = newMultiplexer(l)
	}
	var err error
	if err = l.beginTunnel(); err != nil {
		return nil, err
	}
	if l.backend, err = open(l); err != nil {
		return nil, err
	}
	if sh.Intercept != nil {
		l.backend = &intercepted{l.backend, sh.Intercept}
	}
	return l, nil
}

// Close implements Engine.
func (l *eventLoop) Close() {
	l.rec = nil       // the last window is the collector's
	l.backend.leave() // the kernel takes half a second to hang up ten thousand connections
	for i := range l.conns {
		if l.mux != nil {
			l.mux.leave(int32(i))
		}
		if l.talker != nil {
			l.talker.leave(int32(i))
		}
		l.connector.drop(int32(i))
	}
	l.backend.close()
}

// Usage implements Engine: that of the loop's thread.
func (l *eventLoop) Usage() (user, sys time.Duration) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &ru); err != nil {
		return 0, 0
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
}

// Connect implements engine. Where connections are opened as requests need them,
// one is opened to see that the target is there.
func (l *eventLoop) Connect(ctx context.Context) error {
	patience := clock.Now() + int64(min(ConnectPatient, l.Timeout))
	l.now = clock.Now()
	if l.mux != nil {
		l.mux.parkAll()
	}
	for id := range l.conns {
		if id == 0 || l.Link.Reuse == "" || l.Link.Reuse == request.PerWorker {
			l.connector.open(int32(id))
		} else if l.mux == nil {
			l.park(int32(id))
		}
	}
	for l.now < patience && ctx.Err() == nil {
		l.connector.openMore()
		if l.connector.making == 0 && l.connector.waiting.len() == 0 {
			break
		}
		l.poll(maxWait)
		if l.broken != nil {
			return l.broken
		}
	}
	if ctx.Err() == nil && l.connector.up == 0 && !l.connector.cameUp {
		return l.unreachable()
	}
	return nil
}

// Load implements engine.
func (l *eventLoop) Load(ctx context.Context, rec *Recorder, begin, end int64) {
	for l.now = clock.Now(); l.now < begin && l.broken == nil; {
		l.poll(time.Duration(begin - l.now))
	}
	l.rec, l.end, l.sending = rec, end, true
	l.rec.watch(len(l.conns)/leastEvents+2, true)
	l.back, l.work = begin, 0
	l.noteStall(begin, begin, l.now)
	if l.Profile.Mode == profile.Open {
		l.openLoop(ctx, begin)
	} else {
		l.closedLoop(ctx)
	}
	l.drain(ctx)
	l.giveUp()
	l.countResent(len(l.conns))
	l.rec.Finish(l.end)
	if l.broken != nil {
		l.Errors.broke(l.broken)
	}
}

// running reports whether requests may still start.
func (l *eventLoop) running(ctx context.Context) bool {
	return l.now < l.end && ctx.Err() == nil && l.broken == nil &&
		(l.Quota == 0 || l.begun < l.Quota || l.rec.inFlight > 0)
}

// closedLoop sends on every free connection until the end.
func (l *eventLoop) closedLoop(ctx context.Context) {
	l.thinkers.start()
	for l.running(ctx) {
		l.expire()
		l.connector.openMore()
		next := l.rec.untilEdge(l.now, l.end)
		if l.thinkers.users.Len() > 0 {
			next = min(next, l.thinkers.users.First().At)
		}
		l.poll(time.Duration(next - l.now))
		l.thinkers.wakeUsers()
	}
}

// openLoop starts requests as the schedule says until the end.
func (l *eventLoop) openLoop(ctx context.Context, begin int64) {
	l.arrivals = profile.NewSchedule(l.Profile, l.Warmup, l.Seed, l.Part, l.Parts)
	l.begins = begin
	l.next = l.arrivals.After(begin)
	l.coalesce = l.Pacing == profile.TimerPacing
	for l.running(ctx) {
		if l.now < l.end {
			if l.now >= l.rec.end {
				l.turnWindows() // it ended while events were handled: what is due now is the next one's
			}
			l.takeDue(l.now + 1)
		}
		l.expire()
		l.connector.openMore()
		l.poll(time.Duration(min(l.next, l.end) - l.now))
	}
}

// takeDue takes the arrivals that are due before an instant.
func (l *eventLoop) takeDue(before int64) {
	for l.next < before {
		l.arrive(l.next)
		l.next = l.arrivals.After(l.begins)
	}
}

// turnWindows closes the windows that have ended. An arrival belongs to the one
// it was due in, also if it is taken up only now. A stop since the loop woke is told
// first: responses that were read after it are in the window that ends.
func (l *eventLoop) turnWindows() {
	if l.woke != 0 {
		events := l.events
		if l.mux != nil {
			events += l.mux.worth()
		}
		l.noteStall(l.woke, l.woke+int64(events)*int64(perEvent), l.now)
	}
	for l.Profile.Mode == profile.Open && l.now >= l.rec.end && l.rec.end < l.end && !l.rec.draining {
		l.takeDue(l.rec.end)
		l.rec.Advance(l.rec.end, l.end)
	}
	l.rec.Advance(l.now, l.end)
}

// stopSending ends the measured time at l.end. What was due by then is sent as soon
// as it can be, and nothing else.
func (l *eventLoop) stopSending() {
	l.sending = false
	if l.rec.draining {
		return
	}
	if l.Profile.Mode == profile.Open {
		l.takeDue(l.end)
	}
	if l.mux != nil {
		for conn := range l.conns {
			l.mux.endCalls(int32(conn))
		}
	}
	l.rec.drain(l.end)
}

// drain waits, after the end, for the requests that were due by then: for their
// responses, for connections that are being made, and for some to become free.
func (l *eventLoop) drain(ctx context.Context) {
	l.end = min(l.end, l.now)
	l.stopSending()
	patience := l.now + int64(l.Patience)
	for l.rec.inFlight > 0 && l.now < patience && ctx.Err() == nil && l.broken == nil {
		l.expire()
		l.connector.openMore()
		l.poll(min(maxWait, time.Duration(patience-l.now)))
	}
}

// giveUp ends the requests that are still under way after the drain.
func (l *eventLoop) giveUp() {
	mode := l.Profile.Mode
	for l.backlog.len() > 0 {
		l.rec.cut(mode, l.mix.unsent(), l.backlog.pop(), 0, l.now)
	}
	if l.mux != nil {
		l.mux.giveUp()
		return
	}
	for i := range l.conns {
		switch c := &l.conns[i]; {
		case c.pending:
			c.pending = false
			l.rec.cut(mode, l.mix.unsent(), c.intended, 0, l.now)
		case c.state == busy:
			l.rec.cut(mode, c.request, c.intended, c.sent, l.now)
		}
	}
}

// arrive takes one arrival of the schedule: it is sent on an idle connection,
// waits for one, or is shed when too many wait.
func (l *eventLoop) arrive(intended int64) {
	if l.Quota > 0 && l.begun+uint64(l.backlog.len()) >= l.Quota {
		return
	}
	l.rec.arrived(intended, l.now)
	if l.mux != nil {
		l.mux.passOverFull()
	}
	switch {
	case l.idle.len() > 0:
		l.begin(l.unpark(), intended)
	case l.Profile.Overflow == profile.OpenMore && len(l.conns) < cap(l.conns):
		l.conns = l.conns[:len(l.conns)+1]
		id := int32(len(l.conns) - 1)
		if l.mux != nil {
			id = l.mux.join(id)
		}
		l.begin(id, intended)
	case l.Profile.Overflow != profile.ShedArrival && l.backlog.len() < maxBacklog:
		l.rec.Queued++
		l.backlog.push(intended)
	default:
		l.rec.shed(l.mix.unsent(), intended, l.now)
	}
}

// roomForFiles makes sure that the process may open so many sockets.
func roomForFiles(connections int) error {
	const others = 64 // files open in addition to the connections
	_, err := machine.RaiseFileLimit(uint64(connections + others))
	if err != nil {
		return fmt.Errorf("%d connections: %w", connections, err)
	}
	return nil
}

// intercepted is a backend that reports calls before they are made: see
// [Share.Intercept].
type intercepted struct {
	backend
	before func(call string)
}

func (i *intercepted) wait(d time.Duration) (int, error) {
	i.before("wait")
	return i.backend.wait(d)
}

func (i *intercepted) send(id int32) {
	i.before("send")
	i.backend.send(id)
}

func (i *intercepted) handle() {
	i.before("handle")
	i.backend.handle()
}
