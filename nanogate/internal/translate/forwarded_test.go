package translate

import (
	"net/netip"
	"testing"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Of what proxies say the last address counts that isn't a trusted one's; what can't be read is
// nobody's. Upstreams are told all of it.
func TestBelievedAndForwarded(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		fields, client string
		secure         bool
		x, rfc         string
	}{
		{"", "10.0.0.1", false, "10.0.0.1", "for=10.0.0.1;proto=http"},
		{"X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: HTTPS\r\n", "1.2.3.4", true, "1.2.3.4, 10.0.0.1", "for=1.2.3.4, for=10.0.0.1;proto=https"},
		{"X-Forwarded-For: 6.6.6.6, 1.2.3.4:80\r\nX-Forwarded-For: 10.2.0.1,,\r\n", "1.2.3.4", false, "6.6.6.6, 1.2.3.4:80, 10.2.0.1,,, 10.0.0.1", "for=6.6.6.6, for=1.2.3.4, for=10.2.0.1, for=10.0.0.1;proto=http"},
		{"X-Forwarded-For: [2001:db8::1]\r\n", "2001:db8::1", false, "[2001:db8::1], 10.0.0.1", `for="[2001:db8::1]", for=10.0.0.1;proto=http`},
		{"X-Forwarded-For: 1.2.3.4, secret\r\n", "invalid IP", false, "1.2.3.4, secret, 10.0.0.1", "for=1.2.3.4, for=unknown, for=10.0.0.1;proto=http"},
	} {
		text := []byte("GET / HTTP/1.1\r\nHost: h\r\n" + c.fields + "\r\n")
		var head http1.Request
		if n, err := head.Parse(text, &http1.Limits{Head: 1 << 10, URI: 1 << 10, Fields: 10}); n == 0 || err != nil {
			t.Fatal(n, err)
		}
		var r request.Request
		r.Begin(&head, text)
		r.Peer = netip.MustParseAddrPort("10.0.0.1:1")
		before, client, secure := Believed(nil, &r, trusted)
		if client.String() != c.client || secure != c.secure {
			t.Errorf("%q: %v %t", c.fields, client, secure)
		}
		scheme := map[bool]string{false: "http", true: "https"}[secure]
		want := "Forwarded: " + c.rfc + "\r\nX-Forwarded-For: " + c.x + "\r\nX-Forwarded-Proto: " + scheme + "\r\nX-Forwarded-Host: "
		if got := AppendForwards(nil, config.ForwardedBoth, r.Peer.Addr(), secure, before); string(got) != want {
			t.Errorf("%q: %s, not %s", c.fields, got, want)
		}
	}
}
