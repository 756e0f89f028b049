//go:build linux

package gateway_test

import (
	"crypto/tls"
	"fmt"
	"testing"
	"time"

	"dyno.example/nanogate/internal/secure/securetest"
)

// Who somebody is comes from the certificate and from nothing that is sent, and a limit
// counts by it.
func TestIdentityOfCertificate(t *testing.T) {
	ca := securetest.New(t)
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			body := fmt.Sprint(r.Header["X-User-Id"], r.Header["X_user_id"])
			p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	_, at := start(t, "trust: [127.0.0.0/8]\ntls: {"+tlsOf(ca.Issue("site", time.Hour, "site.example"))+", client-ca: "+ca.Path+", client-certificate: request}\nroutes:\n"+
		"  - {mtls: {}, identity: {x-user-id: mtls.uri}, limit: {rate: 1/h, key: {header: x-user-id}}, to: http://"+upstream+"}\n")
	a, b := ca.Issue("a", time.Hour, "spiffe://example.com/a"), ca.Issue("b", time.Hour, "spiffe://example.com/b")
	two := ca.Issue("two", time.Hour, "spiffe://example.com/a", "spiffe://example.com/c")
	for i, c := range []struct {
		files  securetest.Files
		status int
		body   string
	}{
		{a, 200, "[spiffe://example.com/a] []"}, {a, 429, ""}, {b, 200, "[spiffe://example.com/b] []"},
		{two, 403, ""}, {ca.Issue("name", time.Hour, "a.example"), 403, ""}, {securetest.Files{}, 401, ""},
	} {
		config := &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"}
		if c.files.Cert != "" {
			config.Certificates = []tls.Certificate{c.files.Pair(t)}
		}
		client := dialTLS(t, at, config)
		client.send("GET / HTTP/1.1\r\nHost: h\r\nX-User-Id: spiffe://example.com/z\r\nx_user_id: y\r\nX-Forwarded-Client-Cert: URI=\"spiffe://example.com/z\"\r\nClient-Cert: z\r\n\r\n")
		if resp, body := client.response(t, "GET"); resp.StatusCode != c.status || c.status == 200 && body != c.body {
			t.Errorf("%d: %d %s, want %d %s", i, resp.StatusCode, body, c.status, c.body)
		}
	}
}
