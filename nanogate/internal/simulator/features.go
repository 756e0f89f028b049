//go:build linux

package simulator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// features draws what a route does beyond passing requests on.
func (d *drawing) features(r *Route) {
	add := func(format string, args ...any) { r.Lines = append(r.Lines, &Line{Text: fmt.Sprintf(format, args...)}) }
	if r.Kind == "cache" {
		add("cache: {shared: true, wait: %dms}", d.pick(0, 20, 5000))
	}
	if r.Kind == "json" {
		add("grpc-json: {descriptors: ./api.pb}")
	}
	if r.Kind == "web" {
		add("grpc-web: true")
	}
	d.again(r, add)
	if d.OneIn(2) {
		add("host: upstream")
	}
	if other := d.anyGroup(); d.OneIn(4) && !r.goes(other) && !(r.needsHTTP2() && !other.HTTP2) {
		r.Groups = append(r.Groups, other)
		add("canary: {to: %s, weight: 30%%, roll-back: off}", other.Name)
	}
	if other := d.anyGroup(); d.OneIn(3) && !r.goes(other) && !(r.needsHTTP2() && !other.HTTP2) {
		r.Shadow = other
		add("mirror: {to: %s, share: 60%%, methods: [GET, HEAD, PUT, POST], compare: {body: %t}}", other.Name, d.OneIn(2))
	}
	if d.OneIn(5) {
		d.bounds(add)
	}
	if d.OneIn(4) {
		add("use: [%s]", []string{"at-once", "later", "late-or-not", "request", "response", "later, response", "at-once, request"}[d.Below(7)])
	}
	if d.OneIn(8) {
		add("fault: {abort: {status: 418, share: 10%%}, delay: {for: %dms, share: 30%%}}", d.pick(1, 30))
	}
	if d.OneIn(8) {
		r.timeout = d.pick(30, 300, 3000) * 1e6
		add("timeout: %dms", r.timeout/1e6)
	}
}

// again draws when requests are sent again.
func (d *drawing) again(r *Route, add func(format string, args ...any)) {
	r.retry = 2 // which is what routes have that don't say
	switch d.Below(5) {
	case 0:
		r.retry = 1
		add("retry: {attempts: 1}")
	case 1:
		r.retry = 3
		add("retry: {attempts: 3, on: [connect, reset, 500], budget: 100%%}")
	case 2:
		r.retry = 3
		r.tryTimeout = d.pick(20, 200) * 1e6
		add("retry: {attempts: 3, on: [connect, timeout], timeout: %dms, budget: 100%%}", r.tryTimeout/1e6)
	}
	if d.OneIn(3) {
		add("hedge: {after: %dms, budget: 100%%}", d.pick(1, 15, 60))
	}
}

// bounds draws how many requests there may be.
func (d *drawing) bounds(add func(format string, args ...any)) {
	switch d.Below(3) {
	case 0:
		add("concurrency: {most: %d, queue: {size: 8, wait: %dms}}", d.Between(1, 4), d.pick(5, 50, 1000))
	case 1:
		add("limit: {rate: 200/s, burst: 20, key: route}")
	case 2:
		add("concurrency: %d", d.Between(1, 5))
	}
}

// bounded reports whether requests may be refused, or given up for their time.
func (r *Route) bounded(status int) bool {
	switch status {
	case 503:
		return r.has("concurrency", "use", "shed", "breaker") || r.shared()
	case 502:
		return r.has("use")
	case 429:
		return r.has("limit")
	case 418:
		return r.has("fault")
	}
	return false
}

// shared is whether its upstreams take only so many requests at once.
func (r *Route) shared() bool {
	return slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.Bound > 0 })
}

// offers are the middleware that routes may use: on the loop, on workers, and with bodies as a
// whole.
func offers() middleware.Offers {
	mark := func(_ *request.Request, p *request.Response) *request.Reply {
		p.Set("x-seen", []byte("yes"))
		return nil
	}
	forward := func(r *request.Request) *request.Reply {
		r.Forward("x-seen", []byte("yes"))
		return nil
	}
	whole := func(content func([]byte)) *request.Reply {
		a := *request.Refuse(503, "nobody has decided", "")
		a.Deferred = &request.Deferred{Within: 20 * time.Millisecond, Content: content, Most: 1 << 20, Work: func(context.Context) func(*request.Request) *request.Reply {
			return func(*request.Request) *request.Reply { return nil }
		}}
		return &a
	}
	offer := func(name string, m middleware.Middleware) middleware.Offer {
		return middleware.NewOffer(name, false, func([]byte) (middleware.Middleware, error) { return m, nil })
	}
	return middleware.Offers{
		offer("at-once", middleware.Middleware{Request: forward, Response: mark}),
		offer("later", middleware.Middleware{Request: forward, Response: mark, Within: 20 * time.Millisecond}),
		offer("late-or-not", middleware.Middleware{Request: forward, Response: mark, Within: 20 * time.Millisecond, Pass: true}),
		offer("request", middleware.Middleware{Request: func(*request.Request) *request.Reply { return whole(func([]byte) {}) }}),
		offer("response", middleware.Middleware{Response: func(*request.Request, *request.Response) *request.Reply { return whole(func([]byte) {}) }}),
	}
}
