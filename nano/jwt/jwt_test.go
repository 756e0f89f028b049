package jwt

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	lib "github.com/golang-jwt/jwt/v5"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

var now = time.Unix(1_800_000_000, 0)

// sign makes a token.
func sign(t testing.TB, method lib.SigningMethod, kid string, key any, claims Claims, head ...string) string {
	t.Helper()
	token := lib.NewWithClaims(method, claims)
	if kid != "" {
		token.Header["kid"] = kid
	}
	for i := 0; i < len(head); i += 2 {
		token.Header[head[i]] = head[i+1]
	}
	s, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func generate[T any](t testing.TB) func(T, error) T {
	return func(key T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
}

func TestJWT(t *testing.T) {
	ed := ed25519.NewKeyFromSeed(make([]byte, 32))
	ec := generate[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	rs := generate[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	secret := []byte(strings.Repeat("s", 32))
	public := generate[[]byte](t)(x509.MarshalPKIXPublicKey(rs.Public()))
	keys := Keys{
		"ed": {"EdDSA", ed.Public().(ed25519.PublicKey)},
		"ec": {"ES256", &ec.PublicKey},
		"rs": {"RS256", &rs.PublicKey},
		"hs": {"HS256", secret},
		"":   {"HS256", secret},
	}
	all := Config{Keys: keys, Issuer: "us", Audience: "orders", MaxAge: time.Hour, Type: "JWT"}
	plain := Config{Keys: keys}
	good := func(with ...any) Claims {
		c := Claims{"sub": "ann", "iss": "us", "aud": []string{"orders", "x"}, "exp": now.Unix() + 60, "iat": now.Unix() - 60}
		for i := 0; i < len(with); i += 2 {
			if c[with[i].(string)] = with[i+1]; with[i+1] == nil {
				delete(c, with[i].(string))
			}
		}
		return c
	}
	eddsa := func(c Claims, head ...string) string { return sign(t, lib.SigningMethodEdDSA, "ed", ed, c, head...) }
	cut := func(s string) string { return s[:strings.LastIndexByte(s, '.')+1] }
	for _, tt := range []struct {
		name   string
		config Config
		token  string
		status int
	}{
		{"EdDSA", all, eddsa(good()), 200},
		{"ES256", all, sign(t, lib.SigningMethodES256, "ec", ec, good()), 200},
		{"RS256", all, sign(t, lib.SigningMethodRS256, "rs", rs, good()), 200},
		{"HS256", all, sign(t, lib.SigningMethodHS256, "hs", secret, good()), 200},
		{"no kid", all, sign(t, lib.SigningMethodHS256, "", secret, good()), 200},
		{"none", all, "", 401},
		{"not a token", all, "abc", 401},
		{"unsigned", all, sign(t, lib.SigningMethodNone, "ed", lib.UnsafeAllowNoneSignatureType, good()), 401},
		{"unsigned, kid of a secret", all, sign(t, lib.SigningMethodNone, "hs", lib.UnsafeAllowNoneSignatureType, good()), 401},
		{"signature cut off", all, cut(eddsa(good())), 401},
		{"public key as secret", all, sign(t, lib.SigningMethodHS256, "rs", public, good()), 401},
		{"other algorithm of the kind", all, sign(t, lib.SigningMethodRS512, "rs", rs, good()), 401},
		{"PSS with a key for RS256", all, sign(t, lib.SigningMethodPS256, "rs", rs, good()), 401},
		{"other key's kid", all, sign(t, lib.SigningMethodHS256, "ed", secret, good()), 401},
		{"unknown kid", all, sign(t, lib.SigningMethodHS256, "zz", secret, good()), 401},
		{"wrong secret", all, sign(t, lib.SigningMethodHS256, "hs", []byte("wrong"), good()), 401},
		{"expired", all, eddsa(good("exp", now.Unix()-31)), 401},
		{"expired within leeway", all, eddsa(good("exp", now.Unix()-29)), 200},
		{"no expiry", all, eddsa(good("exp", nil)), 401},
		{"no expiry, allowed", Config{Keys: keys, NoExpiry: true}, eddsa(good("exp", nil)), 200},
		{"expired, no expiry allowed", Config{Keys: keys, NoExpiry: true}, eddsa(good("exp", now.Unix()-60)), 401},
		{"not yet", all, eddsa(good("nbf", now.Unix()+31)), 401},
		{"not yet, within leeway", all, eddsa(good("nbf", now.Unix()+29)), 200},
		{"from the future", all, eddsa(good("iat", now.Unix()+60)), 401},
		{"too old", all, eddsa(good("iat", now.Unix()-3631)), 401},
		{"no age", all, eddsa(good("iat", nil)), 401},
		{"no age needed", plain, eddsa(good("iat", nil)), 200},
		{"other issuer", all, eddsa(good("iss", "them")), 401},
		{"no issuer", all, eddsa(good("iss", nil)), 401},
		{"other audience", all, eddsa(good("aud", "billing")), 401},
		{"one audience", all, eddsa(good("aud", "orders")), 200},
		{"no audience", all, eddsa(good("aud", nil)), 401},
		{"any audience", plain, eddsa(good("aud", nil)), 200},
		{"other type", all, eddsa(good(), "typ", "at+jwt"), 401},
		{"type", Config{Keys: keys, Type: "at+jwt"}, eddsa(good(), "typ", "AT+jwt"), 200},
		{"critical extension", all, eddsa(good(), "crit", "b64"), 401},
		{"long", all, eddsa(good("x", strings.Repeat("a", 8<<10))), 401},
		{"checked", Config{Keys: keys, Check: func(nano.Ctx, Claims) error { return errors.New("revoked") }}, eddsa(good()), 401},
		{"checked with a problem", Config{Keys: keys, Check: func(nano.Ctx, Claims) error { return nano.NewProblem(403, "") }}, eddsa(good()), 403},
	} {
		tt.config.Now = func() time.Time { return now }
		a := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
		a.Use(New(tt.config))
		a.Get("/", func(c nano.Ctx) error { return c.Text(200, Subject(c)) })
		r := nanotest.New(a).Get("/")
		if tt.token != "" {
			r.Header("Authorization", "bearer "+tt.token)
		}
		got := r.Do()
		if got.Status != tt.status || tt.status == 200 && got.Text() != "ann" {
			t.Errorf("%s: %d %s", tt.name, got.Status, got.Text())
		}
		want := map[bool]string{true: `Bearer error="invalid_token"`, false: "Bearer"}[tt.token != ""]
		if challenge := got.Header.Get("WWW-Authenticate"); tt.status == 401 && challenge != want {
			t.Errorf("%s: WWW-Authenticate: %s", tt.name, challenge)
		}
	}
}

// TestTokensHaveOneText: a token that is written otherwise, with what base64 leaves unused
// (RFC 4648 3.5), is no token: whoever knows it by its text wouldn't know it again.
func TestTokensHaveOneText(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	v := NewVerifier(Config{Keys: Keys{"": {"HS256", secret}}, Now: func() time.Time { return now }})
	claims := Claims{"sub": "ann", "exp": now.Unix() + 60}
	token := sign(t, lib.SigningMethodHS256, "", secret, claims)
	if _, err := v.Verify([]byte(token)); err != nil {
		t.Fatal(err)
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, token[len(token)-1]) // of 6 bits, 2 are unused
	for i := 1; i < 4; i++ {
		if _, err := v.Verify([]byte(token[:len(token)-1] + alphabet[last|i:][:1])); last|i != last && err == nil {
			t.Errorf("the signature's last character is %c in place of %c, and the token is taken", alphabet[last|i], alphabet[last])
		}
	}
	for _, more := range []string{"=", "\n", " "} {
		if _, err := v.Verify([]byte(token + more)); err == nil {
			t.Errorf("%q behind it, and the token is taken", more)
		}
	}
	for _, kid := range []any{1, nil, []string{"a"}, map[string]any{}} {
		other := lib.NewWithClaims(lib.SigningMethodHS256, claims)
		other.Header["kid"] = kid
		text, err := other.SignedString(secret)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify([]byte(text)); err == nil {
			t.Errorf("a kid that is %v is taken for none", kid)
		}
	}
}

// TestTokenWithoutKid: a token of the usual one secret has no kid; the log says what to do.
func TestTokenWithoutKid(t *testing.T) {
	secret := []byte(strings.Repeat("s", 32))
	v := NewVerifier(Config{Keys: Keys{"2026": {"HS256", secret}}, Now: func() time.Time { return now }})
	_, err := v.Verify([]byte(sign(t, lib.SigningMethodHS256, "", secret, Claims{"exp": now.Unix() + 60})))
	if !errors.Is(err, errNoKey) {
		t.Errorf("got %v", err)
	}
}

func TestOtherScheme(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(New(Config{Keys: Keys{"": {"HS256", make([]byte, 32)}}, Realm: "r"}))
	got := nanotest.New(a).Get("/").Header("Authorization", "Basic abc").Do()
	if got.Status != 401 || got.Header.Get("WWW-Authenticate") != `Bearer realm="r"` {
		t.Errorf("%d %s", got.Status, got.Header.Get("WWW-Authenticate"))
	}
}

func TestKeysAreChecked(t *testing.T) {
	weak := &rsa.PublicKey{N: generate[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048)).N, E: 65537}
	weak.N.Rsh(weak.N, 1024)
	ec := generate[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	for name, keys := range map[string]Keys{
		"none":             {},
		"short secret":     {"": {"HS256", make([]byte, 31)}},
		"secret for RSA":   {"": {"RS256", make([]byte, 64)}},
		"weak RSA":         {"": {"RS256", weak}},
		"wrong curve":      {"": {"ES384", &ec.PublicKey}},
		"no algorithm":     {"": {"", &ec.PublicKey}},
		"alg none":         {"": {"none", lib.UnsafeAllowNoneSignatureType}},
		"a private key":    {"": {"ES256", ec}},
		"unknown RS":       {"": {"RS255", &rsa.PublicKey{N: generate[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048)).N, E: 3}}},
		"half an ed25519":  {"": {"EdDSA", ed25519.PublicKey(make([]byte, 16))}},
		"one of two wrong": {"a": {"HS256", make([]byte, 32)}, "b": {"HS512", make([]byte, 32)}},
	} {
		if keys.Check() == nil {
			t.Errorf("%s: taken", name)
		}
		var set KeySet
		if set.Replace(keys) == nil {
			t.Errorf("%s: taken into a set", name)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: New doesn't panic", name)
				}
			}()
			New(Config{Keys: keys})
		}()
	}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// jwksOf writes public keys as a JWK Set, by kid.
func jwksOf(keys map[string]crypto.PublicKey) string {
	var all []string
	for kid, key := range keys {
		switch k := key.(type) {
		case *rsa.PublicKey:
			all = append(all, `{"kty":"RSA","kid":"`+kid+`","use":"sig","n":"`+encode(k.N.Bytes())+`","e":"AQAB"}`)
		case *ecdsa.PublicKey:
			p, _ := k.Bytes()
			n := (len(p) - 1) / 2
			all = append(all, `{"kty":"EC","kid":"`+kid+`","crv":"`+k.Curve.Params().Name+`","x":"`+encode(p[1:1+n])+`","y":"`+encode(p[1+n:])+`"}`)
		case ed25519.PublicKey:
			all = append(all, `{"kty":"OKP","kid":"`+kid+`","crv":"Ed25519","alg":"EdDSA","x":"`+encode(k)+`"}`)
		}
	}
	return `{"keys":[` + strings.Join(all, ",") + `]}`
}

func TestKeySet(t *testing.T) {
	ed := ed25519.NewKeyFromSeed(make([]byte, 32))
	ec := generate[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))
	rs := generate[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	keys, err := ParseJWKS([]byte(jwksOf(map[string]crypto.PublicKey{"ed": ed.Public(), "ec": &ec.PublicKey, "rs": &rs.PublicKey})))
	if err != nil {
		t.Fatal(err)
	}
	var set KeySet
	a := nano.New(nano.Config{})
	a.Use(New(Config{Keys: &set}))
	a.Get("/", func(c nano.Ctx) error { return c.Text(200, Subject(c)) })
	claims := Claims{"sub": "ann", "exp": time.Now().Unix() + 600}
	tokens := []string{
		sign(t, lib.SigningMethodEdDSA, "ed", ed, claims),
		sign(t, lib.SigningMethodES512, "ec", ec, claims),
		sign(t, lib.SigningMethodRS256, "rs", rs, claims),
	}
	status := func(token string) int {
		return nanotest.New(a).Get("/").Header("Authorization", "Bearer "+token).Do().Status
	}
	if got := status(tokens[0]); got != 401 {
		t.Errorf("without keys: %d", got)
	}
	if err := set.Replace(keys); err != nil {
		t.Fatal(err)
	}
	for i, token := range tokens {
		if got := status(token); got != 200 {
			t.Errorf("token %d: %d", i, got)
		}
	}
	if err := set.Replace(Keys{"ec": keys["ec"]}); err != nil {
		t.Fatal(err)
	}
	if status(tokens[0]) != 401 || status(tokens[1]) != 200 {
		t.Error("keys were not replaced")
	}
}

func TestParseJWKS(t *testing.T) {
	ed := `{"kty":"OKP","crv":"Ed25519","kid":"a","x":"` + encode(make([]byte, 32)) + `"}`
	for name, tt := range map[string]struct {
		set  string
		keys int // -1: an error
	}{
		"one":                         {`{"keys":[` + ed + `]}`, 1},
		"for encryption":              {`{"keys":[` + ed + `,{"kty":"RSA","use":"enc","kid":"b"}]}`, 1},
		"for encryption, without use": {`{"keys":[` + ed + `,{"kty":"RSA","alg":"RSA-OAEP-256","kid":"b","n":"AA","e":"AQAB"}]}`, 1},
		"unknown kind":                {`{"keys":[` + ed + `,{"kty":"AKP","kid":"b"},{"kty":"OKP","crv":"X25519","kid":"c"},{"kty":"EC","crv":"secp256k1","kid":"d"}]}`, 1},
		"twice":                       {`{"keys":[` + ed + `,` + ed + `]}`, -1},
		"none":                        {`{"keys":[]}`, -1},
		"not JSON":                    {`{`, -1},
		"secret":                      {`{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`, -1},
		"short":                       {`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}`, -1},
		"not on the curve":            {`{"keys":[{"kty":"EC","crv":"P-256","x":"` + encode(make([]byte, 32)) + `","y":"` + encode(make([]byte, 32)) + `"}]}`, -1},
		"short coordinates":           {`{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}`, -1},
		"weak RSA":                    {`{"keys":[{"kty":"RSA","n":"` + encode([]byte(strings.Repeat("x", 128))) + `","e":"AQAB"}]}`, -1},
		"RSA, exponent 1":             {`{"keys":[{"kty":"RSA","n":"` + encode([]byte(strings.Repeat("x", 256))) + `","e":"AQ"}]}`, -1},
		"RSA for a secret":            {`{"keys":[{"kty":"RSA","alg":"HS256","n":"` + encode([]byte(strings.Repeat("x", 256))) + `","e":"AQAB"}]}`, -1},
		"RSA, large exponent":         {`{"keys":[{"kty":"RSA","n":"` + encode([]byte(strings.Repeat("x", 256))) + `","e":"AQAAAAAAAAAAAAAB"}]}`, -1},
	} {
		keys, err := ParseJWKS([]byte(tt.set))
		if (err != nil) != (tt.keys < 0) || err == nil && len(keys) != tt.keys {
			t.Errorf("%s: %d keys, %v", name, len(keys), err)
		}
	}
}

func FuzzParseJWKS(f *testing.F) {
	f.Add([]byte(jwksOf(map[string]crypto.PublicKey{"a": ed25519.PublicKey(make([]byte, 32))})))
	f.Add([]byte(`{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"},{"kty":"RSA","n":"AA","e":"AQAB"}]}`))
	f.Fuzz(func(t *testing.T, set []byte) {
		if keys, err := ParseJWKS(set); err == nil && keys.Check() != nil {
			t.Errorf("%s gives keys that can't be used", set)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	secret := make([]byte, 32)
	v := NewVerifier(Config{Keys: Keys{"": {"HS256", secret}}})
	token := []byte(sign(b, lib.SigningMethodHS256, "", secret, Claims{"sub": "ann", "exp": time.Now().Unix() + 3600}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Verify(token); err != nil {
			b.Fatal(err)
		}
	}
}
