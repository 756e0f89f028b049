package guard

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"dyno.example/nanogate/internal/filter"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request/requesttest"
)

// issuer signs tokens and publishes its keys as a file.
type issuer struct {
	ec   *ecdsa.PrivateKey
	rsa  *rsa.PrivateKey
	file string
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{ec: ec, rsa: r, file: filepath.Join(t.TempDir(), "jwks.json")}
	i.publish(t, "ec-1")
	return i
}

// publish writes the keys, that of the curve by the name given.
func (i *issuer) publish(t *testing.T, name string) {
	t.Helper()
	point, err := i.ec.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString
	set := map[string]any{"keys": []any{
		map[string]string{"kty": "EC", "crv": "P-256", "kid": name, "x": text(point[1:33]), "y": text(point[33:])},
		map[string]string{"kty": "RSA", "kid": "rsa-1", "alg": "RS256", "n": text(i.rsa.N.Bytes()), "e": "AQAB"},
	}}
	b, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(i.file+".new", b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(i.file+".new", i.file); err != nil {
		t.Fatal(err)
	}
}

// none is not to sign (RFC 7518 3.6): libraries refuse to.
const none jose.SignatureAlgorithm = "none"

// token signs the usual claims, changed by those given.
func (i *issuer) token(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"iss": "id", "aud": "api", "sub": "ann", "scope": "read write", "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range claims {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if alg == none {
		text := base64.RawURLEncoding.EncodeToString
		return text([]byte(`{"alg":"none","kid":"`+kid+`"}`)) + "." + text(body) + "."
	}
	var options jose.SignerOptions
	if kid != "" {
		options.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, &options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Sign(body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := token.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (i *issuer) usual(t *testing.T, claims map[string]any) string {
	return i.token(t, jose.ES256, i.ec, "ec-1", claims)
}

func (i *issuer) rules() config.JWT {
	return config.JWT{JWKS: i.file, Issuer: "id", Audience: "api", Leeway: time.Second, Refresh: time.Hour, Cache: 100,
		Claims: []config.Claim{{Name: "scope", Value: "write"}}, Forward: []config.Claim{{Name: "sub", Value: "x-user"}, {Name: "role", Value: "x-role"}}}
}

func newJWT(t *testing.T, rules config.JWT) *JWT {
	t.Helper()
	g, err := NewJWT(&rules)
	if err != nil {
		t.Fatal(err)
	}
	g.Start()
	t.Cleanup(g.Close)
	return g
}

// status is what a request with such a field gets; 200 if it passes.
func status(t *testing.T, g filter.Filter, fields string) int {
	t.Helper()
	if a := g.Check(requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")); a != nil {
		return a.Status
	}
	return 200
}

func TestJWT(t *testing.T) {
	i := newIssuer(t)
	der, err := x509.MarshalPKIXPublicKey(&i.rsa.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	bearer := func(token string) string { return "Authorization: Bearer " + token + "\r\n" }
	good := i.usual(t, nil)
	for _, c := range []struct {
		name, fields string
		want         int
	}{
		{"valid", bearer(good), 200},
		{"valid, of the other key", bearer(i.token(t, jose.RS256, i.rsa, "rsa-1", nil)), 200},
		{"the scheme's case", "authorization: bEARER  " + good + "\r\n", 200},
		{"none", "", 401},
		{"another scheme", "Authorization: Basic " + good + "\r\n", 401},
		{"twice", bearer(good) + bearer(good), 401},
		{"twice, one of another scheme", "Authorization: Basic x\r\n" + bearer(good), 401},
		{"garbage", bearer("a.b.c"), 401},
		{"cut", bearer(good[:len(good)-3]), 401},
		{"expired", bearer(i.usual(t, map[string]any{"exp": time.Now().Add(-time.Minute).Unix()})), 401},
		{"not yet", bearer(i.usual(t, map[string]any{"nbf": time.Now().Add(time.Minute).Unix()})), 401},
		{"never expires", bearer(i.usual(t, map[string]any{"exp": nil})), 401},
		{"another issuer", bearer(i.usual(t, map[string]any{"iss": "di"})), 401},
		{"another audience", bearer(i.usual(t, map[string]any{"aud": []string{"web"}})), 401},
		{"several audiences", bearer(i.usual(t, map[string]any{"aud": []string{"web", "api"}})), 200},
		{"without a right", bearer(i.usual(t, map[string]any{"scope": "read writer"})), 403},
		{"a list of rights", bearer(i.usual(t, map[string]any{"scope": []string{"read", "write"}})), 200},
		{"another key", bearer(i.token(t, jose.ES256, other, "ec-1", nil)), 401},
		{"an unknown key", bearer(i.token(t, jose.ES256, other, "ec-9", nil)), 401},
		{"no key's name", bearer(i.token(t, jose.ES256, i.ec, "", nil)), 401},
		{"none as its algorithm", bearer(i.token(t, none, nil, "ec-1", nil)), 401},
		{"the public key as a secret", bearer(i.token(t, jose.HS256, public, "rsa-1", nil)), 401},
		{"the key's other algorithm", bearer(i.token(t, jose.PS256, i.rsa, "rsa-1", nil)), 401},
	} {
		g := newJWT(t, i.rules())
		for _, time := range []string{"first", "remembered"} {
			if got := status(t, g, c.fields); got != c.want {
				t.Errorf("%s, %s: %d, want %d", c.name, time, got, c.want)
			}
		}
	}
}

// A request without a token is told what is missing.
func TestJWTMissingToken(t *testing.T) {
	g := newJWT(t, newIssuer(t).rules())
	if a := g.Check(requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")); a == nil || a.Detail != "missing bearer token" {
		t.Errorf("%+v", a)
	}
}

// What upstreams are told of the user comes from the token, never from the client.
func TestJWTForward(t *testing.T) {
	i := newIssuer(t)
	g := newJWT(t, i.rules())
	fields := "X-User: root\r\nX-Role: admin\r\nAuthorization: Bearer "
	for _, c := range []struct {
		claims map[string]any
		want   string
	}{
		{nil, "x-user: ann\r\n"},
		{map[string]any{"role": "cook", "sub": nil}, "x-role: cook\r\n"},
		{map[string]any{"role": 7, "sub": ""}, "x-role: 7\r\n"},
		{map[string]any{"sub": "José Ärger"}, "x-user: José Ärger\r\n"},
		{map[string]any{"role": []string{"a", "b"}, "sub": true}, "x-user: true\r\nx-role: [\"a\",\"b\"]\r\n"},
	} {
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+fields+i.usual(t, c.claims)+"\r\n\r\n")
		for range 2 {
			r.Begin(r.Head, r.Buf)
			if a := g.Check(r); a != nil {
				t.Fatalf("%v: %d", c.claims, a.Status)
			}
			if got := string(r.Forwards()); got != c.want {
				t.Errorf("%v: the upstream gets %q, want %q", c.claims, got, c.want)
			}
			drops := map[string]bool{}
			for _, name := range r.Drops() {
				drops[name] = true
			}
			if !drops["x-user"] || !drops["x-role"] {
				t.Errorf("%v: only %v of the client's fields are removed", c.claims, r.Drops())
			}
		}
	}
}

// A field that says who somebody is says what the claim does, to whoever reads it, or the
// request isn't passed on: upstreams take white space off the ends.
func TestJWTOfWhoLooksLikeAnother(t *testing.T) {
	i := newIssuer(t)
	plain, strict := i.rules(), i.rules()
	strict.Forward = []config.Claim{{Name: "sub", Value: "x-user-id", Identity: true}}
	for _, c := range []struct {
		sub           any
		plain, strict int
	}{
		{"admin", 200, 200}, {"ann lee", 200, 200}, {7, 200, 200}, {nil, 200, 200},
		{"admin ", 403, 403}, {" admin", 403, 403}, {"\tadmin", 403, 403}, {"admin\u00a0", 403, 403}, {"admin\u2003", 403, 403}, {"admin\u3000", 403, 403},
		{"admin\r\nX-Role: root", 403, 403}, {"admin\x00", 403, 403}, {" ", 403, 403},
		{"", 200, 403}, {"аdmin", 200, 403}, {"adm\u200bin", 200, 403}, {"admin\u202e", 200, 403}, // a Cyrillic а; what nobody sees
	} {
		for rules, want := range map[*config.JWT]int{&plain: c.plain, &strict: c.strict} {
			g := newJWT(t, *rules)
			for range 2 { // also when it is remembered
				if got := status(t, g, "Authorization: Bearer "+i.usual(t, map[string]any{"sub": c.sub})+"\r\n"); got != want {
					t.Errorf("sub %q, forwarded by %v: %d, not %d", c.sub, rules.Forward, got, want)
				}
			}
		}
	}
}

// A remembered token passes no longer than it is valid, and not with other keys.
func TestJWTRemembered(t *testing.T) {
	i := newIssuer(t)
	g := newJWT(t, i.rules())
	fields := "Authorization: Bearer " + i.usual(t, nil) + "\r\n"
	if got := status(t, g, fields); got != 200 {
		t.Fatal(got)
	}
	later := time.Now().Add(time.Hour + 2*time.Second)
	g.now = func() time.Time { return later }
	if p := g.verified.find([]byte(fields[len("Authorization: Bearer "):len(fields)-2]), g.current(), later); p != nil {
		t.Error("it is remembered though it has expired")
	}
	g.now = time.Now
	if got := status(t, g, fields); got != 200 {
		t.Fatal(got)
	}
	i.publish(t, "ec-2")
	if err := g.source.Look(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, g, fields); got != 401 {
		t.Errorf("the key was withdrawn, and the token gets %d", got)
	}
	if got := status(t, g, "Authorization: Bearer "+i.token(t, jose.ES256, i.ec, "ec-2", nil)+"\r\n"); got != 200 {
		t.Errorf("the new key's token gets %d", got)
	}
}

// The wall clock may step: what is remembered of a token is worth no more than verifying
// it again would be.
func TestJWTWhenClocksStep(t *testing.T) {
	i := newIssuer(t)
	g := newJWT(t, i.rules())
	start := time.Now()
	fields := "Authorization: Bearer " + i.token(t, jose.ES256, i.ec, "ec-1", map[string]any{"iat": start.Unix(), "nbf": start.Unix(), "exp": start.Add(time.Hour).Unix()}) + "\r\n"
	for n, step := range []struct {
		to   time.Duration // from the start
		want int
	}{
		{time.Minute, 200}, {2 * time.Hour, 401}, {time.Minute, 200}, {-time.Hour, 401}, {time.Minute, 200}, {59 * time.Minute, 200},
		{time.Minute, 200}, {24 * 365 * 10 * time.Hour, 401}, {-24 * 365 * 10 * time.Hour, 401}, {30 * time.Minute, 200},
	} {
		now := start.Add(step.to).Round(0)
		g.now = func() time.Time { return now }
		for range 2 { // the second time it may be remembered
			if got := status(t, g, fields); got != step.want {
				t.Errorf("step %d, to %v: %d, want %d", n, step.to, got, step.want)
			}
		}
	}
}

func TestJWTCheckDoesNotAllocate(t *testing.T) {
	i := newIssuer(t)
	g := newJWT(t, i.rules())
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+i.usual(t, nil)+"\r\n\r\n")
	g.Check(r)
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(r.Head, r.Buf)
		if g.Check(r) != nil {
			t.Error("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations for a token that is remembered", n)
	}
}

func TestVerifiedIsBounded(t *testing.T) {
	v := newVerified(64)
	with := &keys{}
	for n := range 10_000 {
		v.keep(fmt.Appendf(nil, "token %d", n), &credential{with: with})
	}
	kept := 0
	for i := range v.parts {
		kept += len(v.parts[i].young) + len(v.parts[i].old)
	}
	if kept > 64 || kept < 16 {
		t.Errorf("%d tokens are kept of 64 at most", kept)
	}
	if v.find([]byte("token 9999"), with, time.Now()) == nil {
		t.Error("the last one isn't")
	}
	if none := newVerified(0); true {
		none.keep([]byte("a"), &credential{with: with})
		if none.find([]byte("a"), with, time.Now()) != nil {
			t.Error("one is kept of none")
		}
	}
}

func TestJWTFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret := []byte("0123456789abcdef0123456789abcdef")
	for _, c := range []struct {
		name  string
		rules config.JWT
		want  string
	}{
		{"missing", config.JWT{JWKS: filepath.Join(dir, "none")}, "jwt: open " + filepath.Join(dir, "none") + ": no such file or directory"},
		{"no JSON", config.JWT{JWKS: write("bad", "{")}, "jwt: " + filepath.Join(dir, "bad") + ": jwt: reading a JWK Set: unexpected end of JSON input"},
		{"empty", config.JWT{JWKS: write("empty", `{"keys":[]}`)}, "jwt: " + filepath.Join(dir, "empty") + ": jwt: JWK Set: there are no keys"},
		{"short", config.JWT{Secret: write("short", "abc\n")}, "jwt: " + filepath.Join(dir, "short") + `: key "": a secret of 3 bytes is too short for HS256; 32 are needed`},
		{"good", config.JWT{Secret: write("good", string(secret)+"\n"), Cache: 1}, ""},
	} {
		g, err := NewJWT(&c.rules)
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if err != nil {
			continue
		}
		token := (&issuer{}).token(t, jose.HS256, secret, "any", nil)
		if got := status(t, g, "Authorization: Bearer "+token+"\r\n"); got != 200 {
			t.Errorf("%s: %d", c.name, got)
		}
	}
}
