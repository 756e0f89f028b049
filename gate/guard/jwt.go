package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/nano/jwt"
	"dyno/nano/wire/http1"
)

// JWT lets in who has a valid JSON Web Token. A token that was verified is remembered,
// with what upstreams get of it, until it expires or the keys change: verifying a
// signature takes up to a hundred microseconds of the loop.
type JWT struct {
	rules    config.JWT
	source   *refreshed[keys] // nil: a secret, which doesn't change
	fixed    *keys
	verified *verified
	now      func() time.Time

	missing, invalid, lacking, notReady *request.Answer
}

// keys are what tokens are verified with, and everything that hangs on it.
type keys struct{ verifier *jwt.Verifier }

// NewJWT makes the guard. A file that can't be used is an error. Keys that come from a
// URL are not there at once: until then requests are refused with 503.
func NewJWT(rules *config.JWT) (*JWT, error) {
	g := &JWT{
		rules:    *rules,
		verified: newVerified(rules.Cache),
		now:      time.Now,
		missing:  request.Refuse(401, "a token is needed", "WWW-Authenticate: Bearer\r\n"),
		invalid:  request.Refuse(401, "the token is not valid", "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"),
		lacking:  request.Refuse(403, "the token does not allow this", "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n"),
		notReady: request.Refuse(503, "tokens can't be verified yet", "Retry-After: 1\r\n"),
	}
	var err error
	if rules.Secret != "" {
		g.fixed, err = g.secret()
	} else {
		g.source, err = read(rules.JWKS, rules.Refresh, g.set)
	}
	if err != nil {
		return nil, fmt.Errorf("jwt: %w", err)
	}
	return g, nil
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
	return g.source.get()
}

// Check refuses requests without a valid token.
func (g *JWT) Check(r *request.Request) *request.Answer {
	token := g.token(r)
	if len(token) == 0 {
		return g.missing
	}
	now := g.current()
	if now == nil {
		return g.notReady
	}
	p := g.verified.find(token, now, g.now())
	if p == nil {
		if p = g.verify(token, now); p == nil {
			return g.invalid
		}
	}
	for i := range g.rules.Forward {
		// Also those that the token doesn't have: a client mustn't say them itself.
		r.Drop(g.rules.Forward[i].Value)
		if p.forward[i] != nil {
			r.Forward(g.rules.Forward[i].Value, p.forward[i])
		}
	}
	if !p.allowed {
		return g.lacking
	}
	return nil
}

// token finds the token of a request; nil if there is none. Two of them could be read
// in two ways by those behind the gateway.
func (g *JWT) token(r *request.Request) []byte {
	if g.rules.Cookie != "" {
		value, _ := r.Cookie(g.rules.Cookie)
		return value
	}
	const scheme = "bearer "
	var token []byte
	fields := 0
	for _, field := range r.Head.Fields {
		if field.Name.Len() != len("authorization") || !http1.EqualFold(field.Name.Of(r.Buf), "authorization") {
			continue
		}
		value := field.Value.Of(r.Buf)
		if fields++; len(value) > len(scheme) && http1.EqualFold(value[:len(scheme)], scheme) {
			token = bytes.TrimLeft(value[len(scheme):], " ")
		}
	}
	if fields != 1 {
		return nil
	}
	return token
}

// verify verifies a token that isn't remembered; nil if it isn't valid.
func (g *JWT) verify(token []byte, with *keys) *passed {
	claims, err := with.verifier.Verify(token)
	if err != nil {
		if errors.Is(err, jwt.ErrUnknownKey) && g.source != nil {
			g.source.hurry() // keys may have been rotated
		}
		return nil
	}
	p := &passed{with: with, from: g.now().Round(0), until: g.until(claims), allowed: g.allows(claims), forward: make([][]byte, len(g.rules.Forward))}
	for i, c := range g.rules.Forward {
		if text, ok := claimText(claims[c.Name]); ok && http1.ValidFieldValue(text) {
			p.forward[i] = []byte(text)
		}
	}
	g.verified.keep(token, p)
	return p
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

// allows reports whether the token says all that it must.
func (g *JWT) allows(claims jwt.Claims) bool {
	for _, must := range g.rules.Claims {
		if !says(claims[must.Name], must.Value) {
			return false
		}
	}
	return true
}

// says reports whether a claim is the value, a list that holds it, or, as "scope" is
// (RFC 8693 4.2), words of which it is one.
func says(claim any, value string) bool {
	if list, ok := claim.([]any); ok {
		for _, one := range list {
			if text, ok := claimText(one); ok && text == value {
				return true
			}
		}
		return false
	}
	text, ok := claimText(claim)
	if !ok {
		return false
	}
	if text == value {
		return true
	}
	for word := range strings.FieldsSeq(text) {
		if word == value {
			return true
		}
	}
	return false
}

// claimText writes a claim as a field carries it; a list or an object as JSON.
func claimText(claim any) (text string, ok bool) {
	switch c := claim.(type) {
	case nil:
		return "", false
	case string:
		return c, true
	case bool:
		return strconv.FormatBool(c), true
	case float64:
		if c == math.Trunc(c) && math.Abs(c) < 1<<53 {
			return strconv.FormatInt(int64(c), 10), true
		}
		return strconv.FormatFloat(c, 'g', -1, 64), true
	}
	b, err := json.Marshal(claim)
	return string(b), err == nil
}

// Close ends looking for keys.
func (g *JWT) Close() {
	if g.source != nil {
		g.source.Close()
	}
}
