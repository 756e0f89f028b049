//go:build linux

package gateway_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure/securetest"
)

// TestAuthorityIsGone: whose authority is taken out of those that vouch for clients doesn't
// pass any more, on connections that were there before neither, and isn't told to upstreams.
func TestAuthorityIsGone(t *testing.T) {
	site, mine, other := securetest.New(t), securetest.New(t), securetest.New(t)
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			body := "nobody"
			if strings.Contains(r.Header.Get("X-Forwarded-Client-Cert"), "Hash=") {
				body = "told"
			}
			p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	read := func(a *securetest.Authority) string {
		b, err := os.ReadFile(a.Path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	shown := mine.Issue("a", time.Hour, "spiffe://example.com/a")
	for name, c := range map[string]struct {
		file    string // what the authorities' file holds then
		another string // another file in the configuration; "": none
		status  int
		told    string
	}{
		"as it was":               {read(mine), "", 200, "told"},
		"one more":                {read(other) + read(mine), "", 200, "told"},
		"another one":             {read(other), "", 401, "nobody"},
		"another file with it":    {read(mine), read(other) + read(mine), 200, "told"},
		"another file without it": {read(mine), read(other), 401, "nobody"},
	} {
		dir := t.TempDir()
		first, second := filepath.Join(dir, "first.pem"), filepath.Join(dir, "second.pem")
		write(t, first, read(mine))
		text := func(clients string) string {
			return "tls: {" + tlsOf(site.Issue("site", time.Hour, "site.example")) + ", client-ca: " + clients + ", client-certificate: request}\nroutes:\n" +
				"  - {match: {path: /mtls}, mtls: {}, to: http://" + upstream + "}\n  - {match: {path: /open}, to: http://" + upstream + "}\n"
		}
		started := text(first)
		g, at := start(t, started)
		dialled := func() *peer {
			p := dialTLS(t, at, &tls.Config{RootCAs: site.Pool, ServerName: "site.example", Certificates: []tls.Certificate{shown.Pair(t)}})
			p.send("GET /mtls HTTP/1.1\r\nHost: h\r\n\r\n")
			if resp, body := p.response(t, "GET"); resp.StatusCode != 200 || body != "told" {
				t.Fatalf("%s: %d %s before", name, resp.StatusCode, body)
			}
			return p
		}
		guarded, open := dialled(), dialled()
		write(t, first, c.file)
		if c.another != "" {
			write(t, second, c.another)
			started = text(second)
		}
		next, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+started))
		if err != nil {
			t.Fatal(err)
		}
		g.Apply(next)
		asked := func(p *peer, path string) (int, string) {
			p.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
			resp, body := p.response(t, "GET")
			return resp.StatusCode, body
		}
		// Loops hear of another configuration one after the other.
		var status int
		var body string
		for range 200 {
			if _, body = asked(open, "/open"); body == c.told {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if body != c.told {
			t.Errorf("%s: the upstream of a route for all is told %q, not %q", name, body, c.told)
		}
		if status, body = asked(guarded, "/mtls"); status != c.status {
			t.Errorf("%s: %d %s, not %d", name, status, body, c.status)
		}
		if status, _ = asked(open, "/mtls"); status != c.status {
			t.Errorf("%s: %d on the other connection, not %d", name, status, c.status)
		}
		if c.status == 401 {
			if rest := guarded.rest(); rest != "" {
				t.Errorf("%s: the connection goes on with %q", name, rest)
			}
		}
	}
}
