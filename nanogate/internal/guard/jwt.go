package guard

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dyno.example/nano/jwt"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/refresh"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/secure"
)

// JWT admits requests with a valid JSON Web Token. A token that was verified is
// remembered, with the fields for upstreams, until it expires or the keys change:
// verifying a signature takes up to a hundred microseconds of the loop.
type JWT struct {
	rules    config.JWT
	source   *refresh.Source[keys] // nil: a secret, which doesn't change
	asks     *secure.Transport     // nil: keys come from a file
	fixed    *keys
	verified *verified
	now      func() time.Time

	missing, lacking, notReady *request.Reply
	invalid                    [request.Refusals]*request.Reply // the same for all that is wrong with a token

	keeps bool // claims, if a later rule or middleware needs them
}

// KeepClaims has requests keep what was verified of them, and tokens that are remembered
// what they say.
func (g *JWT) KeepClaims() { g.keeps = true }

// keys are what tokens are verified with, and everything that hangs on it.
type keys struct{ verifier *jwt.Verifier }

// NewJWT makes the guard. A file that can't be used is an error. Keys that come from a
// URL are there some time after [JWT.Start]: until then requests are refused with 503.
func NewJWT(rules *config.JWT) (*JWT, error) {
	g := &JWT{
		rules:    *rules,
		verified: newVerified(rules.Cache),
		now:      time.Now,
		missing:  request.Refuse(401, "missing bearer token", "WWW-Authenticate: Bearer\r\n").For(request.RefusedNoToken),
		lacking:  request.Refuse(403, "the token does not allow this", "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n").For(request.RefusedTokenClaims),
		notReady: request.Refuse(503, "tokens can't be verified yet", "Retry-After: 1\r\n").For(request.RefusedTokenNoKeys),
	}
	invalid := request.Refuse(401, "the token is not valid", "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
	for why := request.RefusedToken; why <= request.RefusedTokenClaim; why++ {
		g.invalid[why] = invalid.For(why)
	}
	var err error
	switch {
	case rules.Secret != "":
		g.fixed, err = g.secret()
	case !strings.Contains(rules.JWKS, "://"):
		g.source, err = refresh.File(rules.JWKS, g.set)
	default:
		if g.asks, err = secure.NewTransport(rules.TLS, rules.TLSAt); err == nil {
			g.source = refresh.URL(rules.JWKS, rules.Refresh, g.asks, g.set)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("jwt: %w", err)
	}
	return g, nil
}

// Start begins to fetch keys.
func (g *JWT) Start() {
	if g.source != nil {
		g.source.Start()
	}
}

// secret reads the file of a shared secret; a newline at its end is none of it.
func (g *JWT) secret() (*keys, error) {
	b, err := os.ReadFile(g.rules.Secret)
	if err != nil {
		return nil, err
	}
	found := jwt.Keys{"": {Algorithm: "HS256", Key: bytes.TrimRight(b, "\r\n")}}
	if err := found.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", g.rules.Secret, err)
	}
	return g.with(anyID{found[""]}), nil
}

// anyID is one key, whatever a token calls it.
type anyID struct{ key jwt.Key }

func (a anyID) Find(string) (jwt.Key, bool) { return a.key, true }

// set reads a JWK Set.
func (g *JWT) set(b []byte) (*keys, error) {
	found, err := jwt.ParseJWKS(b)
	if err != nil {
		return nil, err
	}
	if _, named := found[""]; len(found) == 1 && !named {
		for _, only := range found { // a token needn't name the one key there is
			found[""] = only
		}
	}
	return g.with(found), nil
}

func (g *JWT) with(source jwt.KeySource) *keys {
	leeway := g.rules.Leeway
	if leeway == 0 {
		leeway = -1 // none
	}
	return &keys{jwt.NewVerifier(jwt.Config{
		Keys: source, Issuer: g.rules.Issuer, Audience: g.rules.Audience, Type: g.rules.Type,
		Leeway: leeway, MaxAge: g.rules.MaxAge, Now: func() time.Time { return g.now() },
	})}
}

// current returns the keys there are, nil if none are yet.
func (g *JWT) current() *keys {
	if g.source == nil {
		return g.fixed
	}
	return g.source.Get()
}

// Check refuses requests without a valid token.
func (g *JWT) Check(r *request.Request) *request.Reply {
	token := bearer(r, g.rules.Cookie)
	if len(token) == 0 {
		return g.missing
	}
	now := g.current()
	if now == nil {
		return g.notReady
	}
	p := g.verified.find(token, now, g.now())
	if p == nil {
		var why request.Refusal
		if p, why = g.verify(token, now); p == nil {
			return g.invalid[why]
		}
	}
	carry(r, g.rules.Forward, p.forward)
	if !p.allowed {
		return g.lacking
	}
	if p.unclear {
		return replyUnclear
	}
	if g.keeps {
		r.Verified("jwt", p.claims)
	}
	return nil
}

// verify verifies a token that isn't remembered; nil, and why, if it isn't valid.
func (g *JWT) verify(token []byte, with *keys) (*credential, request.Refusal) {
	claims, err := with.verifier.Verify(token)
	if err != nil {
		if errors.Is(err, jwt.ErrUnknownKey) && g.source != nil {
			g.source.Hurry() // keys may have been rotated
		}
		return nil, reasonOf(err)
	}
	p := &credential{with: with, from: g.now().Round(0), until: g.until(claims), allowed: allows(g.rules.Claims, claims)}
	p.carries(g.rules.Forward, claims)
	if g.keeps {
		p.claims = request.Claims(claims)
	}
	g.verified.keep(token, p)
	return p, request.NotRefused
}

// reasonOf is why a token isn't valid. One that has several things wrong has the first.
func reasonOf(err error) request.Refusal {
	for _, one := range []struct {
		err error
		why request.Refusal
	}{
		{jwt.ErrMalformed, request.RefusedTokenMalformed},
		{jwt.ErrUnknownKey, request.RefusedTokenKey},
		{jwt.ErrSignature, request.RefusedTokenSignature},
		{jwt.ErrExpired, request.RefusedTokenExpired},
		{jwt.ErrNotYet, request.RefusedTokenEarly},
		{jwt.ErrTooOld, request.RefusedTokenAge},
		{jwt.ErrType, request.RefusedTokenType},
		{jwt.ErrIssuer, request.RefusedTokenIssuer},
		{jwt.ErrAudience, request.RefusedTokenAudience},
		{jwt.ErrMissingClaim, request.RefusedTokenClaim},
	} {
		if errors.Is(err, one.err) {
			return one.why
		}
	}
	return request.RefusedToken
}

// until is how long a token that is valid now stays so.
func (g *JWT) until(claims jwt.Claims) time.Time {
	var until time.Time
	if at, err := claims.GetExpirationTime(); err == nil && at != nil {
		until = at.Add(g.rules.Leeway)
	}
	if at, err := claims.GetIssuedAt(); err == nil && at != nil && g.rules.MaxAge > 0 {
		if old := at.Add(g.rules.MaxAge + g.rules.Leeway); until.IsZero() || old.Before(until) {
			until = old
		}
	}
	return until
}

// Close ends looking for keys.
func (g *JWT) Close() {
	if g.source != nil {
		g.source.Close()
	}
	if g.asks != nil {
		g.asks.Close()
	}
}
