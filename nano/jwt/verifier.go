package jwt

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	lib "github.com/golang-jwt/jwt/v5"
)

// Verifier checks tokens by a [Config], wherever they come from. It may be used by many
// goroutines.
type Verifier struct {
	config Config
	parser *lib.Parser
}

// NewVerifier makes a verifier. From, Check and Realm of the config are of no concern to
// it. It panics if the config can't work.
func NewVerifier(config Config) *Verifier {
	v := &Verifier{config: config.withDefaults()}
	v.parser = lib.NewParser(v.config.options()...)
	return v
}

// withDefaults returns the config with what was left out.
func (c Config) withDefaults() Config {
	if c.Keys == nil {
		panic("jwt: Config.Keys is needed")
	}
	if keys, ok := c.Keys.(Keys); ok {
		if err := keys.Check(); err != nil {
			panic("jwt: " + err.Error())
		}
	}
	if c.Leeway == 0 {
		c.Leeway = 30 * time.Second
	}
	if c.MaxLength == 0 {
		c.MaxLength = 8 << 10
	}
	if c.From == nil {
		c.From = bearer
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func (c *Config) options() []lib.ParserOption {
	options := []lib.ParserOption{lib.WithValidMethods(algorithms()), lib.WithLeeway(max(c.Leeway, 0)), lib.WithTimeFunc(c.Now), lib.WithIssuedAt(), lib.WithStrictDecoding()}
	if !c.NoExpiry {
		options = append(options, lib.WithExpirationRequired())
	}
	if c.Issuer != "" {
		options = append(options, lib.WithIssuer(c.Issuer))
	}
	if c.Audience != "" {
		options = append(options, lib.WithAudience(c.Audience))
	}
	return options
}

// ErrUnknownKey refuses a token whose header names a key that isn't known: the keys may
// have changed since they were read.
var ErrUnknownKey = errors.New("jwt: no key has the id")

// What is wrong with a token, by [errors.Is] of what [Verifier.Verify] returns. They are for
// logs: whoever sent the token needn't know.
var (
	ErrMalformed    = lib.ErrTokenMalformed
	ErrSignature    = lib.ErrTokenSignatureInvalid // or an algorithm that isn't the key's
	ErrExpired      = lib.ErrTokenExpired
	ErrNotYet       = lib.ErrTokenNotValidYet // by "nbf"
	ErrIssuer       = lib.ErrTokenInvalidIssuer
	ErrAudience     = lib.ErrTokenInvalidAudience
	ErrMissingClaim = lib.ErrTokenRequiredClaimMissing // "exp", or one that the config requires
	ErrTooOld       = errors.New("jwt: the token is too old, or doesn't say when it was made")
	ErrType         = errors.New("jwt: the token is of another type")
)

var (
	errNoToken = errors.New("jwt: the request has no token")
	errNoKey   = errors.New("jwt: the token's head has no \"kid\", and no key has the name \"\", which is for such tokens")
	errKid     = errors.New("jwt: the token's head has a \"kid\" that is no text")
	errLong    = errors.New("jwt: the token is too long")
	errCrit    = errors.New("jwt: the token's head has \"crit\": it asks for an extension that isn't known here")
)

// Verify returns what a token says if it is valid now: its signature, by the one
// algorithm that its key is for, its times, and what the config requires. token is not
// kept.
func (v *Verifier) Verify(token []byte) (Claims, error) {
	c := &v.config
	if len(token) > c.MaxLength {
		return nil, errLong
	}
	if bytes.ContainsAny(token, "\r\n") { // which base64 decoders skip
		return nil, ErrMalformed
	}
	claims := Claims{}
	t, err := v.parser.ParseWithClaims(string(token), claims, v.key)
	if err != nil {
		return nil, err
	}
	if c.Type != "" {
		if typ, _ := t.Header["typ"].(string); !bytes.EqualFold([]byte(typ), []byte(c.Type)) {
			return nil, ErrType
		}
	}
	if c.MaxAge > 0 {
		at, err := claims.GetIssuedAt()
		if err != nil || at == nil || c.Now().Sub(at.Time) > c.MaxAge+max(c.Leeway, 0) {
			return nil, ErrTooOld
		}
	}
	return claims, nil
}

// key finds the key of a token whose signature is to be checked. A token that must
// not be taken without some extension is refused (RFC 7515 4.1.11): there are none.
func (v *Verifier) key(t *lib.Token) (any, error) {
	if _, critical := t.Header["crit"]; critical {
		return nil, errCrit
	}
	named, has := t.Header["kid"]
	kid, text := named.(string)
	if has && !text {
		return nil, errKid
	}
	key, ok := v.config.Keys.Find(kid)
	if !ok && kid == "" {
		return nil, errNoKey
	}
	if !ok {
		return nil, fmt.Errorf("%w %.40q", ErrUnknownKey, kid)
	}
	if alg := t.Method.Alg(); alg != key.Algorithm {
		return nil, fmt.Errorf("%w: the key %.40q is for %s, not %s", ErrSignature, kid, key.Algorithm, alg)
	}
	return key.Key, nil
}
