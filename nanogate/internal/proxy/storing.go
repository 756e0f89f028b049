//go:build linux

package proxy

import (
	"slices"

	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/request"
)

// coming tells the cache about the response whose head was parsed from b. It reads
// the request again from its head as it was sent.
func (l *caching) comingFor(x *exchange, m *asking, b []byte) *cache.UpstreamResponse {
	l.named.Read(l.resp.Fields, b)
	sent := l.heads.reread(x)
	l.sent = cache.UpstreamRequest{Request: sent}
	_, cookies := sent.Header("cookie")
	l.coming = cache.UpstreamResponse{
		Head: &l.resp, Buf: b, Named: &l.named, Drop: responseDrop(x), Sent: &l.sent, Route: m.kind,
		Authorized: m.asked.Authorized, Cookies: cookies, Requested: x.tried, Now: l.now, Wall: l.Sys.Wall().Unix(),
	}
	return &l.coming
}

// responded looks at a response before it is passed on. A response that validates the stored
// one doesn't go on, nor does one that the stored one replaces.
func (l *caching) responded(c *client, k *backend, b, rest []byte, _ tail) ([]byte, bool) {
	x, m := &c.x, c.x.kept.cached.asking
	status := l.resp.Status
	switch {
	case status == 304 && m.validating:
	case l.mayGiveInstead(m, status):
		l.attempts.over(c, status, request.OK)
		l.giveInstead(c, status)
		return nil, false
	default:
		return b, true
	}
	v := m.rules.Store.Freshen(&m.rules.Policy, m.key, m.url, m.epoch, m.stale, l.comingFor(x, m, b))
	if v == nil { // it is about a response that isn't stored
		l.attempts.over(c, status, request.OK)
		m.stale, m.validating = nil, false
		x.head, x.headIn = cache.WithoutConditions(x.head), false
		l.attempts.begin(c)
		return nil, false
	}
	l.letGo(c, k, len(rest) > 0)
	m.landed, m.result = cache.Stored, cache.Revalidated
	l.giveStored(c, v, &m.asked, cache.Revalidated, status)
	return nil, false
}

// refusing gives what is stored in place of a failure.
func (l *caching) refusing(c *client, a *request.Reply) (*request.Reply, bool) {
	if l.mayGiveInstead(c.x.kept.cached.asking, a.Status) {
		l.giveInstead(c, a.Status)
		return nil, false
	}
	return a, true
}

// breaking ends an exchange whose client has everything: what broke off was only for the store.
func (l *caching) breaking(c *client, _ request.Failure) bool {
	if !c.x.kept.cached.asking.muted {
		return false
	}
	l.endMuted(c)
	return true
}

// letGo gives the connection back after a response without a body that isn't passed on.
func (l *caching) letGo(c *client, k *backend, more bool) {
	x, h := &c.x, &l.resp
	k.headDone, k.toEnd, k.keep = true, false, h.KeepAlive && !more
	k.body.StartResponse(h)
	l.bodies.headCame(x)
	if len(x.upstream.Detectors) > 0 {
		l.attempts.told(x, h.Status, request.OK)
	}
	l.exchanges.partFrom(c, k)
}

// mayGiveInstead reports whether what is stored may be given in place of a failure, which
// a client would see as that status.
func (l *caching) mayGiveInstead(m *asking, status int) bool {
	return m.stale != nil && slices.Contains(failures, status) && m.rules.InPlace(m.stale, &m.asked.Control, l.now)
}

var failures = []int{500, 502, 503, 504} // RFC 5861 4

// giveInstead gives it.
func (l *caching) giveInstead(c *client, status int) {
	c.x.outcome.Instead = status
	l.giveStored(c, c.x.kept.cached.asking.stale, &c.x.kept.cached.asking.asked, cache.Saved, status)
}

// beginning begins to store the response whose head was parsed from b, if it may be stored. The
// client may have all of it.
func (l *caching) beginning(c *client, b []byte) bool {
	x := &c.x
	m := x.kept.cached.asking
	coming := l.comingFor(x, m, b)
	m.fill = m.rules.Store.Begin(&m.rules.Policy, m.key, m.url, m.epoch, coming)
	if m.fill == nil {
		l.giveUpStoring(m)
	} else {
		m.muted = m.fill.Response().Unchanged(m.asked.NoneMatch, m.asked.ModifiedSince)
	}
	if m.rules.CacheStatus {
		x.fields = cache.AppendForwarded(x.fields, m.why, m.fill != nil)
	}
	if m.muted {
		l.notModified(c)
	}
	return m.muted
}

// giveUpStoring lets those that wait for the response ask by themselves. If it is no
// failure, it isn't for all, and those that come don't wait for each other either.
func (l *caching) giveUpStoring(m *asking) {
	m.fill = nil
	if m.flight == nil {
		return
	}
	until := l.now + int64(privateFor)
	if l.resp.Status >= 500 {
		until = 0
	}
	m.flight.End(cache.Private, until)
	m.flight = nil
}

// downloading stores a piece of the response's content; done says that it is the last.
func (l *caching) downloading(c *client, k *backend, piece []byte, done bool) ([]byte, bool) {
	m := c.x.kept.cached.asking
	if m.fill != nil && !m.fill.Write(piece) {
		l.giveUpStoring(m)
	}
	if _, trailers := k.body.Trailers(); done && m.fill != nil && len(trailers)+len(k.trailers) == 0 {
		if m.fill.Finish() != nil {
			m.rules.Counts.Of(l.local.Loop).Stored()
			m.landed = cache.Stored
		}
		m.fill = nil
	}
	if m.muted {
		return nil, true
	}
	return piece, true
}

// endMuted ends the exchange of a client that has got a 304, while the response that came with
// it isn't stored after all.
func (l *caching) endMuted(c *client) {
	l.exchanges.endWith(c, nil)
}

// notModified writes the head of a 304 in place of the response that is being stored.
func (l *caching) notModified(c *client) {
	x := &c.x
	out := x.kept.cached.asking.fill.Response().AppendNotModified(l.out, l.now)
	x.outcome.Status = 304
	l.out = endHead(append(out, x.fields...), x)
}
