package guard

// Asker is a guard that asks others over the network. ok is false if it doesn't, as what it
// needs stands in files.
type Asker interface{ Asked() (a Asked, ok bool) }

// Asked is whom a guard asks, and how that goes.
type Asked struct {
	Guard   string // its kind
	Where   string // URL
	Ready   bool   // what it needs is known
	Err     string // of the last time it asked; "": it went well, or it hasn't asked yet
	Logouts int    // of people and sessions that are remembered
}

// text is what an error says, if there is one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Asked is where keys come from.
func (g *JWT) Asked() (a Asked, ok bool) {
	if g.asks == nil {
		return a, false
	}
	return Asked{Guard: "jwt", Where: g.rules.JWKS, Ready: g.source.Get() != nil, Err: text(g.source.Err())}, true
}

// Asked is who is asked about tokens.
func (g *Introspect) Asked() (a Asked, ok bool) {
	a = Asked{Guard: "introspect", Where: g.rules.URL}
	if err := g.trouble.Load(); err != nil {
		a.Err = (*err).Error()
	}
	a.Ready = a.Err == ""
	return a, true
}

// Asked is the identity provider.
func (o *OIDC) Asked() (a Asked, ok bool) {
	return Asked{Guard: "oidc", Where: o.rules.Issuer, Ready: o.client.Ready(), Err: text(o.client.Trouble()), Logouts: o.client.Logouts()}, true
}
