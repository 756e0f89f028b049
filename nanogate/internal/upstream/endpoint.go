package upstream

import (
	"math"
	"net/netip"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/stats"
)

// Instance is what is known of one instance of an upstream, from wherever.
type Instance struct {
	Address config.Address // resolved: an IP address or a unix socket
	Weight  int            // 0 is 1
	Zone    string
}

// Endpoint is an instance as the loops see it. It stays the same, with what was
// learned about it, as long as its upstream has an instance of that address.
type Endpoint struct {
	Address  config.Address
	Name     string // Address as text, for logs and metrics
	Host     string // its own name, as a Host field has it
	ID       uint64 // of the address: what sticky cookies and rings know it by
	Slot     int    // a small number no other living endpoint has
	Counters *stats.Counters

	// Multiplexed says that it has agreed to HTTP/2 when TLS with it began last.
	Multiplexed atomic.Bool

	Weight atomic.Int32
	Zone   string // of a new endpoint; it doesn't change

	percent atomic.Int32 // of its weight that it has, while it starts slowly
	chilled int64        // since when, ns; its upstream's lock guards it

	secure atomic.Pointer[endpointTLS] // its TLS; nil until it is needed

	marks atomic.Uint32 // why it gets no requests; 0: it does
	gone  atomic.Bool   // its upstream doesn't have it any more
	cut   atomic.Bool   // it couldn't be connected to, which was said
	cutAt atomic.Int64  // when, ns

	_     [64]byte // what follows changes with every request
	under atomic.Int32
	cost  atomic.Uint64 // bits of a float64: mean response time of late, ns
	timed atomic.Int64  // when that was, ns
	_     [64]byte
}

// Mark is a reason to send an endpoint no requests.
type Mark uint32

const (
	Unhealthy Mark = 1 << iota // active checks fail
	Ejected                    // too many of its responses failed
	Drained                    // drained by an operator
	Starting                   // it is new, and not warm yet
)

// Usable reports whether nothing speaks against the endpoint.
func (e *Endpoint) Usable() bool { return e.marks.Load() == 0 && !e.gone.Load() }

// Marks returns what speaks against it.
func (e *Endpoint) Marks() Mark { return Mark(e.marks.Load()) }

// Gone reports whether its upstream has it no more: its idle connections may go.
func (e *Endpoint) Gone() bool { return e.gone.Load() }

// Under is how many requests are under way to it.
func (e *Endpoint) Under() int { return int(e.under.Load()) }

// Begin counts a request that is sent to it. [Endpoint.End] must follow.
func (e *Endpoint) Begin() { e.under.Add(1) }

// End uncounts it.
func (e *Endpoint) End() { e.under.Add(-1) }

// decay is after which time of a steady other value the mean has gone two thirds of
// the way there.
const decay = 10e9 // ns

// Took records how long a response took to begin. The mean follows a slower one at once
// and a faster one slowly (peak EWMA, as Finagle's): an endpoint that has become slow
// must be seen soon. Loops may lose each other's updates; the mean bears that.
func (e *Endpoint) Took(took, now int64) {
	before := math.Float64frombits(e.cost.Load())
	x := float64(took)
	if x < before {
		since := float64(max(now-e.timed.Load(), 0))
		keep := math.Exp(-since / decay)
		x = before*keep + x*(1-keep)
	}
	e.cost.Store(math.Float64bits(x))
	e.timed.Store(now)
}

// Cost is the mean response time of late, in ns; 0 before the first.
func (e *Endpoint) Cost() float64 { return math.Float64frombits(e.cost.Load()) }

// Detector hears of each try at an upstream's endpoints: passive health, outliers,
// breakers. It is called on loops: it doesn't block and doesn't allocate.
type Detector interface {
	Tried(e *Endpoint, status int, failed request.Failure, took int64)
}

// newEndpoint makes the endpoint of an instance.
func newEndpoint(in Instance, slot, loops int) *Endpoint {
	e := &Endpoint{Address: in.Address, Name: in.Address.String(), Host: authorityOf(in.Address), Zone: in.Zone, Slot: slot, Counters: stats.New(loops)}
	e.ID = hashOf(e.Name)
	e.Weight.Store(int32(max(1, in.Weight)))
	e.percent.Store(100)
	return e
}

// Sockaddr returns where to connect to. Each call gives another one, as connecting
// writes to it.
func (e *Endpoint) Sockaddr() unix.Sockaddr {
	a := e.Address
	if a.Unix != "" {
		return &unix.SockaddrUnix{Name: a.Unix}
	}
	return sockaddrIP(a.IP)
}

func sockaddrIP(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}
