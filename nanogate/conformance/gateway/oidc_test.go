//go:build linux

package gateway_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/secure/securetest"
)

// A browser logs in at a provider, is back where it wanted to go, and stays logged in; who
// asks with a token of the provider's gets in without a browser. Both learn of the upstream
// what it was told of them.
func TestLogin(t *testing.T) {
	provider := oidctest.New(t)
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			body := fmt.Sprintf("%s %s %q %q %s", r.Method, r.RequestURI, r.Header["X-User-Id"], r.Header["Cookie"], r.Header.Get("X-Token"))
			p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	dir := t.TempDir()
	for name, text := range map[string]string{"keys": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))), "secret": oidctest.ClientSecret} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ca := securetest.New(t)
	credentials := "client-id: " + oidctest.ClientID + ", client-secret: " + filepath.Join(dir, "secret")
	g, address := start(t, "tls: {"+tlsOf(ca.Issue("site", time.Hour, "site.example"))+"}\nroutes:\n"+
		"  - match: {path: /api}\n    introspect: {url: \""+provider.URL+oidctest.Introspect+"\", "+credentials+"}\n    identity: {x-user-id: introspect.sub}\n    to: http://"+upstream+"\n"+
		"  - oidc: {issuer: \""+provider.URL+"\", "+credentials+", keys: "+filepath.Join(dir, "keys")+", after-logout: /bye, back-channel-logout: /ended, forward: {x-token: access_token}}\n    identity: {x-user-id: oidc.sub}\n    to: http://"+upstream+"\n")

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: ca.Pool},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			if to == "site.example:443" {
				to = address
			}
			return (&net.Dialer{}).DialContext(ctx, network, to)
		},
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Jar: jar, Timeout: patience}
	do := func(method, target string, fields ...string) (int, string, *http.Response) {
		t.Helper()
		req, err := http.NewRequest(method, "https://site.example"+target, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(fields); i += 2 {
			req.Header.Set(fields[i], fields[i+1])
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body), resp
	}
	if status, _, _ := do("GET", "/cart", "Accept", "application/json"); status != 401 {
		t.Errorf("a script: %d", status)
	}
	var status int
	var body string
	waitFor(t, "the provider is known", func() bool {
		status, body, _ = do("GET", "/cart?item=1")
		return status != 503
	})
	const want = `GET /cart?item=1 ["id2"] [] `
	if status != 200 || !strings.HasPrefix(body, want) {
		t.Fatalf("%d %s", status, body)
	}
	token := strings.TrimPrefix(body, want)
	if status, body, resp := do("GET", "/cart?item=1", "X-User-Id", "root", "Cookie", "theme=dark"); status != 200 || resp.Request.Response != nil || !strings.HasPrefix(body, `GET /cart?item=1 ["id2"] ["theme=dark"]`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := do("POST", "/cart", "Sec-Fetch-Site", "same-origin"); status != 200 || !strings.HasPrefix(body, `POST /cart ["id2"]`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _, _ := do("POST", "/cart", "Sec-Fetch-Site", "cross-site"); status != 403 {
		t.Errorf("sent by another site: %d", status)
	}
	for _, bearer := range []struct {
		token string
		want  string
	}{{token, `200 GET /api ["id2"]`}, {token, `200 GET /api ["id2"]`}, {token + "x", "401 "}, {"", "401 "}} {
		fields := []string{"Authorization", "Bearer " + bearer.token}
		if bearer.token == "" {
			fields = nil
		}
		status, body, _ := do("GET", "/api", fields...)
		if got := fmt.Sprint(status, " ", body); !strings.HasPrefix(got, bearer.want) {
			t.Errorf("%.8s…: %s", bearer.token, got)
		}
	}
	if n := provider.RequestCount(oidctest.Introspect); n != 2 {
		t.Errorf("the provider was asked of tokens %d times", n)
	}
	provider.Away.Store(true)
	if status, body, _ := do("GET", "/cart"); status != 200 {
		t.Errorf("the provider is away: %d %s", status, body)
	}
	provider.Away.Store(false)

	// Another browser's session is ended by the provider's server.
	provider.Session.Store("another")
	if client.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	if status, body, _ := do("GET", "/cart"); status != 200 || !strings.HasPrefix(body, `GET /cart ["id2"]`) {
		t.Errorf("another browser: %d %s", status, body)
	}
	for logoutToken, want := range map[string]int{"none": 400, provider.Logout(t, "another", "", time.Now().Add(time.Second), nil): 200} {
		resp, err := (&http.Client{Transport: transport, Timeout: patience}).PostForm("https://site.example/ended", url.Values{"logout_token": {logoutToken}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("a logout: %d %v, want %d", resp.StatusCode, resp.Header, want)
		}
	}
	if status, _, _ := do("GET", "/cart", "Accept", "application/json"); status != 401 {
		t.Errorf("after its session was ended: %d", status)
	}
	client.Jar = jar
	w := httptest.NewRecorder()
	admin.New(g, admin.Options{Local: true}).ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/identity", nil))
	var asked []admin.Identity
	if err := json.Unmarshal(w.Body.Bytes(), &asked); err != nil || len(asked) != 2 ||
		asked[0] != (admin.Identity{Route: "route-1", Guard: "introspect", Where: provider.URL + oidctest.Introspect, Ready: true}) ||
		asked[1] != (admin.Identity{Route: "route-2", Guard: "oidc", Where: provider.URL, Ready: true, Logouts: 1}) {
		t.Errorf("/identity: %s, %v", w.Body, err)
	}

	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, _, resp := do("GET", "/oauth2/logout")
	if at := provider.LogIn(t, resp.Header.Get("Location")); at.String() != "https://site.example/bye" {
		t.Errorf("logged out, sent to %s", at)
	}
	if status, _, _ := do("GET", "/cart"); status != 302 {
		t.Errorf("logged out: %d", status)
	}
}
