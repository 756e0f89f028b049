package engine

import (
	"golang.org/x/sys/unix"

	"dyno.example/dyno/evidence"
)

// drawer hands requests that are over to the load's sampler, with what is known of their
// connections. Nothing is done where nobody samples.
type drawer struct {
	draws *evidence.Draws // nil: nobody does
}

func (sh *Share) drawer() drawer {
	if sh.Sampler == nil {
		return drawer{}
	}
	draws := sh.Sampler.Loop(sh.Part)
	draws.On(unix.Gettid())
	return drawer{draws}
}

// meet notes the name of a connection that has been established, as the kernel's events
// have it.
func (d *drawer) meet(c *conn) {
	if d.draws != nil {
		c.name = connectionOf(int(c.fd))
	}
}

// connectionOf is the name of a socket's connection; 0 if it has no address.
func connectionOf(fd int) uint64 {
	local, err := unix.Getsockname(fd)
	if err != nil {
		return 0
	}
	switch a := local.(type) {
	case *unix.SockaddrInet4:
		return evidence.ConnectionID(a.Addr[:], uint16(a.Port))
	case *unix.SockaddrInet6:
		return evidence.ConnectionID(a.Addr[:], uint16(a.Port))
	}
	return 0
}

// over draws a request that is over, if it is wanted. It allocates nothing.
func (d *drawer) over(c *conn, p *place, e ending) {
	if d.draws == nil {
		return
	}
	waited, before := p.waited, p.before
	p.waited, p.before = false, p.sent
	w := d.draws.Wants(c.name, int32(p.request.Place), p.intended, e.now)
	if w.Class == "" {
		return
	}
	d.draws.Push(&evidence.Sample{
		Connection: c.name, Opened: c.opened, Ordinal: c.served, Kind: int32(p.request.Place), Size: e.size, Status: int32(e.status),
		Failed: e.failed, Shared: e.shared, Waited: waited, Before: before, Intended: p.intended, Sent: p.sent, First: p.first, Done: e.now,
	}, w)
}

// ending is how a request came to its end.
type ending struct {
	now, size int64
	status    int
	failed    bool
	shared    bool // others were under way on the connection
}
