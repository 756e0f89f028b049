package jwt

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
)

// jwk is a key of a JWK Set (RFC 7517, RFC 7518 6, RFC 8037 2).
type jwk struct {
	Kty, Use, Kid, Alg, Crv string
	N, E, X, Y, K           string
}

// ParseJWKS reads the public keys of a JWK Set (RFC 7517 5). Keys that are for
// encryption, or of a kind or an algorithm that isn't known here, are left out. A
// key without "alg" is for the usual algorithm of its kind: RS256, that of its
// curve, EdDSA. Secrets ("oct") are refused: they have no business in a set that is
// published.
func ParseJWKS(set []byte) (Keys, error) {
	var doc struct{ Keys []jwk }
	if err := json.Unmarshal(set, &doc); err != nil {
		return nil, fmt.Errorf("jwt: reading a JWK Set: %w", err)
	}
	keys := Keys{}
	for i, k := range doc.Keys {
		if !k.signs() {
			continue
		}
		key, known, err := k.key()
		if err != nil {
			return nil, fmt.Errorf("jwt: key %d (kid %q) of the JWK Set: %w", i, k.Kid, err)
		}
		if !known {
			continue
		}
		if _, twice := keys[k.Kid]; twice {
			return nil, fmt.Errorf("jwt: key %d of the JWK Set: another one has the kid %q", i, k.Kid)
		}
		keys[k.Kid] = key
	}
	if err := keys.Check(); err != nil {
		return nil, fmt.Errorf("jwt: JWK Set: %w", err)
	}
	return keys, nil
}

// signs reports whether the key is for signatures, of an algorithm that is known
// here if it names one. What is said of secrets doesn't count: see ParseJWKS.
func (k *jwk) signs() bool {
	switch {
	case k.Use != "" && k.Use != "sig":
		return false
	case k.Alg == "", k.Alg == "Ed25519", k.Kty == "oct":
		return true
	}
	return slices.Contains(algorithms(), k.Alg)
}

func (k *jwk) key() (key Key, known bool, err error) {
	key.Algorithm = k.Alg
	switch k.Kty {
	case "RSA":
		key.Key, err = k.rsa()
		if k.Alg == "" {
			key.Algorithm = "RS256"
		}
	case "EC":
		var public *ecdsa.PublicKey
		if public, known, err = k.ecdsa(); !known || err != nil {
			return key, known, err
		}
		key.Key = public
		if k.Alg == "" {
			key.Algorithm = map[string]string{"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}[k.Crv]
		}
	case "OKP":
		if k.Crv != "Ed25519" {
			return key, false, nil
		}
		var x []byte
		x, err = base64.RawURLEncoding.DecodeString(k.X)
		key.Key = ed25519.PublicKey(x)
		if k.Alg == "" || k.Alg == "Ed25519" { // its newer name
			key.Algorithm = "EdDSA"
		}
	case "oct":
		return key, false, fmt.Errorf("it is a secret, which doesn't belong into a set of public keys")
	default:
		return key, false, nil
	}
	return key, true, err
}

func (k *jwk) rsa() (*rsa.PublicKey, error) {
	n, err := base64.RawURLEncoding.DecodeString(k.N)
	if err != nil {
		return nil, fmt.Errorf("n: %w", err)
	}
	e, err := base64.RawURLEncoding.DecodeString(k.E)
	if err != nil {
		return nil, fmt.Errorf("e: %w", err)
	}
	exponent := new(big.Int).SetBytes(e)
	if !exponent.IsInt64() || exponent.Int64() < 3 || exponent.Int64() > 1<<31-1 {
		return nil, fmt.Errorf("e: %d bytes are no exponent", len(e))
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}, nil
}

func (k *jwk) ecdsa() (key *ecdsa.PublicKey, known bool, err error) {
	curve, known := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}[k.Crv]
	if !known {
		return nil, false, nil
	}
	x, err := base64.RawURLEncoding.DecodeString(k.X)
	if err != nil {
		return nil, true, fmt.Errorf("x: %w", err)
	}
	y, err := base64.RawURLEncoding.DecodeString(k.Y)
	if err != nil {
		return nil, true, fmt.Errorf("y: %w", err)
	}
	size := (curve.Params().BitSize + 7) / 8
	if len(x) != size || len(y) != size {
		return nil, true, fmt.Errorf("a point of %s has two coordinates of %d bytes, not %d and %d", k.Crv, size, len(x), len(y))
	}
	key, err = ecdsa.ParseUncompressedPublicKey(curve, append(append([]byte{4}, x...), y...))
	return key, true, err
}
