package engine

import (
	"errors"
	"net"
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
)

// connector makes the loop's connections and ends them.
type connector struct {
	*eventLoop

	dialer  reactor.Dialer
	retries *reactor.Deadlines // of connections that could not be made
	waiting ring[int32]        // connections to be made as soon as not too many others are
	making  int                // connections being established
	up      int                // connections established or in use
	cameUp  bool               // one was established, though the server ended it before its first request
}

// open lets connection id be made in the loop's next turn, or as soon as not too
// many others are.
func (l *connector) open(id int32) { l.waiting.push(id) }

// errNotYet is why a connection can't be made in this turn: the files that it
// would need are still being closed.
var errNotYet = errors.New("no file is free yet")

// dialNow begins to make a connection. It reports whether others can be made in
// this turn.
func (l *connector) dialNow(id int32) bool {
	c := &l.conns[id]
	if c.state != down {
		return true
	}
	l.work++
	c.gen++
	c.opened, c.served, c.resent, c.ended = clock.Now(), 0, 0, false
	c.unsent = nil // of a request that the connection before it has lost
	c.state = connecting
	l.making++
	l.due.Start(id, max(l.now, 1))
	c.fd = -1
	switch err := l.backend.dial(id); err {
	case nil:
	case errNotYet:
		l.drop(id)
		l.open(id)
		return false
	default:
		l.connectFailed(id, err)
	}
	return true
}

// openMore makes connections that wait for it, a few at a time.
func (l *connector) openMore() {
	for n := l.waiting.len(); n > 0 && l.making < connectBurst; n-- {
		if !l.dialNow(l.waiting.pop()) {
			return
		}
	}
}

// connected is called when a connection attempt has ended.
func (l *connector) connected(id int32, err error) {
	c := &l.conns[id]
	if err != nil {
		l.connectFailed(id, err)
		return
	}
	if l.rec != nil {
		l.rec.connected(clock.Now() - c.opened)
	}
	l.drawer.meet(c)
	if l.TLS != nil {
		l.encryption.handshake(id)
		return
	}
	l.established(id)
}

// established is called when requests can be sent.
func (l *connector) established(id int32) {
	if l.mux != nil {
		l.mux.greet(id)
		return
	}
	if l.tunnel != nil {
		l.tunnel.greet(id)
		return
	}
	l.usable(id)
}

// usable is called when a connection can carry what it is for.
func (l *connector) usable(id int32) {
	l.isUp(id)
	c := &l.conns[id]
	switch {
	case l.Link.Listens():
		l.cameUp = true
	case c.pending:
		l.send(id)
	case !c.parked && !c.thinking:
		l.release(id)
	}
}

func (l *connector) isUp(id int32) {
	l.due.Stop(id)
	l.making--
	l.up++
	l.conns[id].state = ready
}

// connectFailed counts a connection that did not come up and lets it be tried
// again after a pause. A request that waited for it has failed with it.
func (l *connector) connectFailed(id int32, err error) {
	l.Errors.note(measure.ConnectError, ExplainConnect(err))
	c := &l.conns[id]
	l.drop(id)
	if l.rec != nil {
		l.rec.gaveUp(measure.Connect, l.now-c.opened)
	}
	switch {
	case l.mux != nil:
		l.mux.unconnected(id, err)
	case c.pending:
		c.pending = false
		l.unconnected(c.intended, err)
	case l.rec != nil:
		l.rec.erredApart(measure.ConnectError)
	}
	l.retries.Start(id, max(l.now, 1))
}

// unconnected fails a request that waited for a connection that did not come up.
func (l *connector) unconnected(intended int64, err error) {
	of := l.mix.unsent()
	l.rec.erred(of, measure.ConnectError, intended)
	l.rec.failed(intended, l.now)
	if err == unix.ETIMEDOUT {
		l.rec.unconnected(of, intended, l.now)
	}
}

