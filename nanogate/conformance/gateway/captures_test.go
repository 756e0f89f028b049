//go:build linux

package gateway_test

import (
	"net/http"
	"sync/atomic"
	"testing"
)

// TestCapturesStayInTheirValue: what a path gives to a query of the gateway's own can't add
// to that query, nor take the place of what stands there.
func TestCapturesStayInTheirValue(t *testing.T) {
	var query atomic.Value
	url := serverOver(t, 1, func(_ http.ResponseWriter, r *http.Request) { query.Store(r.URL.RawQuery) })
	_, at := start(t, `path-parameters: keep
routes:
  - {match: {path: "/rw/{id}/*"}, rewrite: "/v2/{id}/x/{rest}?u={id}&r={rest}", to: "`+url+`"}
  - {match: {path: "/re/{id}"}, redirect: "https://example.com/{id}?u={id}&p={path}"}
`)
	for sent, want := range map[string]string{
		"a":              "u=a&r=c",
		"a&role=admin":   "u=a%26role%3Dadmin&r=c",
		"a;role=admin":   "u=a%3Brole%3Dadmin&r=c",
		"a+b":            "u=a%2Bb&r=c",
		"a%26b%3D%23%25": "u=a%26b%3D%23%25&r=c",
		"%61":            "u=a&r=c",
	} {
		ask(t, at, "GET /rw/"+sent+"/c HTTP/1.1\r\nHost: h\r\n\r\n")
		if got := query.Load(); got != want {
			t.Errorf("rewritten with %s: %s, not %s", sent, got, want)
		}
	}
	for sent, want := range map[string]string{
		"a":       "https://example.com/a?u=a&p=/re/a",
		"a&u=b":   "https://example.com/a&u=b?u=a%26u%3Db&p=/re/a%26u%3Db",
		"a%3Fb=c": "https://example.com/a%3Fb=c?u=a%3Fb%3Dc&p=/re/a%3Fb%3Dc",
	} {
		if resp, _ := ask(t, at, "GET /re/"+sent+" HTTP/1.1\r\nHost: h\r\n\r\n"); resp.Header.Get("Location") != want {
			t.Errorf("redirected with %s: %s, not %s", sent, resp.Header.Get("Location"), want)
		}
	}
}
