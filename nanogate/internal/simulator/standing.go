//go:build linux

package simulator

import (
	"errors"
	"slices"
	"strings"
	"time"

	"dyno.example/nanogate/internal/upstream"
)

// Which endpoints get requests: those that health checks and failures speak against don't, as
// long as there are others, and clients stay with theirs.

// standing is that of an endpoint with the gateway.
type standing struct {
	out    bool  // it is left out, or isn't of the configuration
	since  int64 // it is so
	panic  bool  // its upstream has nobody whom nothing speaks against
	panics int64 // when that was last so; 0: never
}

// sickness is a time in which an endpoint fails its health checks.
type sickness struct{ From, Until int64 } // ns after the beginning

const (
	checkEvery = 50e6 // ns
	unhealthy  = 2    // checks in a row
	// noticed is how long it takes until it is known, the jitter of loops that are late included.
	noticed = (unhealthy + 1) * checkEvery
)

var errSick = errors.New("sick")

// times is the time in which upstreams are looked after.
func (w *world) times() *upstream.Time {
	return &upstream.Time{Now: w.sys.Now, Every: func(d time.Duration, do func()) func() {
		stopped := false
		var again func()
		again = func() {
			if stopped {
				return
			}
			do()
			w.stand()
			w.sys.After(int64(d), again)
		}
		w.sys.After(0, again)
		return func() { stopped = true }
	}}
}

// ask responds to a health check.
func (w *world) ask(_ *upstream.Upstream, e *upstream.Endpoint) error {
	i := slices.IndexFunc(w.endpoints, func(one *Endpoint) bool { return one != nil && one.At == e.Address.IP })
	if i >= 0 && w.sickSince(w.endpoints[i]) >= 0 {
		return errSick
	}
	return nil
}

// sickSince is since when an endpoint fails its checks, in ns after the beginning; below 0: it
// doesn't.
func (w *world) sickSince(e *Endpoint) int64 {
	now := w.sys.Now() - w.began
	for _, s := range e.Sick {
		if s.From <= now && now < s.Until {
			return s.From
		}
	}
	return -1
}

// stand looks whom the gateway leaves out: whenever that may have changed.
func (w *world) stand() {
	if w.server == nil {
		return
	}
	now := w.sys.Now()
	for _, u := range w.server.Snapshot().Upstreams {
		set := u.Set()
		for _, g := range w.Groups {
			if g.Name == u.Name {
				w.standGroup(g, set, now)
			}
		}
	}
}

func (w *world) standGroup(g *Group, set *upstream.Set, now int64) {
	for _, e := range w.endpoints {
		if e == nil || e.Group != g {
			continue
		}
		s := &w.standings[e.Number]
		out := !slices.ContainsFunc(set.Usable, func(one *upstream.Endpoint) bool { return one.Address.IP == e.At })
		if s.panic || set.Panic {
			s.panics = now
		}
		s.panic = set.Panic
		if out != s.out || s.since == 0 {
			if s.out, s.since = out, now; out {
				w.count("left out")
			}
		}
	}
}

// chosen looks whether a request may go to an endpoint. first says that it is the first that
// gets it.
func (w *world) chosen(x *exchange, e *Endpoint, first bool) {
	s := &w.standings[e.Number]
	if s.out && s.since < x.begun {
		w.violate("left-out", "%s got %s, and is left out since %.3f ms", e.Name, x, float64(s.since-w.began)/1e6)
	}
	asked := x.begun - w.began
	if sick := w.sickSince(e); e.Group.has("health") && sick >= 0 && sick < asked-noticed && w.reloaded < x.begun && !s.panic && s.panics < x.begun {
		w.violate("sick", "%s got %s, and is sick since %.3f ms", e.Name, x, float64(sick)/1e6)
	}
	if seat := x.seat; seat != nil && first && seat.Group == e.Group && seat != e && w.stays(x, seat) {
		w.violate("not-sticky", "%s got %s, whose client is at %s", e.Name, x, seat.Name)
	}
}

// stays is whether a request has to go to the endpoint that its client was at.
func (w *world) stays(x *exchange, seat *Endpoint) bool {
	g, s := seat.Group, &w.standings[seat.Number]
	recent := func(at int64) bool { return at >= w.since(x) }
	return !s.out && s.since < x.begun && w.reloaded < x.begun && !x.Route.has("hedge") && x.Route.tryTimeout == 0 && x.lost+x.unseen == 0 && !x.stale &&
		!slices.ContainsFunc(g.refused, recent) && !slices.ContainsFunc(g.went, recent) && !w.troubled(x)
}

// seatOf is a client on a route that keeps it at an endpoint.
type seatOf struct {
	client *Client
	route  *Route
}

// seat is where it is, and the cookie that says so.
type seat struct {
	at     *Endpoint
	cookie string
}

// sits notes where a client is from now on, by the cookie of a response.
func (w *world) sits(x *exchange, by *Endpoint, cookie []byte) {
	if !x.Route.has("sticky") {
		return
	}
	if pair, _, _ := strings.Cut(string(cookie), ";"); strings.HasPrefix(pair, "seat=") {
		w.seats[seatOf{x.client, x.Route}] = seat{by, pair}
		w.count("seats")
	} else if x.seat != by && x.Nonsense == 0 && !x.attacked {
		w.violate("no-seat", "%s isn't told that it is at %s", x, by.Name)
	}
}
