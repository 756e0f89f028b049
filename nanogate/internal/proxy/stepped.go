//go:build linux

package proxy

import (
	"fmt"
	"net"
	"strings"
	"time"

	"dyno.example/nanogate/internal/limit"
)

// What follows is for a [Server] from [New], whose loops don't run by themselves.

// Step has a loop do what there is for it to do: one batch of events, messages and deadlines.
// It reports whether the loop goes on.
func (v *Server) Step(loop int) bool {
	l := v.loops[loop]
	if l.Over() {
		return false
	}
	l.step()
	if l.stopped {
		v.finish(l)
	}
	return !l.stopped
}

// ListenAt listens on sockets that are there: one for each loop.
func (v *Server) ListenAt(at net.Addr, fds []int) *Listening {
	return v.serveOn(&Listening{At: at, server: v, fds: fds, own: len(fds)}, nil)
}

// Drain has the loops end when nothing is under way, as [Server.Shutdown] does first.
func (v *Server) Drain() { v.drain() }

// Cut has them close what is left, as [Server.Shutdown] does when its time is over.
func (v *Server) Cut() { v.cut() }

// Left says what loops that have nothing to do hold all the same, "" if that is nothing.
func (v *Server) Left() string {
	var left []string
	note := func(what string, n int) {
		if n != 0 {
			left = append(left, fmt.Sprintf("%s: %d", what, n))
		}
	}
	for i, l := range v.loops {
		before := len(left)
		note("clients", l.clients.Len())
		note("connections", l.connections.Len())
		note("calls", l.calls.Len())
		note("idle connections", l.pools.idle)
		note("connections over HTTP/2 to endpoints", l.multiplexed.upstreamMuxes)
		note("requests that revalidate", l.caching.revalidations)
		note("mirrors with something to send", len(l.mirroring.mirrors))
		note("clients as others see", int(l.Assigned.Load()))
		if at, ok := l.wheel.Next(); ok {
			left = append(left, fmt.Sprintf("a deadline in %v", time.Duration(at-l.now)))
		}
		if len(left) > before {
			left = append(left, fmt.Sprintf("(loop %d)", i))
		}
	}
	note("clients of all loops", v.Clients())
	open, _, _ := v.Files()
	note("open files", int(open))
	s := v.Snapshot()
	for _, u := range s.Upstreams {
		for _, e := range u.Set().All {
			note("requests at "+e.Name, e.Under())
		}
		note("places by limits of "+u.Name, taken(u.Limits))
	}
	for _, r := range s.Routes {
		note("places by limits of "+r.Name, taken(r.Limits()))
		if r.Mirror != nil {
			note("copies for the shadow of "+r.Name, r.Mirror.UnderWay())
		}
	}
	if s.Cache != nil {
		note("requests that others wait for", s.Cache.Flights())
	}
	return strings.Join(left, ", ")
}

// taken is how many requests have a place by limits, or wait for one.
func taken(limits []limit.Limit) (n int) {
	for _, l := range limits {
		if g, ok := l.(limit.Gauged); ok {
			for _, gauge := range g.Gauges() {
				if gauge.Name == "taken" || gauge.Name == "waiting" {
					n += int(gauge.Value)
				}
			}
		}
	}
	return n
}

// Unsound says which part of what the loops hold contradicts another one, "" if none does. It
// is asked between two steps.
func (v *Server) Unsound() string {
	for _, l := range v.loops {
		if why := unsound(l); why != "" {
			return why
		}
	}
	return ""
}
