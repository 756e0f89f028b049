package jwt

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"fmt"
	"strings"
	"sync/atomic"
)

// KeySource finds the key of a token by its kid, which is "" if the token has none. It
// is called while the request waits and must not block.
type KeySource interface {
	Find(kid string) (Key, bool)
}

// Key is a key and the one algorithm it is for.
type Key struct {
	// Algorithm is RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512,
	// EdDSA, or, with a secret, HS256, HS384, HS512 (RFC 7518 3.1, RFC 8037).
	Algorithm string
	// Key is a *rsa.PublicKey, an *ecdsa.PublicKey, an ed25519.PublicKey, or a secret
	// as []byte.
	Key any
}

// Keys are keys by kid. Tokens without a kid need a key of the name "".
type Keys map[string]Key

// Find implements KeySource.
func (k Keys) Find(kid string) (Key, bool) {
	key, ok := k[kid]
	return key, ok
}

// Check says which key can't be used as it should be, and why.
func (k Keys) Check() error {
	if len(k) == 0 {
		return fmt.Errorf("there are no keys")
	}
	for kid, key := range k {
		if err := key.check(); err != nil {
			return fmt.Errorf("key %q: %w", kid, err)
		}
	}
	return nil
}

func algorithms() []string {
	return strings.Fields("RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA HS256 HS384 HS512")
}

// check holds a key to its algorithm, and to a strength that still is one (RFC
// 7518 3.2, 3.3).
func (k Key) check() error {
	ok := false
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		if key.N.BitLen() < 2048 {
			return fmt.Errorf("RSA with %d bits can be broken; 2048 are needed", key.N.BitLen())
		}
		ok = len(k.Algorithm) == 5 && (k.Algorithm[:2] == "RS" || k.Algorithm[:2] == "PS")
	case *ecdsa.PublicKey:
		ok = map[string]string{"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}[key.Curve.Params().Name] == k.Algorithm
	case ed25519.PublicKey:
		ok = k.Algorithm == "EdDSA" && len(key) == ed25519.PublicKeySize
	case []byte:
		bytes := map[string]int{"HS256": 32, "HS384": 48, "HS512": 64}[k.Algorithm]
		if ok = bytes > 0; ok && len(key) < bytes {
			return fmt.Errorf("a secret of %d bytes is too short for %s; %d are needed", len(key), k.Algorithm, bytes)
		}
	}
	for _, known := range algorithms() {
		if ok && known == k.Algorithm {
			return nil
		}
	}
	return fmt.Errorf("a %T can't be used with algorithm %q", k.Key, k.Algorithm)
}

// KeySet is a set of keys that may be replaced while it is used. Fetching them is
// the caller's business, beside the path of requests: for instance a goroutine
// that gets a JWKS every few minutes, [ParseJWKS], and Replace. When fetching
// fails, the keys there are stay.
type KeySet struct{ keys atomic.Pointer[Keys] }

// Replace replaces all keys. An error says which can't be used; then nothing has
// changed.
func (s *KeySet) Replace(keys Keys) error {
	if err := keys.Check(); err != nil {
		return fmt.Errorf("jwt: %w", err)
	}
	s.keys.Store(&keys)
	return nil
}

// Find implements KeySource.
func (s *KeySet) Find(kid string) (Key, bool) {
	keys := s.keys.Load()
	if keys == nil {
		return Key{}, false
	}
	return keys.Find(kid)
}
