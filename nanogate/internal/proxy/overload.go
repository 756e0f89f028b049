//go:build linux

package proxy

import (
	"runtime/metrics"
	"strings"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/request"
)

// overload is how a loop knows that it has too much to do.
type overload struct {
	*loop

	weighed  int64 // when memory is looked at next
	pressure limit.Pressure
	probe    probe
}

var (
	replyBusy     = request.Refuse(503, "the gateway has too much to do at the moment", "Retry-After: 1\r\n").For(request.RefusedOverload)
	replyReady    = &request.Reply{Status: 200, Fields: []byte("Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"), Body: []byte("ready\n")}
	replyDraining = &request.Reply{Status: 503, Fields: replyReady.Fields, Body: []byte("draining\n")}
)

// feel finds out whether the gateway has too much to do: how long an event waits for its
// turn, and how much memory is in use. handled is how many events the batch had.
func (l *overload) feel(handled int) {
	rules := &l.snap.Config.Overload
	if rules.Lag == 0 && rules.Memory == 0 {
		return
	}
	now := l.Sys.Now()
	if l.local.Loop == 0 && rules.Memory > 0 && now >= l.weighed {
		l.weighed = now + weighEvery
		l.server.heavy.Store(heap() > uint64(rules.Memory))
	}
	queue := int64(0)
	if rules.Lag > 0 {
		queue = l.probe.wait(l.loop, now, handled)
	}
	l.pressure.Observe(queue, now, int64(rules.Lag), rules.Memory > 0 && l.server.heavy.Load())
}

// probe finds out how long events wait. Epoll gives a batch of what is ready, in the order
// in which it became so, and doesn't say how much more there is: so the loop makes an
// event itself, which waits behind the others.
type probe struct {
	fd   int   // of [eventloop.System.Event]; 0: not made yet
	sent int64 // when it was made ready, ns; 0: it has come back
	last int64 // how long it took the last time
	next int64 // when it is sent next
}

const (
	probeEvent = int32(-1 << 31)
	probeEvery = int64(5e6) // ns
	probeBatch = 32         // events in a batch from which on it is worth looking
)

// wait is how long events wait, as far as is known.
func (p *probe) wait(l *loop, now int64, handled int) int64 {
	switch {
	case p.sent != 0:
		return max(p.last, now-p.sent)
	case handled < probeBatch:
		p.last = 0
	case now >= p.next && p.arm(l):
		p.sent, p.next = now, now+probeEvery
	}
	return p.last
}

// arm makes the event, and first of all what it comes from. It reports whether that
// worked.
func (p *probe) arm(l *loop) bool {
	if p.fd == 0 {
		fd, err := l.Sys.Event()
		if err != nil {
			return false
		}
		if err := l.Poller.Add(fd, probeEvent); err != nil {
			l.Sys.Close(fd)
			return false
		}
		p.fd = fd
	}
	return l.Sys.Raise(p.fd) == nil
}

// came takes the event.
func (p *probe) came(l *loop) {
	if p.sent != 0 {
		p.last, p.sent = l.Sys.Now()-p.sent, 0
	}
}

func (p *probe) close(l *loop) {
	if p.fd != 0 {
		l.Sys.Close(p.fd)
	}
}

const weighEvery = int64(250e6) // ns

// heap is how many bytes live and dead objects take, as the runtime counts them.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// shouldShed reports whether a request is turned away because the gateway has too much to do.
func (l *overload) shouldShed(i request.Importance) bool {
	return l.pressure.Sheds(i, float64(l.local.Random()>>11)/(1<<53))
}

// respondReadiness responds to the request whether the gateway is ready: before any route, however
// busy it is. It reports whether this was that request.
func (l *overload) respondReadiness(c *client, r *request.Request) bool {
	path := l.snap.Config.Ready
	if path == "" || string(r.Path) != path || c.x.method != safe && c.x.method != head {
		return false
	}
	if l.server.Draining() {
		l.heads.refuse(c, replyDraining)
	} else {
		l.heads.refuse(c, readiness(l.server.issuer.Missing()))
	}
	return true
}

// readiness is what is said of a gateway that takes requests: that it does, and for
// which names, missing, it has no certificate yet. It is ready without, as an authority may have
// to come by the balancer that asks.
func readiness(missing []string) *request.Reply {
	if len(missing) == 0 {
		return replyReady
	}
	a := *replyReady
	a.Body = []byte("ready, and without a certificate yet for: " + strings.Join(missing, ", ") + "\n")
	return &a
}

// importanceOf is how important a request is by its route, or by its own word as far as the
// route allows.
func importanceOf(r *request.Request, rules *config.Importance) request.Importance {
	if rules.Header != "" {
		if value, ok := r.Header(rules.Header); ok {
			for i, name := range request.ImportanceNames {
				if string(value) == name {
					return request.Importance(min(i, rules.Most))
				}
			}
		}
	}
	return request.Importance(rules.Otherwise)
}
