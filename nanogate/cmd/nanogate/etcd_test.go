//go:build linux

package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/commandtest"
)

// example is the file that the documentation begins with, as it stands.
const example = `listen: 127.0.0.1:8080
admin: 127.0.0.1:9901
routes:
  - match: {path: "/api/*", methods: [GET, POST]}
    jwt: {jwks: ./jwks.json, issuer: "https://id.example", audience: api}
    limit: {rate: 1000/s, key: client-ip}
    timeout: 150ms
    to: users
  - match: {path: "/*"}
    to: web
upstreams:
  users:
    etcd: {endpoints: ["127.0.0.1:2379"], prefix: /services/users/}
    balance: least-request
    health: {path: /health, every: 1s}
  web: {endpoints: ["http://127.0.0.1:9001", "http://127.0.0.1:9002"]}
`

// client of an etcd that may not be there yet.
func etcdAt(t *testing.T, address string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + address}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// The example works as it stands, but for its ports: with an etcd within, instances that
// register and end, and tokens.
func TestExample(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nanogate.yaml")
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	commandtest.Write(t, filepath.Join(dir, "jwks.json"), fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"a","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public)))
	commandtest.Write(t, path, example)
	if out, errs, code := commandtest.Ended(t, "check", path); code != 0 || !strings.Contains(out, "OK: 2 routes, 2 upstreams") {
		t.Fatalf("%d %s%s", code, out, errs)
	}

	web := strings.TrimPrefix(commandtest.Named(t, "web"), "http://")
	admin, store := freeport.Address(t), freeport.Address(t)
	commandtest.Write(t, path, strings.NewReplacer("127.0.0.1:8080", "127.0.0.1:0", "127.0.0.1:9901", admin, "127.0.0.1:2379", store, "127.0.0.1:9001", web, "127.0.0.1:9002", web).Replace(example))
	g := commandtest.Start(t, "run", "-c", path, "--state", filepath.Join(dir, "state"), "--embedded-etcd", filepath.Join(dir, "etcd"), "--embedded-etcd-listen", store)
	if got := g.Get(t, "/"); got != "200 web/" {
		t.Errorf("web: %s", got)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, new(jose.SignerOptions).WithHeader("kid", "a"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Sign(fmt.Appendf(nil, `{"iss": "https://id.example", "aud": "api", "exp": %d}`, time.Now().Add(time.Hour).Unix()))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := token.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	api := func(bearer string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.Address+"/api/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(resp.StatusCode, " ", string(b))
	}
	until := func(want string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			got := api(signed)
			if strings.HasPrefix(got, want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	}
	if got := api(""); !strings.HasPrefix(got, "401 ") {
		t.Errorf("without a token: %s", got)
	}
	until("503 ") // nobody has registered
	users := strings.TrimPrefix(commandtest.Named(t, "users"), "http://")
	r := commandtest.Command(t, "register", "--etcd", store, "--prefix", "/services/users/", "--ttl", "5s", users)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	until("200 users/api/me")
	resp, err := http.Get("http://" + admin + "/upstreams")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(b), `"live":true`) || !strings.Contains(string(b), "/services/users/") {
		t.Errorf("%s, %v", b, err)
	}
	r.Process.Signal(syscall.SIGTERM)
	if err := r.Wait(); err != nil {
		t.Errorf("register: %v", err)
	}
	until("503 ")
}

// A configuration under a key of etcd is served, followed, and kept for a start without
// etcd; one that is wrong changes nothing.
func TestConfigEtcd(t *testing.T) {
	dir := t.TempDir()
	store := freeport.Address(t)
	c := etcdAt(t, store)
	text := func(body string) string {
		return "listen: 127.0.0.1:0\nroutes: [{respond: {body: " + body + "}}]\n"
	}
	publish := func(text string) {
		if _, err := c.Put(t.Context(), "/gate/config", text); err != nil {
			t.Error(err)
		}
	}
	state := filepath.Join(dir, "state")
	from := []string{"run", "--config-etcd", store, "--config-key", "/gate/config", "--state", state}
	go publish(text("one"))
	g := commandtest.Start(t, append(from, "--embedded-etcd", filepath.Join(dir, "etcd"), "--embedded-etcd-listen", store)...)
	if got := g.Get(t, "/"); got != "200 one" {
		t.Error(got)
	}
	publish(text("two"))
	g.Says(t, "configuration applied")
	if got := g.Get(t, "/"); got != "200 two" {
		t.Error(got)
	}
	publish("listen: 127.0.0.1:0\nrouts: []\n")
	if line := g.Says(t, "did you mean"); !strings.Contains(line, "etcd:/gate/config:2:1: routs") {
		t.Error(line)
	}
	g.Says(t, "keeping the previous configuration")
	if got := g.Get(t, "/"); got != "200 two" {
		t.Errorf("after a wrong one: %s", got)
	}
	g.Cmd.Process.Signal(syscall.SIGTERM)
	g.Cmd.Wait()

	g = commandtest.Start(t, append(from, "--etcd-timeout", "50ms")...)
	if got := g.Get(t, "/"); got != "200 two" {
		t.Errorf("without etcd: %s", got)
	}
}

func TestEtcdUsage(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"run --config-etcd 127.0.0.1:1", "needs a key"},
		{"run --config-key /k --to http://127.0.0.1:1", "go with --config-etcd"},
		{"run --config-etcd 127.0.0.1:1 --config-key /k --to http://127.0.0.1:1", "goes with neither"},
		{"run --config-etcd etcd --config-key /k", `--config-etcd: expected host:port, got "etcd"`},
		{"run --config-etcd http://127.0.0.1:1,https://127.0.0.1:2 --config-key /k", "all http:// or all https://"},
		{"run --to http://127.0.0.1:1 --embedded-etcd x --embedded-etcd-listen 0.0.0.0:0", "expected a loopback address"},
		{"register --prefix /s/", "expected one address"},
		{"register --prefix /s 127.0.0.1:1", "ends with a slash"},
		{"register --prefix /s/ users", `expected host:port, got "users"`},
		{"register --prefix /s/ --ttl 1ms 127.0.0.1:1", "whole seconds"},
		{"register --prefix /s/ --etcd-user a 127.0.0.1:1", "go together"},
	} {
		if _, errs, code := commandtest.Ended(t, strings.Fields(c.args)...); code != 2 || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d, %q", c.args, code, errs)
		}
	}
}
