//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
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

// ending counts its outcome in its group.
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
	if !has {
		had = 0
	}
	k := l.keep(x)
	k.seat, k.secure = had, r.Secure
	x.join(filter.Sticky)
}

// beginning gives the client the cookie that names the endpoint whose response it gets, if it
// hasn't got that: not always the one that was asked first.
func (l sticking) beginning(c *client, _ []byte) bool {
	if x := &c.x; x.endpoint != nil && x.kept.seat != x.endpoint.ID {
		value := x.route.Sticky.AppendCookie(nil, x.route.Config.Sticky, x.endpoint.ID, x.kept.secure)
		x.fields = request.AppendField(x.fields, "Set-Cookie", value)
	}
	return false
}
