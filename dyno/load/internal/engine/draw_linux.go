package engine

import (
	"golang.org/x/sys/unix"

	"dyno.example/dyno/evidence"
	"dyno.example/nano/wire/http2"
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

// begins says that a request that is due at an instant has been taken up.
func (d *drawer) begins(due int64) {
	if d.draws != nil {
		d.draws.Began(due)
	}
}

// over draws a request that is over, if it is wanted. It allocates nothing.
func (d *drawer) over(c *conn, p *place, e ending) {
	if d.draws == nil {
		return
	}
	waited, before, told := p.waited, p.before, p.told
	p.waited, p.before, p.told = false, p.sent, p.told[:0]
	w := d.draws.Wants(c.name, int32(p.request.Place), p.intended, e.now)
	if w.Class == "" {
		return
	}
	if e.head != nil {
		told = evidence.AppendTimings(p.room(), finalHead(e.head))
	}
	d.draws.Push(&evidence.Sample{
		Connection: c.name, Opened: c.opened, Ordinal: c.served, Kind: int32(p.request.Place), Size: e.size, Status: int32(e.status),
		Failed: e.failed, Shared: e.shared, Waited: waited, Before: before, Intended: p.intended, Sent: p.sent, First: p.first, Done: e.now,
		Timing: told,
	}, w)
}

// begun keeps Server-Timing of a response that isn't complete, so that what follows can be read
// into the place of its head.
func (d *drawer) begun(p *place, head []byte) {
	if d.draws != nil {
		p.told = evidence.AppendTimings(p.room()[:0], finalHead(head))
	}
}

// begunFields is the same of a head over HTTP/2.
func (d *drawer) begunFields(p *place, h *http2.Header) {
	if d.draws == nil {
		return
	}
	p.told = p.told[:0]
	for i := range h.Fields {
		if f := &h.Fields[i]; f.Known == 0 && evidence.IsTiming(f.Name.Of(h.Bytes)) {
			p.told = evidence.AppendTiming(p.room(), f.Value.Of(h.Bytes))
		}
	}
}

// room is where Server-Timing is kept.
func (p *place) room() []byte {
	if p.told == nil {
		p.told = make([]byte, 0, evidence.TimingRoom)
	}
	return p.told
}

// ending is how a request came to its end.
type ending struct {
	now, size int64
	status    int
	failed    bool
	shared    bool   // others were under way on the connection
	head      []byte // of a response that came at once, with what followed; nil: see begun
}
