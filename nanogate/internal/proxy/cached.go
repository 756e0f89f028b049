//go:build linux

package proxy

import (
	"bytes"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/translate"
)

// caching is the cache's part of a loop: what it reads of a request and its response.
type caching struct {
	*loop

	asked         cache.RequestFields
	sent          cache.UpstreamRequest
	coming        cache.UpstreamResponse
	url           []byte    // that a request asks for
	kind          cache.Key // of a route's requests that is kept apart from others
	chosen        []byte    // what a request has in the fields by which responses differ
	turn          uint64    // of those that look for what is stored
	revalidations int       // background requests that revalidate what is stored
}

// Of a route that stores responses, requests come here after their guards and limits. What
// is stored is given by stored.go; requests that wait for one another are in suspend.go; their
// responses are stored by storing.go.

// cached is what the cache keeps of an exchange.
type cached struct {
	asking   *asking // the upstream is asked for what is stored; nil: it isn't
	rest     []byte  // of a response that is stored, what the client hasn't been given
	patience int64   // until when it waits for another like it, ns; 0: it hasn't; below: see [shared]
}

// asking is a request that the upstream is asked for although the route stores responses,
// and what is known of it for storing the response.
type asking struct {
	rules *snapshot.Caching
	asked cache.RequestFields // of the request, copied
	key   cache.Key
	kind  cache.Key // of its route's requests
	url   []byte
	epoch uint64

	stale      *cache.Response // what is stored for it; nil: nothing
	validating bool            // the upstream is asked whether that is good still
	fill       *cache.Fill     // nil: nothing is being stored
	muted      bool            // the client has got a 304, and what comes is for the store only

	flight *cache.Flight      // that others wait for; nil: none can
	landed cache.FlightResult // how it ends
	result cache.Result
	why    string   // the upstream is asked, as RFC 9211 has it
	ends   *endings // of the request whose client already has what is stored; nil: its end is reported to none
}

var replyNotStored = request.Refuse(504, "nothing is stored for this request, and only that was asked for", "").For(request.RefusedNotStored)

// respond gives what is stored for a request, or has it wait for another's response. It reports
// whether it is dealt with; else the upstream is to be asked.
func (l *caching) respond(c *client) bool {
	x, r := &c.x, &l.req
	rules, a := x.route.Cache, &l.asked
	why := "bypass"
	if x.method != head && (x.method != safe || len(r.Method()) != len("GET")) {
		why = "method"
	}
	a.Read(r, rules.Obey)
	l.url = cache.AppendURL(l.url[:0], r)
	if why == "method" || len(l.url) == 0 || x.upgrade || c.grpc || !x.body.Done() || a.Control.NoStore || a.Foreign {
		l.bypass(x, why)
		return false
	}
	key := rules.Store.KeyOf(l.url)
	l.kind = l.kindOf(c, rules)
	l.sent = cache.UpstreamRequest{Request: r, Strip: &x.route.Identity, Drop: x.route.Request.Drop, Lines: x.route.Request.Lines}
	return l.lookUp(c, key, why)
}

// lookUp gives what is stored under a key, has the request wait, or readies it for the upstream.
func (l *caching) lookUp(c *client, key cache.Key, why string) bool {
	x, a := &c.x, &l.asked
	rules, patience := x.route.Cache, l.keep(x).cached.patience
	var m *asking
	for range 3 { // until the store agrees with the requests that are under way
		v, known := l.find(rules, key)
		if v != nil && l.giveIfGood(c, v, key, known) {
			return true
		}
		if a.Control.OnlyIfCached {
			l.heads.refuse(c, replyNotStored)
			return true
		}
		if x.method == head || a.Range != nil {
			l.bypass(x, why)
			return false
		}
		m = &asking{rules: rules, key: key, kind: l.kind, stale: v, why: reason(v, known, a), result: cache.Miss}
		if v != nil {
			m.result = cache.Expired
		}
		if a.Authorized || rules.Wait == 0 || patience < 0 {
			break
		}
		kind := rules.Store.FlightKey(key, l.kind, known, &l.sent, &l.chosen)
		flight, leads := rules.Store.Lead(kind, l.now)
		if flight == nil {
			break
		}
		if leads {
			if again, _ := l.find(rules, key); again != v { // another loop has just stored it
				flight.End(cache.Stored, 0)
				continue
			}
			m.flight = flight
			break
		}
		waits, ended := l.suspensions.waitFor(c, flight)
		if waits {
			return true
		}
		if !ended {
			break
		}
	}
	l.ask(x, m)
	return false
}

// kindOf distinguishes requests of a route to which the upstream may respond differently though
// neither the URL nor Vary need say so: by what a trusted proxy says that a client asked it
// for, which balancers pass on as clients send it, and by the side of a canary that is asked
// for by name.
func (l *caching) kindOf(c *client, rules *snapshot.Caching) cache.Key {
	r, said := &l.req, l.chosen[:0]
	if c.conn().trusted {
		for i := range r.Head.Fields {
			f := &r.Head.Fields[i]
			if name := f.Name.Of(r.Buf); translate.AskedBefore(name) {
				said = append(appendLower(append(said, '\n'), name), ':')
				said = append(said, f.Value.Of(r.Buf)...)
			}
		}
	}
	if canary := c.x.route.Canary; canary != nil {
		said = append(append(said, '\r'), canary.Requested(r)...)
	}
	if l.chosen = said; len(said) == 0 {
		return rules.Route
	}
	of := rules.Store.KeyOf(said)
	return cache.Key{rules.Route[0] ^ of[0], rules.Route[1] ^ of[1]}
}

