//go:build linux

package storm

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// request is one that a client sends, with all that is planned for it. Upstreams look it
// up by its token.
type request struct {
	token    string
	route    *route
	client   string // the client's kind
	method   string
	path     string
	body     []byte // all of it
	want     int    // bytes of the response's content
	size     int    // of messages of gRPC; 0: plain content
	chunked  bool   // without a length
	expect   bool
	asked    []field // trailers of the request
	replies  []field // trailers of the response
	interims int
	early    bool // the response comes before the body is in
	duplex   bool // both come at once, and the response ends after the body
	lengthy  bool // the response says its length
	slow     bool // the upstream is
	faults   []string
	tail     string // how a WebSocket ends: client or upstream
	abort    string // what the client does: head, body, response, content; "" nothing
	hard     bool   // by a reset

	begun   time.Time
	allSent atomic.Bool // all of the body, and its end
	gone    atomic.Bool // the client has given up

	mu   sync.Mutex
	runs []*run
}

// run is a request as an endpoint saw it.
type run struct {
	endpoint  *endpoint
	shadow    bool
	refused   bool // it said that it hasn't looked at it
	fault     string
	at        time.Time
	got       int          // bytes of the body
	whole     bool         // the body was
	responded bool         // the response was sent completely
	broken    *atomic.Bool // its connection was, and with it perhaps what was sent
	done      chan struct{}
}

func (r *request) String() string {
	s := fmt.Sprintf("%s %s %s (%s client) body %d", r.token, r.method, r.path, r.client, len(r.body))
	if r.chunked {
		s += " chunked"
	}
	s += fmt.Sprintf(", wants %d", r.want)
	for _, one := range []struct {
		is   bool
		name string
	}{{r.expect, "expect"}, {len(r.asked) > 0, "request trailers"}, {len(r.replies) > 0, "trailers"}, {r.interims > 0, "interims"}, {r.early, "early"}, {r.duplex, "duplex"}, {r.slow, "slow"}, {r.abort != "", "abort " + r.abort}, {r.allSent.Load(), "all sent"}} {
		if one.is {
			s += ", " + one.name
		}
	}
	s += fmt.Sprintf("; route %s", r.route)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.runs {
		s += fmt.Sprintf("; at %s +%dms: fault %q got %d whole %t responded %t", one.endpoint.name, one.at.Sub(r.begun).Milliseconds(), one.fault, one.got, one.whole, one.responded)
		if one.shadow {
			s += " (shadow)"
		}
		if one.refused {
			s += " (refused)"
		}
	}
	return s
}

// idempotent is whether it may be executed more than once.
func (r *request) idempotent() bool {
	return r.method != http.MethodPost && r.method != http.MethodPatch
}

// most is how often it may be executed at most, and why.
func (r *request) most() int {
	if !r.idempotent() { // upstreams here give no status of gRPC that could be retried
		return 1
	}
	n := r.route.retry + 1 // and once if a kept connection is closed
	if r.route.hedge && r.safe() {
		n += 2
	}
	return n
}

func (r *request) safe() bool { return r.method == http.MethodGet || r.method == http.MethodHead }

// fault is what the endpoint does to the try that begins.
func (r *request) fault(try int) string {
	if try < len(r.faults) {
		return r.faults[try]
	}
	return ""
}

// begins notes that an endpoint has a request's head, and reports what is wrong with
// it.
func (l *ledger) begins(e *endpoint, broken *atomic.Bool, token, method, path, authority string, mirrored bool) (*request, *run) {
	r := l.find(token)
	if r == nil {
		l.violate("unknown-request", "%s got %s %s with the token %q, which nobody sent", e.name, method, path, token)
		return nil, nil
	}
	one := &run{endpoint: e, broken: broken, shadow: mirrored, at: time.Now(), done: make(chan struct{})}
	r.mu.Lock()
	tries := 0
	for _, other := range r.runs {
		if other.shadow == mirrored {
			tries++
		}
	}
	if !mirrored {
		one.fault = r.fault(tries)
		if !e.can(one.fault) {
			one.fault = ""
		}
	}
	one.refused = one.fault == "refused" || one.fault == "goaway0"
	r.runs = append(r.runs, one)
	counted, shadows := 0, 0
	for _, other := range r.runs {
		if other.shadow {
			shadows++
		} else if !other.refused {
			counted++
		}
	}
	r.mu.Unlock()
	if mirrored && e.group != r.route.shadow || !mirrored && !r.route.goes(e.group) {
		l.violate("wrong-upstream", "%s got %s", e.name, r)
	}
	if most := r.most(); counted > most {
		l.violate("executed-too-often", "%d times, of %d: %s", counted, most, r)
	}
	if shadows > 2 {
		l.violate("executed-too-often", "%d times at the shadow: %s", shadows, r)
	}
	wanted := r.method
	if r.route.kind == "ws" && method == "CONNECT" {
		wanted = method
	}
	if method != wanted && !(r.route.kind == "cache" && method == "GET") {
		l.violate("request-head", "%s got the method %s: %s", e.name, method, r)
	}
	if path != r.path && r.route.kind != "json" {
		l.violate("request-head", "%s got the path %s: %s", e.name, path, r)
	}
	if want := e.at; r.route.host && !mirrored && authority != want {
		l.violate("wrong-host", "%s was asked for %q, not its own name %q: %s", e.name, authority, want, r)
	}
	return r, one
}

// ledger is all requests of a run, and what was found wrong.
type ledger struct {
	mu       sync.Mutex
	requests map[string]*request
	counts   map[string]int      // by client kind and outcome
	kinds    map[string]int      // violations
	shown    map[string][]string // the first of each kind
	show     int
	prefix   string
}

func newLedger(seed uint64, show int) *ledger {
	return &ledger{requests: map[string]*request{}, counts: map[string]int{}, kinds: map[string]int{}, shown: map[string][]string{}, show: show, prefix: fmt.Sprintf("t%d-", seed)}
}

func (l *ledger) add(r *request) {
	l.mu.Lock()
	l.requests[r.token] = r
	l.mu.Unlock()
}

func (l *ledger) find(token string) *request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests[token]
}

func (l *ledger) count(name string) {
	l.mu.Lock()
	l.counts[name]++
	l.mu.Unlock()
}

// violate notes that something doesn't hold.
func (l *ledger) violate(kind, format string, args ...any) {
	what := fmt.Sprintf(format, args...) // before the lock: requests have their own
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kinds[kind]++; len(l.shown[kind]) < l.show {
		l.shown[kind] = append(l.shown[kind], what)
	}
}
