//go:build linux

package gateway_test

import (
	"net/http"
	"testing"
)

// TestCORSIsTheGateways: where a route says which origins may read its responses, what the
// upstream says of that doesn't come to the browser: it would let in others, and two fields
// let in nobody.
func TestCORSIsTheGateways(t *testing.T) {
	o := newOrigin(t)
	o.give("/", responseOf("a", "Access-Control-Allow-Origin: https://evil.example", "access-control-allow-credentials: true", "Access-Control-Expose-Headers: x-secret", "Access-Control-Allow-Methods: DELETE", "Access-Control-Allow-Private-Network: true", "Access-Control-Max-Age: 99", "Cache-Control: max-age=60", "X-Own: 1"))
	_, at := start(t, `routes:
  - {match: {path: /none}, rewrite: /, to: "http://`+o.address+`"}
  - {match: {path: /}, cors: {origins: ["https://app.example"]}, to: "http://`+o.address+`"}
  - {match: {path: /stored}, rewrite: /, cache: {}, cors: {origins: ["https://app.example"]}, to: "http://`+o.address+`"}
  - {match: {path: /set}, rewrite: /, cors: {origins: ["https://app.example"]}, response-headers: {set: {Access-Control-Max-Age: "7"}}, to: "http://`+o.address+`"}
`)
	read := func(path, origin string) http.Header {
		resp, _ := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\nOrigin: "+origin+"\r\n\r\n")
		if resp.StatusCode != 200 || resp.Header.Get("X-Own") != "1" {
			t.Fatalf("%s: %d, %v", path, resp.StatusCode, resp.Header)
		}
		return resp.Header
	}
	for _, path := range []string{"/", "/stored", "/stored"} {
		for _, origin := range []string{"https://evil.example", "https://app.example"} {
			h := read(path, origin)
			want := ""
			if origin == "https://app.example" {
				want = origin
			}
			if got := h.Values("Access-Control-Allow-Origin"); len(got) > 1 || h.Get("Access-Control-Allow-Origin") != want {
				t.Errorf("%s for %s: %v", path, origin, got)
			}
			for _, name := range []string{"Access-Control-Allow-Credentials", "Access-Control-Expose-Headers", "Access-Control-Allow-Methods", "Access-Control-Allow-Private-Network", "Access-Control-Max-Age"} {
				if got := h.Values(name); len(got) > 0 {
					t.Errorf("%s for %s: %s is %v", path, origin, name, got)
				}
			}
		}
	}
	if got := read("/set", "https://app.example").Values("Access-Control-Max-Age"); len(got) != 1 || got[0] != "7" {
		t.Errorf("what the route itself sets is %v", got)
	}
	if got := read("/none", "https://evil.example").Get("Access-Control-Allow-Origin"); got != "https://evil.example" {
		t.Errorf("without cors on the route the upstream says %q", got)
	}
}
