//go:build linux

package gateway_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/secure/securetest"
)

// securedUpstream responds over TLS with what it was told and how it was connected to.
func securedUpstream(t *testing.T, config *tls.Config) (address string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		shown := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			shown = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		w.Header().Set("Peer", r.RemoteAddr)
		fmt.Fprintf(w, "%s %s %s %s", r.TLS.ServerName, r.Host, shown, body)
	}))
	s.TLS, s.Config.ErrorLog = config, log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// Endpoints are asked over TLS, kept, verified by their names and shown a certificate.
func TestTLSUpstream(t *testing.T) {
	ca := securetest.New(t)
	site := ca.Issue("site", time.Hour, "api.example", "127.0.0.1").Pair(t)
	client := ca.Issue("client", time.Hour, "gateway")
	at := securedUpstream(t, &tls.Config{Certificates: []tls.Certificate{site}, ClientCAs: ca.Pool, ClientAuth: tls.VerifyClientCertIfGiven})
	_, gateway := startLoops(t, 1, fmt.Sprintf(`routes:
  - {match: {path: /name}, to: name}
  - {match: {path: /address}, host: upstream, to: address}
  - {match: {path: /shown}, to: shown, hedge: {after: 1ms}}
upstreams:
  name: {endpoints: ["https://%[1]s"], tls: {ca: %[2]q, server-name: api.example}}
  address: {endpoints: [%[1]q], tls: {ca: %[2]q}, health: {path: /, every: 100ms, timeout: 30s}}
  shown: {endpoints: [%[1]q], tls: {insecure: true, cert: %[3]q, key: %[4]q}}
`, at, ca.Path, client.Cert, client.Key))
	for path, want := range map[string]string{"/name": "api.example h nobody hi", "/address": " " + at + " nobody hi", "/shown": " h gateway hi"} {
		c := dial(t, gateway)
		peers := map[string]bool{}
		for range 3 {
			c.send("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", path)
			if resp, body := c.response(t, "POST"); resp.StatusCode != 200 || body != want {
				t.Errorf("%s: %d %q, want %q", path, resp.StatusCode, body, want)
			} else {
				peers[resp.Header.Get("Peer")] = true
			}
		}
		if len(peers) != 1 {
			t.Errorf("%s: three requests on %d connections", path, len(peers))
		}
	}
	body := strings.Repeat("0123456789abcdef", 100_000)
	resp, err := http.Post("http://"+gateway+"/name", "", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !strings.HasSuffix(string(got), body) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
}

// Who isn't who it should be gets nothing, and the client 502 with a cause that is
// counted.
func TestTLSUpstreamNotVerified(t *testing.T) {
	ca, stranger := securetest.New(t), securetest.New(t)
	site := &tls.Config{Certificates: []tls.Certificate{ca.Issue("site", time.Hour, "api.example").Pair(t)}}
	expired := &tls.Config{Certificates: []tls.Certificate{ca.Issue("old", -time.Minute, "api.example").Pair(t)}}
	wants := &tls.Config{Certificates: site.Certificates, ClientCAs: stranger.Pool, ClientAuth: tls.RequireAndVerifyClientCert, MaxVersion: tls.VersionTLS12}
	plain, requests := respondingWith(t, ok)
	for name, c := range map[string]struct{ at, tls string }{
		"system's authorities": {securedUpstream(t, site), "server-name: api.example"},
		"wrong authority":      {securedUpstream(t, site), "server-name: api.example, ca: " + stranger.Path},
		"wrong name":           {securedUpstream(t, site), "server-name: other.example, ca: " + ca.Path},
		"no such address":      {securedUpstream(t, site), "ca: " + ca.Path},
		"expired":              {securedUpstream(t, expired), "server-name: api.example, ca: " + ca.Path},
		"wants a certificate":  {securedUpstream(t, wants), "server-name: api.example, ca: " + ca.Path},
		"without TLS":          {plain, "server-name: api.example, ca: " + ca.Path},
	} {
		g, at := start(t, "routes: [{name: r, to: u}]\nupstreams: {u: {endpoints: [\"https://"+c.at+"\"], tls: {"+c.tls+"}}}\n")
		resp, body := ask(t, at, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
		if resp.StatusCode != 502 || !strings.Contains(body, "TLS with the upstream failed") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
		if n := g.Snapshot().Routes[0].Counters.Read().Failed[request.Untrusted]; n != 1 {
			t.Errorf("%s: %d failures counted as untrusted", name, n)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests came in the clear", n)
	}
	// What can't be verified at all serves nothing.
	g, at := start(t, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\"https://"+plain+"\"], tls: {ca: /no/such/file}}}\n")
	if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 503 {
		t.Errorf("without authorities: %d", resp.StatusCode)
	}
	if problems := g.Problems(); len(problems) == 0 || !strings.Contains(problems[0], "no such file") {
		t.Errorf("problems: %q", problems)
	}
}

// A response that ends with its connection is whole only if TLS says so.
func TestTLSUpstreamCutOff(t *testing.T) {
	ca := securetest.New(t)
	config := &tls.Config{Certificates: []tls.Certificate{ca.Issue("site", time.Hour, "127.0.0.1").Pair(t)}}
	upstream := scripted(t, func(p *peer) {
		c := tls.Server(p.Conn, config)
		b := make([]byte, 1000)
		n, err := c.Read(b)
		if err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nsome")
		if bytes.HasPrefix(b[:n], []byte("GET /whole")) {
			c.Close()
		}
	})
	_, at := start(t, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\"https://"+upstream+"\"], tls: {ca: "+ca.Path+"}}}\n")
	if resp, body := ask(t, at, "GET /whole HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 || body != "some" {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	c := dial(t, at)
	c.send("GET /cut HTTP/1.1\r\nHost: h\r\n\r\n")
	if resp, err := http.ReadResponse(c.r, nil); err == nil && resp.StatusCode == 200 {
		if body, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("%q came as if it were whole", body)
		}
	}
}

// An endpoint that doesn't get on with its handshake is waited for as long as for a
// connection; a client that goes meanwhile leaves nothing behind.
func TestTLSUpstreamSlow(t *testing.T) {
	begun, ended := make(chan bool, 2), make(chan bool, 2)
	upstream := scripted(t, func(p *peer) {
		begun <- true
		io.Copy(io.Discard, p.r)
		ended <- true
	})
	_, at := start(t, "routes: [{to: u, match: {path: /late}}, {to: v}]\nupstreams: {u: {endpoints: [\""+upstream+"\"], connect: 100ms, tls: {insecure: true}}, v: {endpoints: [\""+upstream+"\"], connect: 1m, tls: {insecure: true}}}\n")
	if resp, _ := ask(t, at, "GET /late HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 502 {
		t.Errorf("%d", resp.StatusCode)
	}
	<-begun
	<-ended
	c := dial(t, at)
	c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-begun
	c.Conn.(*net.TCPConn).CloseWrite()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the connection stays open for nobody")
	}
}

// A route with mtls serves who has the right certificate, and the upstream learns who
// that is from nobody else.
func TestMTLS(t *testing.T) {
	ca := securetest.New(t)
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			body := fmt.Sprint(r.Header["X-Forwarded-Client-Cert"], r.Header["Client-Cert"])
			p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	_, at := start(t, "tls: {"+tlsOf(ca.Issue("site", time.Hour, "site.example"))+", client-ca: "+ca.Path+", client-certificate: request}\nroutes:\n  - {match: {path: /guarded}, mtls: {uris: [\"spiffe://example.com/a/*\"]}, to: http://"+upstream+"}\n  - {to: http://"+upstream+"}\n")
	known, other := ca.Issue("known", time.Hour, "spiffe://example.com/a/b"), ca.Issue("other", time.Hour, "other")
	leaf, err := x509.ParseCertificate(known.Pair(t).Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	shown := "[" + string(request.NewCertificate(leaf).Forwarded) + "] []"
	if !strings.Contains(shown, `;URI="spiffe://example.com/a/b"`) || !strings.Contains(shown, `;Subject="CN=`) {
		t.Errorf("%s", shown)
	}
	for _, c := range []struct {
		name, path string
		files      securetest.Files
		status     int
		body       string
	}{
		{"known", "/guarded", known, 200, shown},
		{"another", "/guarded", other, 403, ""},
		{"none", "/guarded", securetest.Files{}, 401, ""},
		{"none needed", "/", securetest.Files{}, 200, "[] []"},
		{"not needed", "/", known, 200, shown},
	} {
		config := &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"}
		if c.files.Cert != "" {
			config.Certificates = []tls.Certificate{c.files.Pair(t)}
		}
		client := dialTLS(t, at, config)
		client.send("GET %s HTTP/1.1\r\nHost: h\r\nX-Forwarded-Client-Cert: Subject=\"CN=me\"\r\nX_Forwarded_Client_Cert: x\r\nClient-Cert: y\r\n\r\n", c.path)
		if resp, body := client.response(t, "GET"); resp.StatusCode != c.status || c.status == 200 && body != c.body {
			t.Errorf("%s: %d %s, want %d %s", c.name, resp.StatusCode, body, c.status, c.body)
		}
	}
}

// With TLS on both sides it is twice that: see TestTLSDoesNotAllocate.
func TestTLSUpstreamDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	ca := securetest.New(t)
	config := &tls.Config{Certificates: []tls.Certificate{ca.Issue("site", time.Hour, "127.0.0.1").Pair(t)}}
	upstream := scripted(t, func(p *peer) {
		c, buf, response := tls.Server(p.Conn, config), make([]byte, 64<<10), []byte(ok)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			c.Write(response)
		}
	})
	at, client := securely(t, 1, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\"https://"+upstream+"\"], tls: {ca: "+ca.Path+"}}}\n")
	c := dialTLS(t, at, client)
	request, got := []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), make([]byte, len(ok))
	ask := func() {
		c.Conn.Write(request)
		if _, err := io.ReadFull(c.Conn, got); err != nil || string(got[:15]) != "HTTP/1.1 200 OK" {
			t.Fatalf("%v, %s", err, got)
		}
	}
	allocates(t, "over TLS on both sides", 4, ask)
}
