//go:build linux

package gateway_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

// Who has a session's cookies is logged in. So no upstream is sent them, whichever route of
// the host a browser asks, and other cookies go on as they are.
func TestSessionCookiesStayHere(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			body := strings.Join(r.Header["Cookie"], "|")
			p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))), 0o600); err != nil {
		t.Fatal(err)
	}
	login := func(id, cookie string) string {
		return "oidc: {issuer: \"http://127.0.0.1:1\", client-id: " + id + ", keys: " + keys + ", insecure: true, cookie: " + cookie + ", callback: /" + id + "/callback, login: /" + id + "/login, logout: /" + id + "/logout}"
	}
	g, address := start(t, "routes:\n"+
		"  - {match: {path: \"/app/*\"}, "+login("app", "sess")+", to: http://"+upstream+"}\n"+
		"  - {match: {path: \"/two/*\"}, "+login("two", "other")+", to: http://"+upstream+"}\n"+
		"  - {match: {path: \"/stored/*\"}, cache: {}, to: http://"+upstream+"}\n"+
		"  - {to: http://"+upstream+"}\n")
	apply := func(text string) {
		t.Helper()
		c, err := config.Parse("test.yaml", []byte("listen: "+address+"\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		unhurried(c)
		g.Apply(c)
	}
	sent := func(address, path string, cookies ...string) string {
		t.Helper()
		fields := ""
		for _, c := range cookies {
			fields += "Cookie: " + c + "\r\n"
		}
		resp, body := ask(t, address, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
		if resp.StatusCode != 200 {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
		return body
	}
	for _, c := range []struct {
		path    string
		cookies []string
		want    string
	}{
		{"/blog", []string{"sess=1.SEALED; sess-1=p; a=b"}, "a=b"},
		{"/blog", []string{"a=b; sess=1.SEALED", "sess-2=x; c=d"}, "a=b; c=d"},
		{"/blog", []string{"sess=1.SEALED"}, ""},
		{"/blog", []string{"sess-login-0=SEALED; other=1.SEALED;a=b"}, "a=b"},
		{"/stored/x", []string{"other-1=1.SEALED; a=b"}, "a=b"},
		{"/blog", []string{"a=b", "c=d"}, "a=b|c=d"},
		{"/blog", []string{"sess-3=mine; session=mine; sess_=mine"}, "sess-3=mine; session=mine; sess_=mine"},
		{"/blog", nil, ""},
	} {
		if got := sent(address, c.path, c.cookies...); got != c.want {
			t.Errorf("%s with %q: the upstream got %q, want %q", c.path, c.cookies, got, c.want)
		}
	}
	apply("routes:\n  - {to: http://" + upstream + "}\n")
	if got := sent(address, "/blog", "sess=mine"); got != "sess=mine" {
		t.Errorf("without logins: %q", got)
	}
	apply("routes:\n  - {match: {path: \"/app/*\"}, " + login("app", "sess") + ", to: http://" + upstream + "}\n  - {to: http://" + upstream + "}\n")
	if got := sent(address, "/blog", "sess=1.SEALED; a=b"); got != "a=b" {
		t.Errorf("a login was added: %q", got)
	}
}
