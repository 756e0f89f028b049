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

	"dyno/nano"
)

// Config is how tokens are checked. Keys is needed.
type Config struct {
	// Keys returns the key of a kid, the field of a token's head that names its key:
	// a [Keys] or a [*KeySet].
	Keys KeySource
	// Issuer and Audience are who must have made the token, and for whom; empty
	// means that it isn't checked. A token for another service that trusts the same
	// issuer is taken unless Audience is set.
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
	// Check says more of a token that is valid, such as whether it was revoked. It
	// must not block on other servers for long. An error is answered 401 unless it
	// is a *nano.Problem.
	Check func(c nano.Ctx, claims Claims) error
	// Realm is shown with refusals; default none.
	Realm string

	now func() time.Time // for tests
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

// New returns the middleware. It panics if the config can't work. A request
// without a valid token is answered 401 with WWW-Authenticate (RFC 6750 3), which
// says whether a token was there, not what was wrong with it; the error that goes
// to the log does.
func New(config Config) nano.Middleware {
	v := newVerifier(config)
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			token := v.From(c)
			if len(token) == 0 {
				return v.refuse(c, v.missing, errNoToken)
			}
			claims, err := v.verify(token)
			if err != nil {
				return v.refuse(c, v.invalid, err)
			}
			if v.Check != nil {
				if err := v.Check(c, claims); err != nil {
					return v.refuseChecked(c, err)
				}
			}
			ClaimsKey.Set(c, claims)
			return next(c)
		}
	}
}

type verifier struct {
	Config
	parser           *lib.Parser
	missing, invalid string // WWW-Authenticate
}

func newVerifier(config Config) *verifier {
	v := &verifier{Config: config}
	if v.Keys == nil {
		panic("jwt: Config.Keys is needed")
	}
	if keys, ok := v.Keys.(Keys); ok {
		if err := keys.Check(); err != nil {
			panic("jwt: " + err.Error())
		}
	}
	if v.Leeway == 0 {
		v.Leeway = 30 * time.Second
	}
	if v.MaxLength == 0 {
		v.MaxLength = 8 << 10
	}
	if v.From == nil {
		v.From = bearer
	}
	if v.now == nil {
		v.now = time.Now
	}
	v.parser = lib.NewParser(v.options()...)
	v.missing, v.invalid = "Bearer", `Bearer error="invalid_token"`
	if v.Realm != "" {
		v.missing = fmt.Sprintf("Bearer realm=%q", v.Realm)
		v.invalid = v.missing + `, error="invalid_token"`
	}
	return v
}

func (v *verifier) options() []lib.ParserOption {
	options := []lib.ParserOption{lib.WithValidMethods(algorithms()), lib.WithLeeway(max(v.Leeway, 0)), lib.WithTimeFunc(v.now), lib.WithIssuedAt()}
	if !v.NoExpiry {
		options = append(options, lib.WithExpirationRequired())
	}
	if v.Issuer != "" {
		options = append(options, lib.WithIssuer(v.Issuer))
	}
	if v.Audience != "" {
		options = append(options, lib.WithAudience(v.Audience))
	}
	return options
}

var (
	errNoToken = errors.New("jwt: the request has no token")
	errNoKey   = errors.New("jwt: the token's head has no \"kid\", and no key has the name \"\", which is for such tokens")
	errLong    = errors.New("jwt: the token is too long")
	errOld     = errors.New("jwt: the token is too old, or doesn't say when it was made")
	errType    = errors.New("jwt: the token is of another type")
	errCrit    = errors.New("jwt: the token's head has \"crit\": it asks for an extension that isn't known here")
)

func (v *verifier) verify(token []byte) (Claims, error) {
	if len(token) > v.MaxLength {
		return nil, errLong
	}
	claims := Claims{}
	t, err := v.parser.ParseWithClaims(string(token), claims, v.key)
	if err != nil {
		return nil, err
	}
	if v.Type != "" {
		if typ, _ := t.Header["typ"].(string); !bytes.EqualFold([]byte(typ), []byte(v.Type)) {
			return nil, errType
		}
	}
	if v.MaxAge > 0 {
		at, err := claims.GetIssuedAt()
		if err != nil || at == nil || v.now().Sub(at.Time) > v.MaxAge+max(v.Leeway, 0) {
			return nil, errOld
		}
	}
	return claims, nil
}

// key finds the key of a token whose signature is to be checked. A token that must
// not be taken without some extension is refused (RFC 7515 4.1.11): there are none.
func (v *verifier) key(t *lib.Token) (any, error) {
	if _, critical := t.Header["crit"]; critical {
		return nil, errCrit
	}
	kid, _ := t.Header["kid"].(string)
	key, ok := v.Keys.Find(kid)
	if !ok && kid == "" {
		return nil, errNoKey
	}
	if !ok {
		return nil, fmt.Errorf("jwt: no key has the id %.40q", kid)
	}
	if alg := t.Method.Alg(); alg != key.Algorithm {
		return nil, fmt.Errorf("jwt: the key %.40q is for %s, not %s", kid, key.Algorithm, alg)
	}
	return key.Key, nil
}

func (v *verifier) refuse(c nano.Ctx, challenge string, why error) error {
	c.SetHeader("WWW-Authenticate", challenge)
	return nano.NewProblem(401, "").Because(why)
}

// refuseChecked lets Check choose its own problem.
func (v *verifier) refuseChecked(c nano.Ctx, err error) error {
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
