//go:build linux

package simulator

import (
	"fmt"
	"slices"
	"strconv"
)

// exchange is a request of the scenario in a run of it.
type exchange struct {
	*Request
	body     []byte
	arrives  []byte // of that, at an endpoint
	client   *Client
	begun    int64
	sent     bool      // all of it, and its end
	gone     bool      // the client has given up
	seat     *Endpoint // that it asks for by its cookie; nil: none
	visits   uint64    // of the hostile middleware
	attacked bool      // the hostile middleware has done something that may end it
	over     bool      // it has its response, or never will
	ended    int64
	runs     []*run
	suffers
	prior *exchange // on the same connection over HTTP/1.1
	after *exchange
}

// run is a request as an endpoint saw it.
type run struct {
	endpoint  *Endpoint
	fault     Fault
	shadow    bool
	refused   bool // the endpoint says that it hasn't looked at it
	at        int64
	got       int  // bytes of its body
	whole     bool // the body was
	responded bool // the response was sent whole
	early     bool // it began before all of the body was in
	harmed    bool // the endpoint did to it what its fault is
	broken    bool // its connection was lost, and with it perhaps what was sent
}

func (x *exchange) String() string {
	s := x.Request.String()
	for _, one := range x.runs {
		s += fmt.Sprintf("; at %s +%.3fms: got %d whole %t responded %t", one.endpoint.Name, float64(one.at-x.begun)/1e6, one.got, one.whole, one.responded)
		if one.fault.Kind != "" {
			s += " " + one.fault.Kind
		}
		if one.shadow {
			s += " (shadow)"
		}
	}
	if x.lost+x.unseen > 0 || x.stale {
		s += fmt.Sprintf("; sent %d times where nobody read, %t on a connection that had been used, %d where it wasn't looked at", x.lost, x.stale, x.unseen)
	}
	return s
}

// Violation is something that doesn't hold.
type Violation struct {
	At         int64 // ns
	Kind, What string

	request int // that it tells of, by ID; 0: of none
	begun   int // requests by then
}

func (v Violation) String() string {
	return fmt.Sprintf("%.3f ms: %s: %s", float64(v.At)/1e6, v.Kind, v.What)
}

const mostViolations = 20

func (w *world) violate(kind, format string, args ...any) {
	if w.violated++; kind == w.until {
		w.violated = mostViolations
	}
	if len(w.violations) < mostViolations {
		v := Violation{At: w.sys.Now() - w.began, Kind: kind, What: fmt.Sprintf(format, args...), begun: len(w.order)}
		for _, a := range args {
			if x, ok := a.(*exchange); ok && x != nil {
				v.request = x.ID
			}
		}
		w.violations = append(w.violations, v)
	}
}

func (w *world) count(what string) { w.counts[what]++ }

func (w *world) find(token []byte) *exchange {
	id, err := strconv.Atoi(string(token))
	if err != nil || id <= 0 || id >= len(w.exchanges) {
		return nil
	}
	return w.exchanges[id]
}

func (r *Request) idempotent() bool { return r.Method != "POST" }
func (r *Request) safe() bool       { return r.Method == "GET" || r.Method == "HEAD" }

// most is how often it may be executed at most.
func (r *Request) most() int {
	if !r.idempotent() {
		return 1
	}
	n := r.Route.retry + 1 // and once if a kept connection is closed
	if r.Route.has("hedge") && r.safe() {
		n += 2
	}
	return n
}

// begins notes that an endpoint has a request's head. What is wrong with that is told.
func (w *world) begins(e *Endpoint, token, method, path, host []byte, mirrored bool) (*exchange, *run) {
	x := w.find(token)
	if x == nil || x.begun == 0 {
		w.violate("unknown-request", "%s got %s %s with the token %q, which nobody sent", e.Name, method, path, token)
		return nil, nil
	}
	one := &run{endpoint: e, shadow: mirrored, at: w.sys.Now()}
	tries, counted := 0, 1
	for _, other := range x.runs {
		if other.shadow == mirrored {
			tries++
			if !other.refused {
				counted++
			}
		}
	}
	if tries < len(x.Tries) && !mirrored && (e.Group.HTTP2 || !slices.Contains(overHTTP2, x.Tries[tries].Kind)) {
		one.fault = x.Tries[tries]
	}
	if one.refused = slices.Contains(refusing, one.fault.Kind); one.refused {
		counted--
	}
	x.runs = append(x.runs, one)
	if x.Nonsense == 0 && !mirrored {
		w.chosen(x, e, tries == 0)
		w.guarded(x, e)
	}
	switch {
	case !x.passes():
		w.violate("nonsense", "%s got %s", e.Name, x)
	case x.Nonsense > 0:
	case mirrored && e.Group != x.Route.Shadow || !mirrored && !x.Route.goes(e.Group):
		w.violate("wrong-upstream", "%s got %s", e.Name, x)
	case !mirrored && counted > x.most() && x.Route.Kind == "plain":
		w.violate("executed-too-often", "%d times, of %d: %s", counted, x.most(), x)
	case mirrored && counted > 2:
		w.violate("executed-too-often", "%d times at the shadow: %s", counted, x)
	case x.Route.tunnels() && string(method) == "CONNECT":
	case string(method) != x.Method && !(x.Route.Kind == "cache" && string(method) == "GET"):
		w.violate("request-head", "%s got the method %s: %s", e.Name, method, x)
	case x.Route.json() && string(path) == sayPath:
	case string(path) != x.Path:
		w.violate("request-head", "%s got the path %s: %s", e.Name, path, x)
	case x.Route.has("host") && !mirrored && string(host) != e.At.String():
		w.violate("wrong-host", "%s was asked for %q: %s", e.Name, host, x)
	}
	return x, one
}
