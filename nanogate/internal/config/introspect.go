package config

import "time"

// Introspect lets in who has a token that its server says is good (RFC 7662).
type Introspect struct {
	At       At
	URL      string // of the server's endpoint
	ID       string // the gateway, as the server calls it
	Secret   string // the file of its secret
	Audience string // for whom tokens must be made; "": anybody
	Issuer   string // who must have made them; "": anybody
	Cookie   string // where the token stands; "": in Authorization, as a bearer's
	Timeout  time.Duration
	Keep     time.Duration // how long a response is valid, at most
	Refused  time.Duration // in the same way, of a token that is no good
	TLS      ProviderTLS   // with the server
	TLSAt    At
	Cache    int // how many responses are kept

	Claims  []Claim // that the response must have
	Forward []Claim // fields, in lower case, with the claims that upstreams get in them
}

func readIntrospect(p place) *Introspect {
	i := &Introspect{At: p.At(), Timeout: 5 * time.Second, Keep: time.Minute, Refused: 5 * time.Second, Cache: 10_000}
	found := readFields(p, i, []known[Introspect]{
		// The endpoint (RFC 7662). Default: required
		{"url", func(i *Introspect, p place) { i.URL = p.webURL("https://id.example/oauth2/introspect") }},
		// The gateway's name at the server. Default: required
		{"client-id", func(i *Introspect, p place) { i.ID = p.text() }},
		// File of its secret. Default: required
		{"client-secret", func(i *Introspect, p place) { i.Secret = p.secretFile() }},
		// Whom tokens must be for. Default: any
		{"audience", func(i *Introspect, p place) { i.Audience = p.text() }},
		// Who must have issued them. Default: any
		{"issuer", func(i *Introspect, p place) { i.Issuer = p.text() }},
		// The cookie that holds the token. Default: Authorization, as a bearer's
		{"cookie", func(i *Introspect, p place) { i.Cookie = p.token("cookie") }},
		// For a response of the server.
		{"timeout", func(i *Introspect, p place) { i.Timeout = p.Duration(10*time.Millisecond, time.Minute) }},
		// How long a positive response is valid, at most.
		{"keep", func(i *Introspect, p place) { i.Keep = p.Duration(0, 24*time.Hour) }},
		// TLS with the server.
		{"tls", func(i *Introspect, p place) { i.TLS, i.TLSAt = readProviderTLS(p) }},
		// How long a negative response is valid.
		{"refused", func(i *Introspect, p place) { i.Refused = p.Duration(0, time.Hour) }},
		// Responses that are remembered.
		{"cache", func(i *Introspect, p place) { i.Cache = p.Integer(0, 1_000_000) }},
		// Members that the response must have, with their values.
		{"claims", func(i *Introspect, p place) { i.Claims = readClaims(p) }},
		// Header fields that pass members of the response to the upstream.
		{"forward", func(i *Introspect, p place) { i.Forward = readForward(p) }},
	})
	for _, need := range []struct{ name, hint string }{
		{"url", "such as url: https://id.example/oauth2/introspect"},
		{"client-id", "the name that the gateway is registered by at the server"},
		{"client-secret", "such as client-secret: ./client-secret"},
	} {
		if _, ok := found[need.name]; !ok && p.IsMapping() {
			p.Problem(need.hint, "introspect needs %s", need.name)
		}
	}
	checkProviderTLS(found, "url", i.URL)
	return i
}
