package guard

// Remote is a guard that may use other servers. ok is false if it doesn't, as what it needs
// is in files.
type Remote interface {
	RemoteStatus() (a RemoteStatus, ok bool)
}

// RemoteStatus is which service a guard queries, and whether that works.
type RemoteStatus struct {
	Guard   string // its kind
	Where   string // URL
	Ready   bool   // what it needs is known
	Err     string // of the last request; "": it succeeded, or there was none yet
	Logouts int    // of people and sessions that are remembered
}

// text is what an error says, if there is one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// RemoteStatus is where keys come from.
func (g *JWT) RemoteStatus() (a RemoteStatus, ok bool) {
	if g.asks == nil {
		return a, false
	}
	return RemoteStatus{Guard: "jwt", Where: g.rules.JWKS, Ready: g.source.Get() != nil, Err: text(g.source.Err())}, true
}

// RemoteStatus is the state of the introspection server.
func (g *Introspect) RemoteStatus() (a RemoteStatus, ok bool) {
	a = RemoteStatus{Guard: "introspect", Where: g.rules.URL}
	if err := g.trouble.Load(); err != nil {
		a.Err = (*err).Error()
	}
	a.Ready = a.Err == ""
	return a, true
}

// RemoteStatus is the identity provider.
func (o *OIDC) RemoteStatus() (a RemoteStatus, ok bool) {
	return RemoteStatus{Guard: "oidc", Where: o.rules.Issuer, Ready: o.client.Ready(), Err: text(o.client.Trouble()), Logouts: o.client.Logouts()}, true
}
