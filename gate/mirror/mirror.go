// Package mirror sends a share of a route's requests to a second upstream, the shadow, and
// holds its responses against the first ones. The clients know nothing of it: a request is
// mirrored when its own response is whole, beside the event loops, from a copy. What the
// copies take of the machine is bounded in number, bytes and time, and what goes beyond is
// dropped and counted, so a shadow that is slow, fails or hangs costs the first requests
// nothing.
package mirror

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/gate/upstream"
)

// Mark is the field by which a shadow knows a mirrored request. Requests that come with
// it aren't mirrored again, so gateways can't send each other copies of copies.
const Mark = "x-mirrored"

// Mirror mirrors the requests of one route. [Mirror.Take] is for event loops; the rest
// goes on on goroutines of its own, until [Mirror.Close].
type Mirror struct {
	Config   *config.Mirror
	Upstream *upstream.Upstream // the shadow
	Record   *Record

	compare comparison
	redact  func() []string
	edit    edit
	host    string // as [config.Mirror] has it

	held  atomic.Int64  // bytes of all captures
	spare sync.Pool     // of captures
	queue chan *Capture // that are ready to be sent
	room  chan struct{} // has one for each that is under way

	plain, second *http.Transport // over HTTP/1.1 and what TLS agrees on; over HTTP/2 by prior knowledge
	ctx           context.Context
	cancel        context.CancelFunc
	running       sync.WaitGroup
}

// Options are what a mirror has besides its configuration.
type Options struct {
	// Before is the record of the mirror that this one takes the place of; nil: there
	// was none, or it compared something else.
	Before *Record
	// Host is what the route sends to its own upstream as the host, see [config.Route].
	Host string
	// Redact are names of parameters that are secrets besides the known ones; nil: none.
	Redact func() []string
}

// New starts the mirror of a route that sends to u.
func New(c *config.Mirror, u *upstream.Upstream, o Options) (*Mirror, error) {
	compare, err := compile(&c.Compare)
	if err != nil {
		return nil, err
	}
	m := &Mirror{
		Config: c, Upstream: u, Record: o.Before, compare: compare, redact: o.Redact, edit: editOf(&c.Request), host: c.Host,
		queue: make(chan *Capture, c.Queue), room: make(chan struct{}, c.Concurrency),
	}
	if m.host == "" && o.Host == "upstream" { // the first endpoint's name is none of the shadow's
		m.host = o.Host
	}
	if m.redact == nil {
		m.redact = func() []string { return nil }
	}
	if m.Record == nil {
		m.Record = NewRecord(c)
	}
	m.plain, m.second = m.transports()
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.running.Go(m.run)
	return m, nil
}

// Close ends what is under way. Captures that loops still have are dropped.
func (m *Mirror) Close() {
	m.cancel()
	m.running.Wait()
	for {
		select {
		case c := <-m.queue:
			c.drop(Closed)
			m.recycle(c)
		default:
			m.plain.CloseIdleConnections()
			m.second.CloseIdleConnections()
			return
		}
	}
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
	c, _ := m.spare.Get().(*Capture)
	if c == nil {
		c = &Capture{}
	}
	c.mirror, c.endpoint = m, e
	c.keep(captureSize)
	return c
}

// recycle takes a capture that is no longer used.
func (m *Mirror) recycle(c *Capture) {
	m.held.Add(-c.held)
	c.reset()
	m.spare.Put(c)
}

// run sends what is in the queue, so many at once.
func (m *Mirror) run() {
	for {
		select {
		case m.room <- struct{}{}:
		case <-m.ctx.Done():
			return
		}
		select {
		case c := <-m.queue:
			m.running.Go(func() {
				m.carry(c)
				m.recycle(c)
				<-m.room
			})
		case <-m.ctx.Done():
			return
		}
	}
}

// edit is what is changed of the fields that the first endpoint was sent.
type edit struct {
	drop []string
	set  []config.Field
}

func editOf(h *config.Headers) (e edit) {
	e.drop = append(e.drop, h.Remove...)
	for _, f := range h.Set {
		e.drop = append(e.drop, f.Name)
	}
	e.set = slices.Concat(h.Set, h.Add)
	return e
}
