// Package mirror sends a share of a route's requests to a second upstream, the shadow, and
// compares its responses with the first ones. Clients aren't affected: a request is
// mirrored when its own response is complete, from a copy, as a request without a client on
// an event loop like any other (nanogate/internal/proxy). This package keeps the copies,
// decides which are sent when, and compares the responses. Its cost is bounded in number,
// bytes and time, and requests beyond that are dropped and counted, so a shadow that is
// slow, fails or hangs costs the first requests nothing.
package mirror

import (
	"slices"
	"sync"
	"sync/atomic"

	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// Mirror mirrors the requests of one route. Event loops may call its methods at any time.
type Mirror struct {
	Config   *config.Mirror
	Upstream *upstream.Upstream // the shadow
	Record   *Record

	compare comparison
	redact  func() []string
	host    string // as [config.Mirror] has it
	edit    edit
	workers *bounds.Workers

	held atomic.Int64 // bytes of all captures

	mu          sync.Mutex // of what follows
	first, last *Capture   // that wait to be sent
	waiting     int        // how many those are
	under       int        // sent to the shadow, without a response yet
	closed      bool
	spare       *Capture // those that aren't used, in a list
	spares      int
}

// Options are what a mirror needs in addition to its configuration.
type Options struct {
	// Before is the record of the mirror that this one takes the place of; nil: there
	// was none, or it compared something else.
	Before *Record
	// Host is what the shadow gets as the host, as [config.Mirror] has it.
	Host string
	// Redact are names of secret parameters in addition to the known ones; nil: none.
	Redact func() []string
	// Workers are those of [NewWorkers] that mirrors share; nil: it has its own.
	Workers *bounds.Workers
}

// New makes the mirror of a route that sends to u. [Mirror.Close] ends it.
func New(c *config.Mirror, u *upstream.Upstream, o Options) (*Mirror, error) {
	compare, err := compile(&c.Compare)
	if err != nil {
		return nil, err
	}
	m := &Mirror{Config: c, Upstream: u, Record: o.Before, compare: compare, redact: o.Redact, host: o.Host, edit: editOf(&c.Request, o.Host), workers: o.Workers}
	if m.redact == nil {
		m.redact = func() []string { return nil }
	}
	if m.Record == nil {
		m.Record = NewRecord(c)
	}
	if m.workers == nil {
		m.workers = NewWorkers(1)
	}
	return m, nil
}

// UnderWay is how many copies wait to be sent, or for the shadow's response.
func (m *Mirror) UnderWay() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting + m.under
}

// Take begins the copy of a request that is about to be sent to the route's own upstream;
// nil: this one isn't mirrored. It is called on the request's loop.
func (m *Mirror) Take(r *request.Request, l *upstream.Local) *Capture {
	if share := m.Config.Share; share < 1 && float64(l.Random()>>11)/(1<<53) >= share {
		return nil
	}
	if method := r.Method(); !slices.ContainsFunc(m.Config.Methods, func(one string) bool { return string(method) == one }) {
		return nil
	}
	if _, marked := r.Header(Mark); marked {
		return nil
	}
	if r.Head.ContentLength > m.Config.Body {
		m.Record.drop(RequestBody)
		return nil
	}
	e := m.Upstream.Pick(r, l, nil)
	if e == nil {
		m.Record.drop(NoEndpoint)
		return nil
	}
	c := m.capture()
	c.mirror, c.endpoint = m, e
	c.keep(captureSize)
	return c
}

// capture returns one that isn't used.
func (m *Mirror) capture() *Capture {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.spare
	if c == nil {
		c = &Capture{}
		c.conclude = c.work
		return c
	}
	m.spare, c.next = c.next, nil
	m.spares--
	return c
}

// recycle takes a capture that is no longer used.
func (m *Mirror) recycle(c *Capture) {
	m.held.Add(-c.held)
	c.reset()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spares < mostSpares {
		c.next, m.spare = m.spare, c
		m.spares++
	}
}
