package guard

import (
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request/requesttest"
)

func TestCSRF(t *testing.T) {
	g := NewCSRF(&config.CSRF{Trust: []config.Origin{{Scheme: "https", Host: "app.example"}, {Scheme: "https", Host: "b.example", Below: true}}})
	const same, cross = "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: cross-site\r\n"
	for _, c := range []struct {
		method, fields string
		secure, passes bool
	}{
		{"GET", cross, false, true},
		{"HEAD", cross + "Origin: https://evil.example\r\n", false, true},
		{"OPTIONS", cross, false, true},
		{"POST", "", false, true}, // no browser
		{"POST", same, false, true},
		{"POST", "Sec-Fetch-Site: none\r\n", false, true},
		{"POST", cross, false, false},
		{"POST", "Sec-Fetch-Site: same-site\r\n", false, false},
		{"POST", "Sec-Fetch-Site: \r\n", false, false},
		{"POST", "Sec-Fetch-Site: Same-Origin\r\n", false, false},
		{"PUT", cross, false, false},
		{"DELETE", cross, false, false},
		{"get", cross, false, false}, // methods have a case
		{"PROPFIND", cross, false, false},
		{"POST", cross + same, false, false},
		{"POST", same + cross, false, false},
		{"POST", cross + "Origin: https://a.example\r\n", false, false}, // what the browser says of the site counts
		{"POST", cross + "Origin: https://app.example\r\n", false, true},
		{"POST", cross + "Origin: https://x.b.example\r\n", false, true},
		{"POST", cross + "Origin: https://b.example\r\n", false, false},
		{"POST", cross + "Origin: http://app.example\r\n", false, false},
		{"POST", cross + "Origin: https://app.example\r\nOrigin: https://app.example\r\n", false, false},
		{"POST", "Origin: https://a.example\r\n", true, true}, // a browser that is old
		{"POST", "Origin: https://A.example\r\n", true, true},
		{"POST", "Origin: http://a.example\r\n", false, true},
		{"POST", "Origin: https://a.example\r\n", false, true}, // somebody before the gateway ends TLS
		{"POST", "Origin: http://a.example\r\n", true, false},
		{"POST", "Origin: https://a.example:8443\r\n", true, false},
		{"POST", "Origin: https://evil.example\r\n", true, false},
		{"POST", "Origin: https://a.example.evil\r\n", true, false},
		{"POST", "Origin: https://a.example\r\nOrigin: https://a.example\r\n", true, false},
		{"POST", "Origin: null\r\n", true, false},
		{"POST", "Origin: \r\n", true, false},
		{"POST", "Origin: https://\r\n", true, false},
		{"GET", cross + "Connection: upgrade\r\nUpgrade: websocket\r\n", false, false},
		{"GET", "Origin: https://evil.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n", true, false},
		{"GET", "Origin: https://a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n", true, true},
	} {
		r := requesttest.Parse(t, c.method+" / HTTP/1.1\r\nHost: a.example\r\n"+c.fields+"\r\n")
		r.Secure = c.secure
		a := g.Check(r)
		if (a == nil) != c.passes || a != nil && a.Status != 403 {
			t.Errorf("%s %q, over TLS %v: %+v, want it to pass: %v", c.method, c.fields, c.secure, a, c.passes)
		}
		if n := testing.AllocsPerRun(10, func() { g.Check(r) }); n != 0 {
			t.Errorf("%s %q: %v allocations", c.method, c.fields, n)
		}
	}
}