var errClosedEarly = errors.New("the server closed the connection before it could be used")

// drop closes connection id.
func (l *connector) drop(id int32) {
	c := &l.conns[id]
	switch c.state {
	case down:
		return
	case connecting, securing, greeting:
		l.making--
	default:
		l.up--
	}
	l.due.Stop(id)
	if l.rec != nil && !l.Link.Churns() && l.Link.Unix == "" {
		l.askResent(c)
	}
	if c.fd >= 0 {
		l.backend.hangUp(id)
	}
	if c.secured != nil {
		c.secured.stop()
		c.secured = nil
	}
	c.state, c.fd = down, -1
}

// again finds a use for a place whose connection has been dropped.
func (l *connector) again(id int32) {
	if l.mux != nil {
		l.mux.again(id)
		return
	}
	c := &l.conns[id]
	switch {
	case l.Link.Listens():
		if l.keepsWarm() {
			l.open(id)
		}
	case c.pending:
		l.open(id)
	case c.parked || c.thinking:
		if l.keepsWarm() {
			l.open(id)
		}
	case l.Profile.Mode == profile.Closed || !l.keepsWarm() || l.backlog.len() > 0:
		l.release(id)
	default:
		l.open(id)
	}
}

// expire ends requests and connection attempts that took too long, and tries
// failed connections again.
func (l *eventLoop) expire() {
	for {
		id, since, ok := l.due.Oldest()
		if !ok || l.now-since < int64(l.Timeout) {
			break
		}
		l.timedOut(id)
	}
	for {
		id, since, ok := l.connector.retries.Oldest()
		if !ok || l.now-since < int64(retryPause) {
			break
		}
		l.connector.retries.Stop(id)
		if l.conns[id].state == down { // else a request has opened it meanwhile
			l.connector.again(id)
		} else if l.mux != nil {
			l.mux.retry(id)
		}
	}
	if l.mux != nil {
		l.mux.expire()
	}
}

// keepsWarm reports whether connections are open also while nothing is to be
// sent on them.
func (l *connector) keepsWarm() bool {
	return (l.Link.Reuse == request.PerWorker || l.Link.Reuse == "") && (l.sending || l.rec == nil)
}

// dialer makes the share's connections.
func (sh *Share) dialer() reactor.Dialer {
	k := sh.Link
	d := reactor.Dialer{To: sockaddr(sh.Addr), Nagle: k.Nagle, FastOpen: k.FastOpen, QuickAck: k.QuickAck}
	if k.ReadRate > 0 {
		d.Receive = slowBuffer
	}
	if k.Unix != "" {
		d.To = &unix.SockaddrUnix{Name: k.Unix}
	}
	for _, a := range k.Sources {
		d.From = append(d.From, sockaddr(netip.AddrPortFrom(a, 0)))
	}
	return d
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port()), ZoneId: zoneID(a.Addr().Zone())}
}

// zoneID is the index of the interface that a link-local address is on; 0 if there
// is none of that name, and the kernel refuses the address.
func zoneID(zone string) uint32 {
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n)
	}
	if i, err := net.InterfaceByName(zone); err == nil {
		return uint32(i.Index)
	}
	return 0
}

// quickEnd lets a connection that is about to be closed leave nothing behind.
// The side that closes first keeps the port for a minute (TIME_WAIT, RFC 9293
// 3.6.1); a load that opens connections all the time would run out of ports
// within seconds. Where the server has closed already that is its side; else the
// connection is reset, which is safe since its last response is in. The same goes
// for connections that the server wants to end.
func (l *connector) quickEnd(id int32) {
	c := &l.conns[id]
	churns := l.Link.Churns() || l.mux == nil && c.served > 0 && !lasts(&c.response)
	if c.ended || c.state != ready || !churns || l.Link.Unix != "" || l.tunnel != nil {
		return
	}
	_ = unix.SetsockoptLinger(int(c.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1, Linger: 0})
}
