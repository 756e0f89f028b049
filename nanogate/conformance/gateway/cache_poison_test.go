//go:build linux

package gateway_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCacheIsntPoisoned: what one client says in a field that the upstream's response may depend on is
// not in the response that others get from the store.
func TestCacheIsntPoisoned(t *testing.T) {
	o := newOrigin(t)
	for i, c := range []struct{ name, top, route, field, vary string }{
		{"the host before a proxy", "trust: 127.0.0.1\n", "", "X-Forwarded-Host: evil.example", ""},
		{"the same, and the response varies", "trust: 127.0.0.1\n", "", "X-Forwarded-Host: evil.example", "Vary: X-Forwarded-Host"},
		{"the prefix", "trust: 127.0.0.1\n", "", "X-Forwarded-Prefix: //evil.example", ""},
		{"the scheme", "trust: 127.0.0.1\n", "", "X-Forwarded-Scheme: http", ""},
		{"https that isn't", "trust: 127.0.0.1\n", "", "Front-End-Https: on", ""},
		{"another path", "trust: 127.0.0.1\n", "", "X-Original-URL: /evil", ""},
		{"the user", "trust: 127.0.0.1\n", "", "X-Forwarded-User: evil", ""},
		{"the prefix of a stranger", "", "", "X-Forwarded-Prefix: //evil.example", ""},
		{"the host of a stranger", "", "", "X-Forwarded-Host: evil.example", "Vary: X-Forwarded-Host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, at := start(t, c.top+"routes: [{cache: {}, to: http://"+o.address+"}]\n")
			path := fmt.Sprintf("/%d", i)
			o.give(path, responseOf("{n}", "Cache-Control: max-age=60", "X-Nothing: 1\r\n"+c.vary+strings.Repeat("\r\n", min(1, len(c.vary)))+"X-More: 1"))
			get := func(field string) (body, status string) {
				if field != "" {
					field += "\r\n"
				}
				resp, body := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n"+field+"\r\n")
				return body, resp.Header.Get("Cache-Status")
			}
			forged, _ := get(c.field)
			told := strings.Contains(strings.ToLower(o.head(path)), "evil") || strings.Contains(o.head(path), c.field)
			plain, status := get("")
			if told && plain == forged {
				t.Errorf("who says nothing is given what the upstream made for %s (%s)", c.field, status)
			}
			if again, status := get(""); again != plain || !strings.Contains(status, "hit") {
				t.Errorf("who says nothing isn't given what was stored for it: %s, not %s (%s)", again, plain, status)
			}
			if again, status := get(c.field); again != forged || !strings.Contains(status, "hit") {
				t.Errorf("what was stored for who says it isn't given: %s, not %s (%s)", again, forged, status)
			}
		})
	}
}

// TestCacheOfCanaries: who asks for the canary by name gets it, and nobody else by that.
func TestCacheOfCanaries(t *testing.T) {
	old, next := newOrigin(t), newOrigin(t)
	old.give("/", responseOf("old", "Cache-Control: max-age=60"))
	next.give("/", responseOf("next", "Cache-Control: max-age=60"))
	_, at := start(t, "routes: [{cache: {}, to: http://"+old.address+", canary: {to: http://"+next.address+", weight: 0%, header: x-release}}]\n")
	for range 2 {
		for _, c := range []struct{ field, want string }{{"X-Release: canary\r\n", "next"}, {"", "old"}, {"X-Release: stable\r\n", "old"}} {
			if _, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n"+c.field+"\r\n"); body != c.want {
				t.Errorf("%q gets %q, not %q", c.field, body, c.want)
			}
		}
	}
}

// TestCacheOfWhoHasCookies: a page that doesn't say for how long it is fresh, nor that it is
// for all, may be that of the client whose cookie was sent with the request.
func TestCacheOfWhoHasCookies(t *testing.T) {
	o := newOrigin(t)
	const modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"
	for path, c := range map[string]struct {
		fields []string
		stored bool
	}{
		"/heuristic": {[]string{modified}, false},
		"/validated": {[]string{`ETag: "a"`}, false},
		"/nothing":   {[]string{"X-A: b"}, false},
		"/public":    {[]string{modified, "Cache-Control: public"}, true},
		"/fresh":     {[]string{"Cache-Control: max-age=60"}, true},
		"/expires":   {[]string{"Expires: Sun, 06 Nov 2094 08:49:37 GMT"}, true},
	} {
		o.give(path, responseOf("{n}", c.fields...))
		_, at := start(t, "routes: [{cache: {heuristic: 1h, stale-while-revalidate: 1h, stale-if-error: 1h}, to: http://"+o.address+"}]\n")
		alice, _ := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\nCookie: session=alice\r\n\r\n")
		if stored := strings.Contains(alice.Header.Get("Cache-Status"), "stored"); stored != c.stored {
			t.Errorf("%s: %v, stored %t", path, c.fields, stored)
		}
		if _, body := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); (body == "001") != c.stored {
			t.Errorf("%s: %v, and who has no cookie is given response %s", path, c.fields, body)
		}
	}
	o.give("/without", responseOf("{n}", modified))
	_, at := start(t, "routes: [{cache: {heuristic: 1h}, request-headers: {remove: [cookie]}, to: http://"+o.address+"}]\n")
	if resp, _ := ask(t, at, "GET /without HTTP/1.1\r\nHost: h\r\nCookie: session=alice\r\n\r\n"); !strings.Contains(resp.Header.Get("Cache-Status"), "stored") {
		t.Error("what was made without the cookie, which the route takes out, isn't stored")
	}
}
