//go:build linux

package gateway_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/secure/securetest"
)

// Who comes in the clear to an address that redirects is sent to https, whatever route there
// is, and however it asks. What a trusted proxy says came over TLS is served.
func TestListenerRedirects(t *testing.T) {
	upstream, requests := respondingWith(t, ok)
	free, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	clear, port := free.Addr().String(), free.Addr().(*net.TCPAddr).Port
	free.Close()
	site := "tls: {" + tlsOf(securetest.New(t).Issue("site", time.Hour, "site.example")) + "}\n"
	const routes = "routes:\n" +
		"  - {match: {host: api.example, path: \"/v1/*\"}, priority: 5000, to: UP}\n" +
		"  - {match: {path: /exact, scheme: http}, to: UP}\n" +
		"  - {to: UP}\n"
	served := strings.ReplaceAll(routes, "UP", "http://"+upstream)
	g, _ := start(t, site+"ready: /ready\ntrust: 127.0.0.9\n"+served)
	set := func(redirect string) {
		t.Helper()
		if problems := applied(t, g, "listen: [127.0.0.1:0, {address: \""+clear+"\", redirect: "+redirect+"}]\n"+site+"ready: /ready\ntrust: 127.0.0.1\n"+served); problems != nil {
			t.Fatal(problems)
		}
	}
	set("https")
	for _, c := range []struct {
		request string
		status  int
		to      string
	}{
		{"GET /v1/secret?a=b&c HTTP/1.1\r\nHost: api.example\r\n\r\n", 308, "https://api.example/v1/secret?a=b&c"},
		{"GET /v1/secret HTTP/1.1\r\nHost: api.example:" + strconv.Itoa(port) + "\r\n\r\n", 308, "https://api.example/v1/secret"},
		{"GET /exact HTTP/1.1\r\nHost: b\r\n\r\n", 308, "https://b/exact"},
		{"POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\nabc", 308, "https://b/"},
		{"GET //evil.example/x HTTP/1.1\r\nHost: b\r\n\r\n", 308, "https://b/evil.example/x"},
		{"GET /../\\evil HTTP/1.1\r\nHost: b\r\n\r\n", 400, ""},
		{"GET http://c.example/x HTTP/1.1\r\nHost: b\r\n\r\n", 308, "https://c.example/x"},
		{"OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n", 308, "https://b/"},
		{"GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n", 308, "https://[2001:db8::1]/"},
		{"GET /x HTTP/1.1\r\nHost:\r\n\r\n", 400, ""},
		{"GET /x HTTP/1.0\r\n\r\n", 400, ""},
		{"GET /ready HTTP/1.1\r\nHost: b\r\n\r\n", 200, ""},
		{"GET /x HTTP/1.1\r\nHost: b\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n\r\n", 308, "https://b/x"},
	} {
		resp, _ := ask(t, clear, c.request)
		if to := resp.Header.Get("Location"); resp.StatusCode != c.status || to != c.to {
			t.Errorf("%q: %d to %q, want %d to %q", c.request, resp.StatusCode, to, c.status, c.to)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests in the clear reached the upstream", n)
	}
	if resp, _ := ask(t, clear, "GET /x HTTP/1.1\r\nHost: b\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n\r\n"); resp.StatusCode != 200 {
		t.Errorf("what a trusted proxy had over TLS: %d", resp.StatusCode)
	}
	set("{port: 8443, status: 301}")
	if resp, _ := ask(t, clear, "GET /x HTTP/1.1\r\nHost: b:80\r\n\r\n"); resp.StatusCode != 301 || resp.Header.Get("Location") != "https://b:8443/x" {
		t.Errorf("%d to %s", resp.StatusCode, resp.Header.Get("Location"))
	}
	if problems := applied(t, g, fmt.Sprintf("listen: [127.0.0.1:0, {address: %q, tls: false}]\n%s%s", clear, site, served)); problems != nil {
		t.Fatal(problems)
	}
	if resp, _ := ask(t, clear, "GET /x HTTP/1.1\r\nHost: b\r\n\r\n"); resp.StatusCode != 200 {
		t.Errorf("without the redirect: %d", resp.StatusCode)
	}
}
