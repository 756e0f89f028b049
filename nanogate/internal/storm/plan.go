//go:build linux

package storm

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"
)

// route is one of the gateway's, with what it does.
type route struct {
	name   string
	kind   string   // plain, cache, grpc, web, json, ws
	groups []string // of endpoints that may serve it
	shadow string   // that is sent copies
	to     string   // as it is written
	retry  int      // attempts
	hedge  bool
	limits bool
	host   bool   // the upstream gets its own name as Host
	plugin string // that sees requests and responses
	lines  []string
}

func (r *route) goes(group string) bool { return slices.Contains(r.groups, group) }

func (r *route) String() string {
	return fmt.Sprintf("%s (%s to %s; %s)", r.name, r.kind, r.to, strings.Join(r.lines, "; "))
}

// plan draws groups and routes.
func (s *Storm) plan() error {
	for _, kind := range []string{"h1", "h1s", "h2c", "h2s"} {
		if !s.on[kind] {
			continue
		}
		for n := range 2 {
			if err := s.planGroup(kind, fmt.Sprintf("%s-%d", kind, n)); err != nil {
				return err
			}
		}
	}
	if len(s.groups) == 0 {
		return fmt.Errorf("no kind of upstream is switched on")
	}
	names := func(kinds ...string) (list []string) {
		for _, name := range s.order {
			if slices.Contains(kinds, s.groups[name].kind) {
				list = append(list, name)
			}
		}
		return list
	}
	all, two := names("h1", "h1s", "h2c", "h2s"), names("h2c", "h2s")
	for range 8 {
		s.planRoute("plain", all)
	}
	if s.on["cache"] {
		s.planRoute("cache", all)
		s.planRoute("cache", all)
	}
	for _, kind := range []string{"grpc", "web", "json"} {
		if s.on[kind] && len(two) > 0 {
			s.planRoute(kind, two)
			s.planRoute(kind, two)
		}
	}
	// By TLS an upgrade agrees on HTTP/1.1 with the endpoint, which h2s don't speak.
	if list := names("h1", "h1s", "h2c"); (s.on["ws"] || s.on["wstls"] || s.on["ws2"]) && len(list) > 0 {
		s.planRoute("ws", list)
		s.planRoute("ws", list)
	}
	return nil
}

func (s *Storm) planGroup(kind, name string) error {
	g := &group{name: name, kind: kind}
	for n := range 3 {
		e := &endpoint{s: s, of: g, group: name, name: fmt.Sprintf("%s/%d", name, n), window: 65535, conns: map[net.Conn]bool{}}
		if kind == "h1s" {
			e.tls = s.serverTLS("http/1.1")
		}
		if kind == "h2s" {
			e.tls = s.serverTLS("h2")
		}
		if e.http2() {
			if s.on["greet"] && s.rng.IntN(3) == 0 {
				e.greet = time.Duration(20+s.rng.IntN(300)) * time.Millisecond
			}
			if s.on["streams"] && s.rng.IntN(3) == 0 {
				e.streams = 1 + s.rng.IntN(3)
			}
			if s.on["windows"] && s.rng.IntN(2) == 0 {
				e.window = []int{600, 4000, 16384, 30000, 262144}[s.rng.IntN(5)]
				e.piece = []int{0, 500, 5000}[s.rng.IntN(3)]
			}
			if s.on["tiny"] && s.rng.IntN(6) == 0 {
				e.window, e.piece = tiny, tiny
			}
		}
		e.at = fmt.Sprintf("127.%d.%d.%d:0", 1+s.rng.IntN(254), s.rng.IntN(256), 1+s.rng.IntN(254))
		if err := e.listen(); err != nil {
			return err
		}
		if n < 2 {
			g.endpoints = append(g.endpoints, e)
		} else {
			g.spare = e
		}
	}
	s.groups[name] = g
	s.order = append(s.order, name)
	return nil
}

