package load

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/clock"
	"dyno/internal/reactor"
	"dyno/lab/machine"
)

// Settings of the event loop.
const (
	eventBatch   = 512
	readBuffer   = 64 << 10
	maxWait      = 10 * time.Millisecond // so that a stall can't hide behind a long wait
	spinBelow    = 80 * time.Microsecond // what a timer may be late: the rest is polled
	perEvent     = 50 * time.Microsecond // what handling one event may take before it counts as a stall
	stallFloor   = time.Millisecond      // shorter absences are not noted
	connectBurst = 128                   // connections in the making at once: listen queues are short
	retryPause   = 20 * time.Millisecond // before a failed connection is tried again
)

// epollLoop is the Linux engine: one thread that owns its connections, does no
// hand-over to goroutines and allocates nothing per request.
type epollLoop struct {
	share
	sockaddr unix.Sockaddr
	poller   *reactor.Poller
	conns    []conn
	read     []byte // shared by all connections: answers are parsed in place
	due      *reactor.Deadlines
	retries  *reactor.Deadlines
	timeout  int64
	mix      *mix
	idle     ring[int32]
	backlog  ring[int64] // intended starts of arrivals that wait for a connection
	rec      *recorder   // nil until the load begins
	making   int         // connections being established
	unopened int32       // connections from this index on were never tried
	up       int         // connections established or in use
	sent     uint64
	sending  bool // new requests may start
	now      int64
	end      int64
	broken   error // the poller failed: nothing can go on
}

func openEpoll(sh share) (engine, error) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	if sh.cpu >= 0 {
		var set unix.CPUSet
		set.Set(sh.cpu)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return nil, fmt.Errorf("pinning a load loop to CPU %d: %w", sh.cpu, err)
		}
	}
	// Without this the kernel may round our waits up by 50 µs. Best effort.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	if err := roomForFiles(sh.spec.Profile.Connections); err != nil {
		return nil, err
	}
	poller, err := reactor.NewPoller(eventBatch)
	if err != nil {
		return nil, err
	}
	poller.KeepProcessor = true // see spareProcessor
	l := &epollLoop{
		share: sh, sockaddr: sockaddr(sh.addr), poller: poller,
		conns: make([]conn, sh.connections), read: make([]byte, readBuffer),
		due: reactor.NewDeadlines(sh.connections), retries: reactor.NewDeadlines(sh.connections),
		timeout: int64(sh.spec.Timeout), mix: newMix(sh.spec.Requests, sh.host, sh.spec.Seed, sh.part),
		idle: newRing[int32](sh.connections), backlog: newRing[int64](1024),
	}
	return l, nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
}

func (l *epollLoop) close() {
	for i := range l.conns {
		l.conns[i].close()
	}
	l.poller.Close()
}

func (l *epollLoop) usage() (user, sys time.Duration) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &ru); err != nil {
		return 0, 0
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
}

// connect implements engine.
func (l *epollLoop) connect(ctx context.Context) error {
	patience := clock.Now() + int64(min(connectPatient, l.spec.Timeout))
	for l.now = clock.Now(); l.now < patience && ctx.Err() == nil; {
		l.openMore()
		if l.making == 0 && int(l.unopened) == len(l.conns) {
			break
		}
		l.poll(maxWait)
		if l.broken != nil {
			return l.broken
		}
	}
	if ctx.Err() == nil && l.up == 0 {
		return l.unreachable()
	}
	return nil
}

// openMore starts connections that were never tried, a few at a time.
func (l *epollLoop) openMore() {
	for l.making < connectBurst && int(l.unopened) < len(l.conns) {
		l.unopened++
		l.open(l.unopened - 1)
	}
}

// load implements engine.
func (l *epollLoop) load(ctx context.Context, rec *recorder, begin, end int64) {
	stop := context.AfterFunc(ctx, l.poller.Wake)
	defer stop()
	for l.now = clock.Now(); l.now < begin && l.broken == nil; {
		l.poll(time.Duration(begin - l.now))
	}
	l.rec, l.end, l.sending = rec, end, true
	if l.spec.Profile.Mode == Open {
		l.openLoop(ctx, begin)
		l.drain(ctx)
	} else {
		l.closedLoop(ctx)
	}
	l.rec.finish(l.spec.Profile.Mode, min(l.now, l.end))
	if l.broken != nil {
		l.errors.note("generator", l.broken.Error())
	}
}

