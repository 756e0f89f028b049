package engine

import (
	"net"
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno/nano/wire/reactor"
)

// dialer makes the share's connections.
func (sh *Share) dialer() reactor.Dialer {
	k := sh.Link
	d := reactor.Dialer{To: sockaddr(sh.Addr), Nagle: k.Nagle, FastOpen: k.FastOpen, QuickAck: k.QuickAck}
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
func (l *eventLoop) quickEnd(id int32) {
	c := &l.conns[id]
	churns := l.Link.Churns() || l.mux == nil && c.served > 0 && !lasts(&c.answer)
	if c.ended || c.state != ready || !churns || l.Link.Unix != "" || l.session != nil {
		return
	}
	_ = unix.SetsockoptLinger(int(c.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1, Linger: 0})
}