// planRoute draws a route of that kind to some of the groups.
func (s *Storm) planRoute(kind string, among []string) {
	r := &route{name: fmt.Sprintf("r%d", len(s.routes)), kind: kind}
	pick := func() string { return among[s.rng.IntN(len(among))] }
	chance := func(feature string, n int) bool { return s.on[feature] && s.rng.IntN(n) == 0 }
	add := func(format string, args ...any) { r.lines = append(r.lines, fmt.Sprintf(format, args...)) }
	first := pick()
	r.groups, r.to = []string{first}, first
	if second := pick(); chance("weights", 4) && second != first {
		r.groups, r.to = []string{first, second}, fmt.Sprintf("{%s: 60, %s: 40}", first, second)
	}
	if other := pick(); chance("canary", 4) && !r.goes(other) {
		r.groups = append(r.groups, other)
		add("canary: {to: %s, weight: 30%%, roll-back: off}", other)
	}
	s.routes = append(s.routes, r)
	r.retry = 2 // which is what routes have that don't say
	if kind == "ws" {
		return
	}
	if chance("retry", 2) {
		r.retry = 3
		if s.rng.IntN(4) == 0 {
			r.retry = 1
			add("retry: {attempts: 1}")
		} else if kind == "plain" || kind == "cache" {
			add("retry: {attempts: 3, on: [connect, reset, 500], budget: 100%%}")
		} else {
			add("retry: {attempts: 3, grpc: [unavailable], budget: 100%%}")
		}
	}
	if (kind == "plain" || kind == "cache") && chance("hedge", 2) {
		r.hedge = true
		add("hedge: {after: 15ms, budget: 100%%}")
	}
	if other := pick(); kind != "json" && kind != "web" && chance("mirror", 3) && !r.goes(other) {
		r.shadow = other
		add("mirror: {to: %s, share: 50%%, methods: [GET, HEAD, PUT, POST]}", other)
	}
	if chance("limits", 5) {
		r.limits = true
		switch s.rng.IntN(3) {
		case 0:
			add("concurrency: {most: 4, queue: {size: 8, wait: 50ms}}")
		case 1:
			add("limit: {rate: 200/s, burst: 50, key: route}")
		case 2:
			add("shed: {objective: 50ms, least: 2, most: 50}")
		}
	}
	if chance("plugins", 3) {
		names := pluginNames
		if kind != "plain" && kind != "cache" {
			names = names[:1] // the others want bodies as a whole, which streams have not
		}
		r.plugin = names[s.rng.IntN(len(names))]
		add("use: %s", r.plugin)
	}
	if chance("host", 2) {
		r.host = true
		add("host: upstream")
	}
	switch kind {
	case "cache":
		add("cache: {shared: true}")
	case "web":
		add("grpc-web: true")
	case "json":
		add("grpc-json: {descriptors: ./api.pb}")
	}
}

