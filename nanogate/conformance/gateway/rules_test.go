//go:build linux

package gateway_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/guard"
)

// Rules are asked with what guards have verified, at once or after a wait, before anything
// reaches the upstream; what can't be evaluated is refused and counted.
func TestRules(t *testing.T) {
	upstream, requests := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const secret = "0123456789abcdef0123456789abcdef"
	token := func(claims string) string {
		text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(text))
		return "Authorization: Bearer " + text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "\r\n"
	}
	writer, reader, nobody := token(`{"exp":9999999999,"scope":"read write"}`), token(`{"exp":9999999999,"scope":"read"}`), token(`{"exp":9999999999}`)
	const key = "X-Api-Key: 0123456789abcdef\r\n"
	const basic = "Authorization: Basic YW5uOnBhc3N3b3Jk\r\n"
	g, at := start(t, `routes:
  - match: {path: "/jwt/{id}"}
    jwt: {secret: `+write("secret", secret)+`}
    rules:
      - require: "'write' in jwt.scope.split(' ') || request.method == 'GET'"
        message: only who may write
      - {deny: "params.id == 'root'", status: 404}
    to: http://`+upstream+`
  - match: {path: /keys}
    keys: {file: `+write("keys", "ann: 0123456789abcdef")+`}
    rules: "keys.name == 'ann'"
    to: http://`+upstream+`
  - match: {path: /basic}
    basic: {file: `+write("passwords", "ann:$2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n")+`}
    rules: "basic.user == 'ann' && request.query['a'] == '1'"
    to: http://`+upstream+`
`)
	for _, c := range []struct {
		line, fields string
		want         int
	}{
		{"POST /jwt/7", writer, 200}, {"POST /jwt/7", writer, 200}, {"POST /jwt/7", reader, 403}, {"GET /jwt/7", reader, 200},
		{"GET /jwt/root", writer, 404}, {"GET /jwt/7", nobody, 200}, {"POST /jwt/7", nobody, 403}, {"POST /jwt/7", "", 401},
		{"GET /keys", key, 200}, {"GET /keys", "X-Api-Key: 1123456789abcdef\r\n", 401},
		{"GET /basic?a=1", basic, 200}, {"GET /basic?a=1", basic, 200}, {"GET /basic?a=2", basic, 403}, {"GET /basic", basic, 403},
	} {
		before := requests.Load()
		resp, body := ask(t, at, c.line+" HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n"+c.fields+"\r\n")
		if resp.StatusCode != c.want || (requests.Load() > before) != (c.want == 200) {
			t.Errorf("%s %s: %d %s, want %d", c.line, c.fields, resp.StatusCode, body, c.want)
		}
		if c.fields == reader && c.want == 403 && !strings.Contains(body, `"only who may write"`) {
			t.Errorf("it is told %s", body)
		}
	}
	counts := g.Snapshot().Routes[0].Rules.Counts()
	if counts[0] != (guard.RuleCounts{Refused: 1, Failed: 1}) || counts[1] != (guard.RuleCounts{Refused: 1}) {
		t.Errorf("%+v", counts)
	}
}
