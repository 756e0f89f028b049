//go:build linux

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// What a gateway is asked that does all: one of so many routes.
const (
	fullRoutes = 1000
	fullPath   = "/r500/plaintext"
	plainPath  = "/plaintext"
)

// fullFile configures a nanogate with what gateways usually do: for each of a thousand routes
// an ES256 token and a rate limit that is never reached, and an access log of one request in a
// hundred. Counting and timing it does anyway.
func fullFile(dir, address, upstream string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "listen: %s\naccess-log: {to: %s, sample: 1%%}\nroutes:\n", address, filepath.Join(dir, "access.log"))
	for i := range fullRoutes {
		fmt.Fprintf(&b, "  - {match: {path: \"/r%d/*\"}, jwt: {jwks: %s, issuer: bench, audience: gateway}, limit: {rate: 1000000/s, key: client-ip}, to: one}\n", i, filepath.Join(dir, "jwks.json"))
	}
	fmt.Fprintf(&b, "upstreams: {one: [\"%s\"]}\n", upstream)
	return b.String()
}

// credentials makes a key of ES256, writes its public part for the gateway, and returns a
// token that it signed.
func (l *lab) credentials() (token string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	public, err := key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		return "", err
	}
	coordinate := func(at int) string { return base64.RawURLEncoding.EncodeToString(public[at : at+32]) }
	set, err := json.Marshal(map[string]any{"keys": []map[string]string{{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "bench", "x": coordinate(1), "y": coordinate(33)}}})
	if err != nil {
		return "", err
	}
	if l.write("jwks.json", string(set)) == "" {
		return "", fmt.Errorf("writing the gateway's keys to %s", l.Dir)
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{"iss": "bench", "aud": "gateway", "sub": "somebody", "exp": time.Now().Add(24 * time.Hour).Unix()})
	t.Header["kid"] = "bench"
	return t.SignedString(key)
}
