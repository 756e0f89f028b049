package config

import (
	"slices"
	"strings"
)

// Fields that say plainly who somebody is, such as X-User-Id: 42, are believed by many
// services, and anybody can send them. So the gateway takes them out of what clients
// send, on every route, and puts them in only from what a guard has verified. A file that
// relies on what a client says of itself is refused, unless its route says so.

// identityFields are those of which it is known, in lower case; a file may name others.
var identityFields = []string{"x-user-id", "x-userid", "x-uid", "x-account-id", "x-customer-id", "x-member-id", "x-tenant-id"}

// Identity is where a route's field that says who somebody is comes from.
type Identity struct {
	At    At
	Field string // in lower case
	From  string // one of [identitySources], jwt.CLAIM and so on, or client: what the client says, unverified
}

// claimSources are guards that find claims: jwt.CLAIM and so on are sources.
var claimSources = []string{"jwt", "introspect", "oidc"}

// identitySources are where an identity can come from, apart from the claims of tokens: names
// in the client's certificate, the name of its key, and the user whose password it gave.
var identitySources = []string{"client", "mtls.dns", "mtls.uri", "mtls.cn", "keys.name", "basic.user"}

func readIdentity(p place) (all []Identity) {
	for _, f := range p.fields() {
		i := Identity{f.value.At(), strings.ToLower(readFieldName(f.named, f.key)), f.value.text()}
		kind, what, _ := strings.Cut(i.From, ".")
		if i.From != "" && !slices.Contains(identitySources, i.From) && (what == "" || !slices.Contains(claimSources, kind)) {
			f.value.Problem("such as {x-user-id: jwt.sub}; client is what the client says, which anybody can", "expected jwt.CLAIM, introspect.CLAIM, oidc.CLAIM, %s or client, got %s", strings.Join(identitySources[1:], ", "), form.Quote(i.From))
		}
		all = append(all, i)
	}
	return all
}

// readIdentityNames reads which fields say who somebody is.
func readIdentityNames(p place) (names []string) {
	const most = 32 // each field of each request is held against them
	names = []string{}
	items := p.list()
	if len(items) > most {
		p.Problem("", "expected at most %d fields, got %d", most, len(items))
		return names
	}
	for _, item := range items {
		names = append(names, strings.ToLower(readFieldName(item, item.token("header field"))))
	}
	return names
}

// identify gives each route its rule: which fields are taken out of requests, and which
// guard puts which in.
func (c *Config) identify(in *input, routes []*Route) {
	c.IdentityText = strings.Join(c.Identity, " ")
	for _, r := range routes {
		r.Strip = nil
		for _, name := range c.Identity {
			if !r.believes(name) {
				r.Strip = append(r.Strip, name)
			}
		}
		for _, i := range r.Identity {
			if problem := r.verify(&i); problem != nil {
				in.Problems = append(in.Problems, *problem)
			}
		}
		r.checkBelieved(c, in)
	}
}

// believes reports whether the route takes the field as the client sends it.
func (r *Route) believes(name string) bool {
	return slices.ContainsFunc(r.Identity, func(i Identity) bool { return i.Field == name && i.From == "client" })
}

// verify has the guard that verifies it put a field in.
func (r *Route) verify(i *Identity) *Problem {
	lacks := func(guard string) *Problem {
		problem := i.At.Problem("add "+guard+" to the route", "%s is to come from %s, and nothing on this route verifies that", i.Field, i.From)
		return &problem
	}
	kind, what, _ := strings.Cut(i.From, ".")
	switch kind {
	case "jwt":
		if r.JWT == nil {
			return lacks(kind)
		}
		r.JWT.Forward = append(r.JWT.Forward, Claim{what, i.Field, true})
	case "introspect":
		if r.Introspect == nil {
			return lacks(kind)
		}
		r.Introspect.Forward = append(r.Introspect.Forward, Claim{what, i.Field, true})
	case "oidc":
		if r.OIDC == nil {
			return lacks(kind)
		}
		r.OIDC.Forward = append(r.OIDC.Forward, Claim{what, i.Field, true})
	case "mtls":
		if r.MTLS == nil {
			return lacks(kind)
		}
		r.MTLS.Forward = append(r.MTLS.Forward, Claim{what, i.Field, true})
	case "keys":
		if r.Keys == nil {
			return lacks(kind)
		}
		if r.Keys.Forward != "" && r.Keys.Forward != i.Field {
			problem := i.At.Problem("", "the key's name goes on as %s already", r.Keys.Forward)
			return &problem
		}
		r.Keys.Forward = i.Field
	case "basic":
		if r.Basic == nil {
			return lacks(kind)
		}
		if r.Basic.Forward != "" && r.Basic.Forward != i.Field {
			problem := i.At.Problem("", "the user's name goes on as %s already", r.Basic.Forward)
			return &problem
		}
		r.Basic.Forward = i.Field
	}
	return nil
}

// verified reports whether a guard of the route puts the field in.
func (r *Route) verified(name string) bool {
	return r.Keys != nil && r.Keys.Forward == name || r.Basic != nil && r.Basic.Forward == name ||
		r.MTLS != nil && carries(r.MTLS.Forward, name) || r.JWT != nil && carries(r.JWT.Forward, name) ||
		r.Introspect != nil && carries(r.Introspect.Forward, name) || r.OIDC != nil && carries(r.OIDC.Forward, name)
}

// carries reports whether claims go on in a field of that name.
func carries(claims []Claim, field string) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool { return c.Value == field })
}

// checkBelieved refuses what relies on a field that only the client vouches for.
func (r *Route) checkBelieved(c *Config, in *input) {
	check := func(at At, name, what string, before bool) {
		if !slices.Contains(r.Strip, name) || !before && r.verified(name) {
			return
		}
		in.Problems = append(in.Problems, at.Problem("have a guard say it, such as identity: {"+name+": jwt.sub}, or allow it by identity: {"+name+": client}",
			"%s by %s, which anybody can send: it is taken out of requests", what, name))
	}
	for i := range r.Match.Headers {
		check(r.At, r.Match.Headers[i].Name, "the route matches", true)
	}
	for i := range r.Rates {
		if r.Rates[i].Key == RateHeader {
			check(r.At, r.Rates[i].Name, "a limit counts", r.Rates[i].Early)
		}
	}
	if r.Importance.Header != "" {
		check(r.At, r.Importance.Header, "importance goes", true)
	}
	for i := range r.To {
		for _, u := range c.Upstreams {
			if u.Name == r.To[i].Upstream && r.To[i].Direct == nil && u.Balance.Kind == Hash && u.Balance.Key == HashHeader {
				check(r.At, u.Balance.Name, "requests to "+u.Name+" are balanced", false)
			}
		}
	}
}
