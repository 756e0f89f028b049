//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/metrics"
)

// lockedText is a log that may be read while it is written.
type lockedText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// hs256 makes a token by hand.
func hs256(head, claims, secret string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// Why a request was refused stands in the access log, in a metric and in the log at DEBUG,
// and isn't told to the client; nothing of what it has sent is in there.
func TestWhyRefused(t *testing.T) {
	dir := t.TempDir()
	const secret = "0123456789abcdef0123456789abcdef"
	write(t, dir+"/secret", secret)
	write(t, dir+"/keys", "ann: k-0123456789abcdef0123456789abcdef\n")
	write(t, dir+"/htpasswd", "ann:$2y$05$WqUtG.oHvzmJmZKzZ5wN2u2jKrTg8yT9cZ3YQ4QW6cN5p7u5Hs0b6\n")
	upstream, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	text := "listen: 127.0.0.1:0\naccess-log: {to: " + dir + "/access.log}\nclient: {body: 10B}\nroutes:\n" +
		"  - {name: token, match: {path: /token}, jwt: {secret: " + dir + "/secret, issuer: us, audience: here, claims: {role: admin}}, respond: {}}\n" +
		"  - {name: aged, match: {path: /aged}, jwt: {secret: " + dir + "/secret, issuer: us, audience: here, max-age: 1h}, respond: {}}\n" +
		"  - {name: keyed, match: {path: /keyed}, keys: {file: " + dir + "/keys, header: x-key}, respond: {}}\n" +
		"  - {name: basic, match: {path: /basic}, basic: {file: " + dir + "/htpasswd, realm: r}, respond: {}}\n" +
		"  - {name: csrf, match: {path: /csrf}, csrf: on, respond: {}}\n" +
		"  - {name: cors, match: {path: /cors}, cors: {origins: [\"https://a.test\"]}, respond: {}}\n" +
		"  - {name: denied, match: {path: /denied}, deny: [127.0.0.0/8], respond: {}}\n" +
		"  - {name: ruled, match: {path: /ruled}, rules: [{deny: 'request.method == \"GET\"', status: 403}], respond: {}}\n" +
		"  - {name: limited, match: {path: /limited}, limit: {rate: 1/h, burst: 1}, respond: {}}\n" +
		"  - {name: get, match: {path: /get, methods: [GET]}, respond: {}}\n" +
		"  - {name: up, match: {path: /up}, to: \"http://" + upstream + "\"}\n"
	c, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	unhurried(c)
	said := new(lockedText)
	g, err := gateway.Start(c, gateway.Options{Loops: 1, Log: slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		g.Shutdown(ctx)
	})
	at := g.Addresses()[0].String()
	unix := time.Now().Unix()
	token := func(alg, secret, claims string) string {
		return "Authorization: Bearer " + hs256(`{"alg":"`+alg+`"}`, "{"+claims+"}", secret) + "\r\n"
	}
	when := func(name string, from int64) string { return fmt.Sprintf(`,"%s":%d`, name, unix+from) }
	good := `"iss":"us","aud":"here"` + when("exp", 3600)
	var want []string
	for _, one := range []struct {
		line, fields string
		status       int
		why          string
	}{
		{"GET /token", "", 401, "jwt: no token"},
		{"GET /token", "Authorization: Bearer s3cret\r\n", 401, "jwt: malformed"},
		{"GET /token", token("HS256", secret, `"iss":"us","aud":"here"`+when("exp", -3600)), 401, "jwt: expired"},
		{"GET /token", token("HS256", secret, `"iss":"us","aud":"here"`), 401, "jwt: claim missing"},
		{"GET /token", token("HS256", secret, `"iss":"us","aud":"s3cret"`+when("exp", 3600)), 401, "jwt: audience"},
		{"GET /token", token("HS256", secret, `"iss":"s3cret","aud":"here"`+when("exp", 3600)), 401, "jwt: issuer"},
		{"GET /token", token("HS256", secret, good+when("nbf", 3000)), 401, "jwt: not valid yet"},
		{"GET /token", token("HS256", "another", good), 401, "jwt: signature"},
		{"GET /token", token("HS512", secret, good), 401, "jwt: signature"},
		{"GET /token", token("none", secret, good), 401, "jwt: signature"},
		{"GET /token", token("HS256", secret, good), 403, "jwt: claims"},
		{"GET /token", token("HS256", secret, good+`,"role":"admin"`), 200, ""},
		{"GET /aged", token("HS256", secret, good+when("iat", -7200)), 401, "jwt: too old"},
		{"GET /keyed", "", 401, "keys: no key"},
		{"GET /keyed", "X-Key: s3cret\r\n", 401, "keys: unknown key"},
		{"GET /basic", "", 401, "basic: no password"},
		{"GET /basic", "Authorization: Basic YW5uOnMzY3JldA==\r\n", 401, "basic: wrong"},
		{"POST /csrf", "Origin: https://evil.test\r\n", 403, "csrf: origin"},
		{"OPTIONS /cors", "Origin: https://evil.test\r\nAccess-Control-Request-Method: PUT\r\n", 204, "cors: origin"},
		{"GET /denied", "", 403, "access: address"},
		{"GET /ruled", "", 403, "rules: denied"},
		{"GET /limited", "", 200, ""},
		{"GET /limited", "", 429, "limit: rate"},
		{"GET /nowhere", "", 404, "no route"},
		{"PUT /get", "", 405, "no route for the method"},
		{"GET /%00", "", 400, "bad path"},
		{"POST /up", "Content-Length: 100\r\n", 413, "body too large"},
		{"GET /up", "", 200, ""},
		{"GET", "", 400, "bad request"},
	} {
		p := dial(t, at)
		p.send("%s HTTP/1.1\r\nHost: h\r\n%s\r\n", one.line, one.fields)
		method, _, _ := strings.Cut(one.line, " ")
		resp, body := p.response(t, method)
		p.Close()
		if resp.StatusCode != one.status {
			t.Errorf("%s %q: %d %s", one.line, one.fields, resp.StatusCode, body)
		}
		if part, what, _ := strings.Cut(one.why, ": "); part == "jwt" && what != "claims" && strings.Contains(body, what) {
			t.Errorf("%s %q: the client is told why: %s", one.line, one.fields, body)
		}
		want = append(want, one.why)
	}
	for i, line := range logged(t, g, dir+"/access.log") {
		if why, _ := line["refused"].(string); i >= len(want) || why != want[i] {
			t.Errorf("line %d: %v, want %q", i, line, want[i])
		}
	}
	figures := string(metrics.Text(g, false))
	for _, line := range []string{`nanogate_refused_total{route="token",reason="jwt: signature"} 3`, `nanogate_refused_total{route="unrouted",reason="no route"} 1`, `nanogate_refused_total{route="up",reason="body too large"} 1`} {
		if !strings.Contains(figures, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	if text := said.String(); !strings.Contains(text, `level=DEBUG msg="request refused" why="jwt: expired" status=401 route=token peer=127.0.0.1`) {
		t.Errorf("said: %s", text)
	}
	log, _ := os.ReadFile(dir + "/access.log")
	for _, text := range []string{string(log), figures, said.String()} {
		if strings.Contains(text, "s3cret") || strings.Contains(text, "eyJ") {
			t.Errorf("a secret is in it: %s", text)
		}
	}
}