// running reports whether requests may still start.
func (l *epollLoop) running(ctx context.Context) bool {
	return l.now < l.end && ctx.Err() == nil && l.broken == nil &&
		(l.quota == 0 || l.sent < l.quota || l.rec.inFlight > 0)
}

// closedLoop sends on every free connection until the end.
func (l *epollLoop) closedLoop(ctx context.Context) {
	for range l.idle.len() {
		l.next(l.idle.pop())
	}
	for l.running(ctx) {
		l.expire()
		l.openMore()
		l.poll(time.Duration(l.end - l.now))
	}
}

// openLoop starts requests as the schedule says until the end.
func (l *epollLoop) openLoop(ctx context.Context, begin int64) {
	arrivals := newSchedule(l.spec, l.part, l.parts)
	next := arrivals.after(begin)
	for l.running(ctx) {
		for next <= l.now && l.now < l.end {
			l.arrive(next)
			next = arrivals.after(begin)
		}
		l.expire()
		l.openMore()
		l.poll(time.Duration(min(next, l.end) - l.now))
	}
}

// drain waits for the answers under way after the end. Arrivals that were never
// sent stay unfinished.
func (l *epollLoop) drain(ctx context.Context) {
	l.sending = false
	l.end = min(l.end, l.now)
	l.rec.drain(l.end, l.backlog.len())
	for l.rec.inFlight > 0 && ctx.Err() == nil && l.broken == nil {
		l.expire()
		l.poll(maxWait)
	}
}

// arrive takes one arrival of the schedule: it is sent on an idle connection,
// waits for one, or is shed when too many wait.
func (l *epollLoop) arrive(intended int64) {
	if l.quota > 0 && l.sent+uint64(l.backlog.len()) >= l.quota {
		return
	}
	l.rec.arrived(intended, l.now)
	switch {
	case l.idle.len() > 0:
		l.send(l.idle.pop(), intended)
	case l.backlog.len() < maxBacklog:
		l.backlog.push(intended)
	default:
		l.rec.inFlight--
		l.rec.Shed++
	}
}

// poll waits at most d for events and handles them. Waits too short for a timer
// to be exact are spent polling.
func (l *epollLoop) poll(d time.Duration) {
	asked := l.now
	spin := d < spinBelow
	if d = min(d, maxWait) - spinBelow; spin {
		d = 0
	}
	events, err := l.poller.Wait(d)
	if err != nil {
		l.broken = err
		return
	}
	l.now = clock.Now()
	if l.rec != nil {
		l.noteStall(asked+int64(d), l.now)
		if spin && len(events) == 0 {
			l.rec.Spun += time.Duration(l.now - asked)
		}
		l.rec.advance(l.now, l.end)
		if l.now >= l.end && l.spec.Profile.Mode == Closed {
			return // what comes after the end is not looked at
		}
		if l.now >= l.end && !l.rec.draining {
			l.sending = false
			l.rec.drain(l.end, l.backlog.len())
		}
	}
	woke := l.now
	for i := range events {
		l.handle(&events[i])
	}
	l.now = clock.Now()
	if l.rec != nil {
		l.noteStall(woke+int64(len(events))*int64(perEvent), l.now)
	}
}

// noteStall records that the loop was back at an instant later than expected.
func (l *epollLoop) noteStall(expected, now int64) {
	if now-expected > int64(stallFloor) {
		l.rec.away(expected, now)
	}
}

// expire ends requests and connection attempts that took too long, and tries
// failed connections again.
func (l *epollLoop) expire() {
	for {
		id, since, ok := l.due.Oldest()
		if !ok || l.now-since < l.timeout {
			break
		}
		l.timedOut(id)
	}
	for {
		id, since, ok := l.retries.Oldest()
		if !ok || l.now-since < int64(retryPause) {
			break
		}
		l.retries.Stop(id)
		l.open(id)
	}
}

// roomForFiles makes sure that the process may open so many sockets.
func roomForFiles(connections int) error {
	const others = 64 // files open besides the connections
	_, err := machine.RaiseFileLimit(uint64(connections + others))
	if err != nil {
		return fmt.Errorf("%d connections: %w", connections, err)
	}
	return nil
}
