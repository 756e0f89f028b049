//go:build linux

package proxy

import (
	"strconv"
	"time"

	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/upstream"
)

// dividing gives a canary its share of the requests.
type dividing struct{ *loop }

func (l dividing) chooseUpstream(c *client) {
	x := &c.x
	yes, ticket := x.route.Canary.Draw(&l.req, &l.local)
	l.keep(x).group = ticket
	x.join(filter.Canary)
	if yes {
		x.upstream = x.route.CanaryTo
	}
}

// ending counts what came of it in its group.
func (l dividing) ending(c *client) { c.x.kept.group.Ended(&c.x.outcome) }

// sticking has clients come back to the endpoint that they had, by a cookie.
type sticking struct{ *loop }

func (l sticking) chooseEndpoint(c *client) {
	x, r := &c.x, &l.req
	s := x.route.Config.Sticky
	value, has := r.Cookie(s.Cookie)
	had := uint64(0)
	if has {
		had, has = x.route.Sticky.Read(value)
	}
	if has {
		x.endpoint = x.upstream.Set().Find(had)
	}
	if x.endpoint == nil {
		x.endpoint = x.upstream.Pick(r, &l.local, nil)
	}
	if x.endpoint != nil && !(has && had == x.endpoint.ID) {
		l.setCookie(x, x.endpoint)
	}
}

// setCookie gives the client the cookie that names its endpoint.
func (l sticking) setCookie(x *exchange, e *upstream.Endpoint) {
	r, s := &l.req, x.route.Config.Sticky
	value := append([]byte(s.Cookie), '=')
	value = append(x.route.Sticky.Append(value, e.ID), "; Path=/; HttpOnly; SameSite=Lax"...)
	if r.Secure {
		value = append(value, "; Secure"...)
	}
	if s.For > 0 {
		value = append(value, "; Max-Age="...)
		value = strconv.AppendInt(value, int64(s.For/time.Second), 10)
	}
	r.Respond("Set-Cookie", value)
}
