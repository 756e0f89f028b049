package config

import (
	"cmp"
	"time"
)

// JWT lets in who has a JSON Web Token (RFC 7519).
type JWT struct {
	At       At
	JWKS     string // file or URL of the keys (RFC 7517); or
	Secret   string // file of a shared secret, for HS256
	Issuer   string // who must have made tokens; "": anybody
	Audience string // for whom they must be made; "": anybody
	Type     string // of tokens, such as at+jwt; "": any
	Cookie   string // where the token stands; "": in Authorization, as a bearer's
	Leeway   time.Duration
	MaxAge   time.Duration // since a token was made; 0: any
	Refresh  time.Duration // how often keys are looked for again
	TLS      ProviderTLS   // with who is asked for them
	TLSAt    At
	Cache    int // how many verified tokens are kept

	Claims  []Claim // that a token must have
	Forward []Claim // fields, in lower case, with the claims that upstreams get in them
}

func readJWT(p place) *JWT {
	j := &JWT{At: p.At(), Leeway: 30 * time.Second, Refresh: 5 * time.Minute, Cache: 10_000}
	found := readFields(p, j, []known[JWT]{
		// The keys (RFC 7517). Exactly one of this and `secret` is needed.
		{"jwks", func(j *JWT, p place) { j.JWKS = p.pathOrURL() }},
		// File of a shared secret, for HS256.
		{"secret", func(j *JWT, p place) { j.Secret = p.path() }},
		// Who must have issued tokens. Default: any
		{"issuer", func(j *JWT, p place) { j.Issuer = p.text() }},
		// Whom they must be for. Default: any
		{"audience", func(j *JWT, p place) { j.Audience = p.text() }},
		// Type of tokens, such as `at+jwt`. Default: any
		{"type", func(j *JWT, p place) { j.Type = p.text() }},
		// The cookie that holds the token. Default: Authorization, as a bearer's
		{"cookie", func(j *JWT, p place) { j.Cookie = p.token("cookie") }},
		// How far clocks may differ.
		{"leeway", func(j *JWT, p place) { j.Leeway = p.Duration(0, 10*time.Minute) }},
		// The age of a token. Default: any
		{"max-age", func(j *JWT, p place) { j.MaxAge = p.Duration(time.Second, 366*24*time.Hour) }},
		// How often keys are fetched again.
		{"refresh", func(j *JWT, p place) { j.Refresh = p.Duration(time.Second, 24*time.Hour) }},
		// TLS with the server of the keys.
		{"tls", func(j *JWT, p place) { j.TLS, j.TLSAt = readProviderTLS(p) }},
		// Verified tokens that are remembered.
		{"cache", func(j *JWT, p place) { j.Cache = p.Integer(0, 1_000_000) }},
		// Claims that a token must have, with their values.
		{"claims", func(j *JWT, p place) { j.Claims = readClaims(p) }},
		// Header fields that pass claims to the upstream.
		{"forward", func(j *JWT, p place) { j.Forward = readForward(p) }},
	})
	if (j.JWKS == "") == (j.Secret == "") && p.IsMapping() {
		p.Problem("such as jwks: ./jwks.json, or jwks: https://id.example/.well-known/jwks.json", "jwt needs its keys from exactly one of jwks and secret")
	}
	checkProviderTLS(found, "jwks", cmp.Or(j.JWKS, j.Secret))
	return j
}
