// Package jwt is middleware that lets in requests with a JSON Web Token.
//
//	app.Use(jwt.New(jwt.Config{
//		Keys:     jwt.Keys{"2026": {Algorithm: "EdDSA", Key: publicKey}},
//		Issuer:   "https://id.example.com",
//		Audience: "orders",
//	}))
//
// A token is taken only with the one algorithm that its key is for, so a token
// can't choose how it is checked (RFC 8725 3.1); "none" is not an algorithm here.
package jwt

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	lib "github.com/golang-jwt/jwt/v5"

	"dyno.example/nano"
)

// Config is how tokens are checked. Keys is needed.
type Config struct {
	// Keys returns the key of a kid, the field of a token's head that names its key:
	// a [Keys] or a [*KeySet].
	Keys KeySource
	// Issuer and Audience are the required "iss" and "aud" of a token; empty means that
	// it isn't checked. Unless Audience is set, a token for another service of the same
	// issuer is accepted.
	Issuer, Audience string
	// NoExpiry takes tokens without "exp" too.
	NoExpiry bool
	// MaxAge refuses tokens whose "iat" is older, or missing; 0: any age.
	MaxAge time.Duration
	// Leeway is by how much clocks may differ; default 30 s. Negative: by nothing.
	Leeway time.Duration
	// Type is what the "typ" of a token's head must be, such as "at+jwt" (RFC 9068),
	// without regard to case; empty: anything.
	Type string
	// From finds the token; default: field Authorization, scheme Bearer (RFC 6750
	// 2.1). Tokens in URLs end up in logs.
	From func(c nano.Ctx) nano.View
	// MaxLength is the size of a token in bytes that is looked at; default 8 KiB.
	MaxLength int
	// Check may refuse a token that is valid, such as one that was revoked. It must not
	// block on other servers for long. An error becomes a 401 unless it is a
	// *nano.Problem.
	Check func(c nano.Ctx, claims Claims) error
	// Realm is shown with refusals; default none.
	Realm string
	// Now is what time it is; default [time.Now].
	Now func() time.Time
}

// Claims are what a token says, as encoding/json decodes it.
type Claims = lib.MapClaims

// ClaimsKey holds the claims of the token that [New] has let in.
var ClaimsKey = nano.NewKey[Claims]("jwt claims")

// Subject returns the "sub" of the request's token; "" if there is none.
func Subject(c nano.Ctx) string {
	claims, _ := ClaimsKey.Get(c)
	sub, _ := claims.GetSubject()
	return sub
}

// New returns the middleware. It panics if the config can't work. The response to a
// request without a valid token is 401 with WWW-Authenticate (RFC 6750 3), which says
// whether there was a token, not what was wrong with it; the logged error does.
func New(config Config) nano.Middleware {
	v := newGuard(config)
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			token := v.config.From(c)
			if len(token) == 0 {
				return v.refuse(c, v.missing, errNoToken)
			}
			claims, err := v.Verify(token)
			if err != nil {
				return v.refuse(c, v.invalid, err)
			}
			if v.config.Check != nil {
				if err := v.config.Check(c, claims); err != nil {
					return v.refuseChecked(c, err)
				}
			}
			ClaimsKey.Set(c, claims)
			return next(c)
		}
	}
}

// guard is a verifier as middleware.
type guard struct {
	*Verifier
	missing, invalid string // WWW-Authenticate
}

func newGuard(config Config) *guard {
	g := &guard{NewVerifier(config), "Bearer", `Bearer error="invalid_token"`}
	if config.Realm != "" {
		g.missing = fmt.Sprintf("Bearer realm=%q", config.Realm)
		g.invalid = g.missing + `, error="invalid_token"`
	}
	return g
}

func (v *guard) refuse(c nano.Ctx, challenge string, why error) error {
	c.SetHeader("WWW-Authenticate", challenge)
	return nano.NewProblem(401, "").Because(why)
}

// refuseChecked lets Check choose its own problem.
func (v *guard) refuseChecked(c nano.Ctx, err error) error {
	if p := (*nano.Problem)(nil); errors.As(err, &p) {
		return err
	}
	return v.refuse(c, v.invalid, err)
}

// bearer finds the token in Authorization.
func bearer(c nano.Ctx) nano.View {
	const scheme = "bearer "
	v := c.Header("Authorization")
	if len(v) <= len(scheme) || !bytes.EqualFold(v[:len(scheme)], []byte(scheme)) {
		return nil
	}
	return nano.View(bytes.TrimLeft(v[len(scheme):], " "))
}
