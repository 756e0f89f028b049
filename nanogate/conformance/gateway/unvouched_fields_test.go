//go:build linux

package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// What no client may say: by whose word an upstream would take it for somebody else, or the
// request for another one.
var (
	neverTold = []string{"X-Original-Url", "X-Rewrite-Url", "Proxy", "Client-Cert", "Client-Cert-Chain", "X-Real-Ip", "Forwarded",
		"X_original_url", "X_forwarded_prefix", "X_client_ip", "Client_ip", "Ssl_client_cert", "X_ssl_client_verify"}
	proxysOnly = []string{"X-Forwarded-Prefix", "X-Forwarded-Server", "X-Forwarded-Scheme", "X-Forwarded-Ssl", "X-Forwarded-User", "X-Forwarded-Uri", "X-Forwarded-By",
		"Front-End-Https", "X-Url-Scheme", "X-Host", "X-Original-Host", "X-Original-Uri", "X-Original-Forwarded-For", "X-Client-Ip", "True-Client-Ip",
		"Cf-Connecting-Ip", "Fastly-Client-Ip", "X-Cluster-Client-Ip", "X-Azure-Clientip", "X-Envoy-External-Address",
		"Client-Ip", "Proxy-Client-Ip", "Wl-Proxy-Client-Ip", "X-Proxyuser-Ip", "Akamai-Client-Ip", "X-Nf-Client-Connection-Ip", "X-Vercel-Forwarded-For"}
	certificatesOf = []string{"X-Forwarded-Client-Cert", "X-Forwarded-Tls-Client-Cert", "X-Forwarded-Tls-Client-Cert-Info", "Ssl-Client-Verify", "X-Ssl-Client-S-Dn",
		"X-Ssl-Cert", "X-Client-Cert", "X-Arr-Clientcert", "X-Amzn-Mtls-Clientcert"}
)

// TestUnvouchedFields: fields that say who a client is or what it asked for come to the upstream
// only from who is believed, those of certificates only if that is said too.
func TestUnvouchedFields(t *testing.T) {
	all := slices.Concat(neverTold, proxysOnly, certificatesOf)
	for _, c := range []struct {
		trust string
		pass  []string
	}{
		{"", nil},
		{"trust: 192.0.2.1\ntrust-certificates: true\n", nil},
		{"trust: 127.0.0.1\n", proxysOnly},
		{"trust: 127.0.0.1\ntrust-certificates: true\n", slices.Concat(proxysOnly, certificatesOf)},
	} {
		for in := 1; in <= 2; in++ {
			var seen atomic.Pointer[http.Header]
			url := serverOver(t, in, func(w http.ResponseWriter, r *http.Request) { seen.Store(&r.Header) })
			_, at := start(t, c.trust+"routes: [{to: \""+url+"\"}]\n")
			req, _ := http.NewRequest("GET", "http://"+at+"/", nil)
			for _, name := range all {
				req.Header[name] = []string{"forged"}
			}
			req.Header.Set("X-Else", "forged")
			resp, err := clientOver(t, in).Do(req)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("%v, %v", resp, err)
			}
			resp.Body.Close()
			var got []string
			for name, values := range *seen.Load() {
				if strings.Contains(strings.Join(values, ","), "forged") && name != "X-Else" {
					got = append(got, name)
				}
			}
			want := slices.Sorted(slices.Values(c.pass))
			if slices.Sort(got); !slices.Equal(got, want) || seen.Load().Get("X-Else") != "forged" {
				t.Errorf("%q, HTTP/%d: the upstream was told %v, and should have been %v", c.trust, in, got, want)
			}
		}
	}
}

// TestAddressesThatCantBeRead: a proxy is let in where its clients aren't. Whatever it says of
// one that is no address isn't taken for the proxy's own.
func TestAddressesThatCantBeRead(t *testing.T) {
	upstream, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	_, at := start(t, `trust: 127.0.0.1
routes:
  - {match: {path: /in}, allow: [10.0.0.0/8, 127.0.0.1], to: "http://`+upstream+`"}
  - {match: {path: /out}, deny: [203.0.113.0/24, "2001:db8::/32"], to: "http://`+upstream+`"}
`)
	for _, c := range []struct {
		said    string
		in, out int
	}{
		{"10.1.1.1", 200, 200},
		{"10.1.1.1:80", 200, 200},
		{"::ffff:10.1.1.1", 200, 200},
		{"10.1.1.1, ", 200, 200},
		{", ,", 200, 200}, // nobody is before the proxy
		{"203.0.113.9", 403, 403},
		{"203.0.113.9:4123", 403, 403},
		{"203.0.113.9, ", 403, 403},
		{"10.1.1.1, 203.0.113.9:4123,", 403, 403},
		{"[2001:db8::1]:44", 403, 403},
		{"[2001:db8::1]", 403, 403},
		{"198.51.100.7:1", 403, 200},
		{"unknown", 403, 403},
		{"_hidden", 403, 403},
		{`"203.0.113.9"`, 403, 403},
		{"203.0.113.009", 403, 403},
		{"10.1.1.1, unknown", 403, 403},
		{"fe80::1%eth0", 403, 403},
	} {
		for path, want := range map[string]int{"/in": c.in, "/out": c.out} {
			if resp, _ := ask(t, at, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: %s\r\n\r\n", path, c.said)); resp.StatusCode != want {
				t.Errorf("X-Forwarded-For: %s: %s responds with %d, not %d", c.said, path, resp.StatusCode, want)
			}
		}
	}
}