// draw draws a request for that kind of client.
func (s *Storm) draw(rng *rand.Rand, client string) *request {
	r := &request{token: s.prefix + fmt.Sprint(s.serial.Add(1)), client: client, begun: time.Now()}
	kind := map[string]string{"grpc": "grpc", "web": "web", "json": "json", "ws": "ws", "wstls": "ws", "ws2": "ws"}[client]
	if kind == "" {
		kind = "plain"
		if s.on["cache"] && rng.IntN(5) == 0 {
			kind = "cache"
		}
	}
	var routes []*route
	for _, one := range s.routes {
		if one.kind == kind {
			routes = append(routes, one)
		}
	}
	if len(routes) == 0 {
		return nil
	}
	r.route = routes[rng.IntN(len(routes))]
	r.path = "/" + r.route.name + "/" + r.token
	chance := func(feature string, n int) bool { return s.on[feature] && rng.IntN(n) == 0 }
	r.want, r.chunked, r.lengthy, r.slow = length(rng), rng.IntN(2) == 0, rng.IntN(2) == 0, chance("slow", 4)
	r.method = []string{"GET", "GET", "GET", "HEAD", "PUT", "PUT", "PUT", "POST", "POST", "DELETE"}[rng.IntN(10)]
	n, sent := 0, func() int {
		n := length(rng)
		if s.trickles(r.route) {
			n = min(n, trickle)
		}
		return n
	}
	switch {
	case kind == "ws":
		r.method, n, r.tail, r.slow = "GET", sent(), []string{"client", "upstream"}[rng.IntN(2)], false
		if rng.IntN(2) == 0 {
			r.want = 0
		}
	case kind == "cache":
		r.method = []string{"GET", "GET", "GET", "HEAD"}[rng.IntN(4)]
		r.path = fmt.Sprintf("/%s/key%d", r.route.name, rng.IntN(20))
	case kind == "json":
		r.method, r.want, r.size = "POST", min(r.want, 60000), min(sent(), 60000)
		b := fmt.Sprintf("{\"text\": %q}", text(r.token, r.size))
		r.body = []byte(b)
	case kind != "plain":
		r.method, r.size = "POST", []int{10, 700, 5000, 40000}[rng.IntN(4)]
		r.body = messages(r.token, sent(), r.size)
		r.lengthy = false
	case r.method == "PUT" || r.method == "POST" || r.method == "DELETE" && rng.IntN(2) == 0:
		n = sent()
	}
	if n > 0 {
		r.body = content(r.token, n)
	}
	s.drawMore(rng, r, chance)
	s.ledger.add(r)
	return r
}

// trickles is whether an endpoint that a route's requests may get to takes bodies by tiny windows.
func (s *Storm) trickles(r *route) bool {
	for _, name := range append(r.groups[:len(r.groups):len(r.groups)], r.shadow) {
		if g := s.groups[name]; g != nil {
			for _, e := range append(g.endpoints[:len(g.endpoints):len(g.endpoints)], g.spare) {
				if e.window == tiny {
					return true
				}
			}
		}
	}
	return false
}

// drawMore draws what else may be of a request.
func (s *Storm) drawMore(rng *rand.Rand, r *request, chance func(string, int) bool) {
	r.expect = len(r.body) > 0 && chance("expect", 6)
	r.early = chance("early", 12) && slices.Contains([]string{"plain", "grpc", "web"}, r.route.kind)
	r.duplex = chance("duplex", 4) && !r.early && !r.expect && slices.Contains([]string{"plain", "grpc", "web"}, r.route.kind)
	if chance("trailers", 3) {
		r.replies = []field{{"x-trailer", r.token}}
	}
	if r.chunked && len(r.body) > 0 && chance("trailers", 4) {
		r.asked = []field{{"x-asked", r.token}}
	}
	if chance("interims", 5) {
		r.interims = 1 + rng.IntN(2)
	}
	if chance("abort", 12) && !r.early { // a client that reads nothing before all is sent would wait for an early response for ever
		r.abort, r.hard = []string{"head", "body", "response", "content", "end"}[rng.IntN(5)], rng.IntN(2) == 0
	}
	if s.on["faults"] && r.route.kind != "ws" && len(s.options.Faults) > 0 {
		for range 4 {
			fault := ""
			if rng.Float64() < s.options.Share {
				fault = s.options.Faults[rng.IntN(len(s.options.Faults))]
			}
			r.faults = append(r.faults, fault)
		}
	}
}

// length is that of a body: often short, sometimes long, and around what the gateway reads
// and keeps.
func length(rng *rand.Rand) int {
	switch rng.IntN(8) {
	case 0:
		return 0
	case 1, 2:
		return 1 + rng.IntN(100)
	case 3:
		return 1000 + rng.IntN(4000)
	case 4:
		return 16384 + rng.IntN(5) - 2
	case 5:
		return 65536 + rng.IntN(2000) - 1000
	case 6:
		return 60000 + rng.IntN(60000)
	}
	return 100000 + rng.IntN(200000)
}