// appendLower appends a name in lower case.
func appendLower(dst, name []byte) []byte {
	for _, b := range name {
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}

// bypass notes that neither is a stored response looked for nor the next one stored.
func (l *caching) bypass(x *exchange, why string) {
	x.route.Cache.Counts.Of(l.local.Loop).Count(cache.Bypass)
	if x.route.Cache.CacheStatus {
		l.req.Respond("Cache-Status", append(append(l.chosen[:0], "nanogate; fwd="...), why...))
	}
}

// find looks for what is stored for the loop's request.
func (l *caching) find(rules *snapshot.Caching, key cache.Key) (v *cache.Response, known []byte) {
	l.turn++
	v, known = rules.Store.Find(key, l.url, l.kind, &l.sent, &l.chosen, l.turn)
	if v != nil && l.asked.Authorized && !v.Open() { // RFC 9111 3.5
		return nil, known
	}
	return v, known
}

// reason is why the upstream is asked.
func reason(v *cache.Response, known []byte, a *cache.RequestFields) string {
	switch {
	case v != nil && (a.Control.NoCache || a.Control.MaxAge >= 0 || a.Control.MinFresh >= 0):
		return "request"
	case v != nil:
		return "stale"
	case known != nil:
		return "vary-miss"
	}
	return "uri-miss"
}

// giveIfGood gives what is stored, if that may be. It reports whether it did.
func (l *caching) giveIfGood(c *client, v *cache.Response, key cache.Key, known []byte) bool {
	x := &c.x
	result := cache.Hit
	switch x.route.Cache.Judge(v, &l.asked, l.now) {
	case cache.Give:
		if x.kept.cached.patience == shared {
			result = cache.Coalesced
		}
		l.giveStored(c, v, &l.asked, result, 0)
	case cache.GiveStale:
		l.giveStored(c, v, &l.asked, cache.HitStale, 0)
	case cache.GiveAndRefresh:
		l.giveAndRefresh(c, v, key, known)
	default:
		return false
	}
	return true
}

// ask prepares the request for the upstream: its conditions are about the stored response, not
// about the one that the client has (RFC 9111 4.3.1).
func (l *caching) ask(x *exchange, m *asking) {
	r, a := &l.req, &l.asked
	m.url, m.epoch = bytes.Clone(l.url), m.rules.Store.Epoch()
	m.asked = cache.RequestFields{Control: a.Control, Authorized: a.Authorized, NoneMatch: bytes.Clone(a.NoneMatch), ModifiedSince: bytes.Clone(a.ModifiedSince)}
	if a.Conditional() {
		r.Drop("if-none-match")
		r.Drop("if-modified-since")
	}
	if v := m.stale; v != nil {
		if v.ETag != nil {
			r.Forward("if-none-match", v.ETag)
		}
		if v.Modified != nil {
			r.Forward("if-modified-since", v.Modified)
		}
		m.validating = v.Validators()
	}
	l.keep(x).cached.asking = m
	x.join(filter.Cache)
}

// ending is done with it.
func (l *caching) ending(c *client) {
	x := &c.x
	m := x.kept.cached.asking
	if m.fill != nil {
		m.fill.Abandon()
	}
	if m.flight != nil {
		if x.outcome.Failed == request.ClientGone && m.landed == cache.Private {
			m.landed = cache.Left
		}
		m.flight.End(m.landed, 0)
	}
	m.rules.Counts.Of(l.local.Loop).Count(m.result)
	if m.ends != nil {
		l.exchanges.tellEnds(m.ends, nil)
	}
}

// invalidating has what requests change not be given any more (RFC 9111 4.4), of all routes.
type invalidating struct{ *loop }

// respond notes a request that may change what is stored.
func (l invalidating) respond(c *client) bool {
	x := &c.x
	if x.method == other || x.method == idempotent {
		k := l.keep(x)
		if k.changes = cache.AppendURL(k.changes[:0], &l.req); len(k.changes) > 0 {
			x.join(filter.Invalidate)
		}
	}
	return false
}

// beginning takes out what a response to such a request makes invalid.
func (l invalidating) beginning(c *client, b []byte) bool {
	x, store := &c.x, l.snap.Cache
	if store == nil || l.resp.Status < 200 || l.resp.Status >= 400 {
		return false
	}
	store.Invalidate(store.KeyOf(x.kept.changes))
	for i := range l.resp.Fields {
		f := &l.resp.Fields[i]
		if name := f.Name.Of(b); http1.EqualFold(name, "location") || http1.EqualFold(name, "content-location") {
			store.InvalidateBy(x.kept.changes, f.Value.Of(b), request.Keeps(l.snap.Config.Paths))
		}
	}
	return false
}

// Patience is how long a request waits for another one: until a time, or one of these.
const (
	shared    = -1 // not any more: it has got the other's response
	impatient = -2 // not any more
)

// privateFor is how long requests of a kind don't wait for each other when a response to one
// of them wasn't for all.
const privateFor = 10 * time.Second
