package config

import (
	"net/url"
	"slices"
	"strings"
)

// What a provider sends browsers back with is worth a login. So the route that takes it, at
// each host where one logs in, has to be one of the same client: another's upstream would be
// sent the code and the sealed login, and no login would ever end.

// checkLogins says which of a login's own paths another route takes, or none.
func (c *Config) checkLogins(r *Route, o *OIDC) *Problem {
	hosts := r.Match.Hosts
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	if u, err := url.Parse(o.Origin); err == nil && o.Origin != "" {
		hosts = []string{strings.ToLower(u.Hostname())}
	}
	for _, own := range []struct{ name, path, method string }{
		{"callback", o.Callback, "GET"}, {"login", o.Login, "GET"}, {"logout", o.Logout, "GET"}, {"back-channel-logout", o.Back, "POST"},
	} {
		if own.path == "" {
			continue
		}
		for _, host := range hosts {
			taker := c.taker(host, own.path, own.method, o)
			switch {
			case taker == nil:
				problem := o.At.Problem("add a route for it with the same oidc, or name a path that this one matches", "%s is %s, and no route with this oidc matches that", own.name, own.path)
				return &problem
			case taker.OIDC == nil || taker.OIDC.OIDCClient != o.OIDCClient:
				problem := o.At.Problem("give that route the same oidc, or name a path that it doesn't match",
					"%s is %s, and route %s takes that: its upstream would be sent what logins end with, and none would end", own.name, own.path, taker.Name)
				return &problem
			}
		}
	}
	return nil
}

// taker is the route that takes a path at a host; "" is any host that no route names. nil:
// none does. Routes with conditions that browsers needn't meet count only if they are of the
// client.
func (c *Config) taker(host, path, method string, o *OIDC) (best *Route) {
	for _, r := range c.Routes[:len(c.Routes)-c.added.routes] {
		m := &r.Match
		mine := r.OIDC != nil && r.OIDC.OIDCClient == o.OIDCClient
		conditions := len(m.Headers)+len(m.Query)+len(m.Cookies) > 0 || m.Port != 0 || m.Scheme == "http" && !o.Insecure
		if conditions && !mine || !m.Path.covers(path) || len(m.Methods) > 0 && !slices.Contains(m.Methods, method) || m.hostAt(host) < 0 {
			continue
		}
		if best == nil || r.before(best, host) {
			best = r
		}
	}
	return best
}

// before reports whether a route is tried before another one that matches too, and stands
// before it in the file.
func (r *Route) before(other *Route, host string) bool {
	if r.Priority != other.Priority {
		return r.Priority > other.Priority
	}
	if a, b := r.Match.hostAt(host), other.Match.hostAt(host); a != b {
		return a > b
	}
	if a, b := r.Match.Path.Text, other.Match.Path.Text; a != b {
		return moreSpecific(a, b)
	}
	return r.Match.Rank < other.Match.Rank
}

// hostAt is how specifically a host is matched: 0 as any is, more the longer the name; -1:
// it isn't.
func (m *Match) hostAt(host string) int {
	if len(m.Hosts) == 0 {
		return 0
	}
	best := -1
	for _, one := range m.Hosts {
		below, wild := strings.CutPrefix(one, "*")
		switch {
		case host == "":
		case one == host:
			best = max(best, 1000)
		case wild && strings.HasSuffix(host, below) && host != one:
			best = max(best, len(below))
		}
	}
	return best
}

// moreSpecific compares two patterns that match the same path: where they first differ a
// text is more specific than a parameter, and that more than any rest.
func moreSpecific(a, b string) bool {
	rank := func(s string) int {
		switch {
		case s == "" || s[0] != '*' && s[0] != '{':
			return 2
		case s[0] == '{':
			return 1
		}
		return 0
	}
	for a != "" && b != "" && a[0] == b[0] && a[0] != '{' && a[0] != '*' {
		a, b = a[1:], b[1:]
	}
	if rank(a) == 1 && rank(b) == 1 {
		return moreSpecific(a[strings.IndexByte(a, '}')+1:], b[strings.IndexByte(b, '}')+1:])
	}
	return rank(a) > rank(b)
}

// checkCookies refuses two clients that overwrite each other's sessions at a host.
func (c *Config) checkCookies(in *input) {
	var all []*Route
	for _, r := range c.Routes {
		if r.OIDC == nil {
			continue
		}
		for _, other := range all {
			a, b := &r.OIDC.OIDCClient, &other.OIDC.OIDCClient
			if (a.Issuer != b.Issuer || a.ID != b.ID) && sharesCookie(a.Cookie, b.Cookie) && a.Insecure == b.Insecure && sharesHost(&r.Match, &other.Match) {
				in.Problems = append(in.Problems, r.OIDC.At.Problem("give one of them another name, or leave it out: then it goes by issuer and client",
					"the cookie %s is that of another client, of route %s: at a host of both each login would overwrite the other's session", a.Cookie, other.Name))
				return
			}
		}
		all = append(all, r)
	}
}

// sharesCookie reports whether two sessions have a cookie in common: large ones have more
// than one, and logins that are under way have their own.
func sharesCookie(a, b string) bool {
	within := func(name, of string) bool {
		rest, ok := strings.CutPrefix(name, of)
		return ok && slices.Contains([]string{"", "-1", "-2", "-login-0", "-login-1", "-login-2"}, rest)
	}
	return within(a, b) || within(b, a)
}

// sharesHost reports whether both may be asked at one host.
func sharesHost(a, b *Match) bool {
	if len(a.Hosts) == 0 || len(b.Hosts) == 0 {
		return true
	}
	for _, host := range a.Hosts {
		if b.hostAt(host) >= 0 {
			return true
		}
	}
	return slices.ContainsFunc(b.Hosts, func(host string) bool { return a.hostAt(host) >= 0 })
}
