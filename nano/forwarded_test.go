package nano

import (
	"net/netip"
	"strings"
	"testing"

	"dyno/internal/http1"
)

// requestWith returns an exchange of an app that trusts 10.0.0.0/8 and ::1.
func requestWith(t testing.TB, kind ForwardedFields, peer string, fields ...string) *exchange {
	t.Helper()
	app := New(Config{Forwarded: kind, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}})
	x := app.take(nil)
	head := "GET / HTTP/1.1\r\nHost: own\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n"
	if len(fields) == 0 {
		head = "GET / HTTP/1.1\r\nHost: own\r\n\r\n"
	}
	x.buf = []byte(head)
	if n, err := x.req.Parse(x.buf, &http1.Limits{Head: 1 << 20}); n == 0 || err != nil {
		t.Skip("not a request")
	}
	x.remote = netip.MustParseAddrPort(peer)
	return x
}

func TestForwarded(t *testing.T) {
	for _, tt := range []struct {
		name, peer string
		kind       ForwardedFields
		fields     []string
		want       string // client scheme host
	}{
		{"nothing", "10.0.0.1:5", XForwarded, nil, "10.0.0.1:5 http own"},
		{"one", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https", "X-Forwarded-Host: shop.example:8443"}, "1.2.3.4:0 https shop.example:8443"},
		{"not trusted", "11.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https", "X-Forwarded-Host: h"}, "11.0.0.1:5 http own"},
		{"forged by the client", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 9.9.9.9, 1.2.3.4"}, "1.2.3.4:0 http own"},
		{"through two", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 9.9.9.9, 1.2.3.4, 10.0.0.2"}, "1.2.3.4:0 http own"},
		{"in two fields", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 10.0.0.2"}, "1.2.3.4:0 http own"},
		{"all trusted", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 10.0.0.3, 10.0.0.2"}, "10.0.0.3:0 http own"},
		{"proto for each", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 9.9.9.9, 1.2.3.4", "X-Forwarded-Proto: https, http"}, "1.2.3.4:0 http own"},
		{"proto for some", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 9.9.9.9, 1.2.3.4, 10.0.0.2", "X-Forwarded-Proto: https, https"}, "1.2.3.4:0 http own"},
		{"unreadable", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4, somebody"}, "10.0.0.1:5 http own"},
		{"unreadable further out", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: x, 10.0.0.2"}, "10.0.0.2:0 http own"},
		{"port", "[::1]:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4:99"}, "1.2.3.4:99 http own"},
		{"IPv6", "[::1]:5", XForwarded, []string{"X-Forwarded-For: 2001:db8::1"}, "[2001:db8::1]:0 http own"},
		{"IPv6 and port", "[::1]:5", XForwarded, []string{"X-Forwarded-For: [2001:db8::1]:7"}, "[2001:db8::1]:7 http own"},
		{"bad scheme and host", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: javascript", "X-Forwarded-Host: a b/c"}, "1.2.3.4:0 http own"},
		{"too many", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: " + strings.Repeat("10.0.0.2,", 40) + "1.2.3.4"}, "10.0.0.1:5 http own"},
		{"the other kind", "10.0.0.1:5", XForwarded, []string{"Forwarded: for=1.2.3.4"}, "10.0.0.1:5 http own"},
		{"the other kind", "10.0.0.1:5", Forwarded, []string{"X-Forwarded-For: 1.2.3.4"}, "10.0.0.1:5 http own"},
		{"RFC 7239", "10.0.0.1:5", Forwarded, []string{`Forwarded: For="[2001:db8::1]:47011";proto=https; host="a.example", for=10.0.0.2;proto=http`}, "[2001:db8::1]:47011 https a.example"},
		{"hidden", "10.0.0.1:5", Forwarded, []string{`Forwarded: for=1.2.3.4, for=_hidden`}, "10.0.0.1:5 http own"},
		{"unknown", "10.0.0.1:5", Forwarded, []string{`Forwarded: for=unknown, for=10.0.0.2`}, "10.0.0.2:0 http own"},
		{"wrong", "10.0.0.1:5", Forwarded, []string{`Forwarded: for=1.2.3.4, for="10.0.0.2`}, "10.0.0.1:5 http own"},
	} {
		x := requestWith(t, tt.kind, tt.peer, tt.fields...)
		c := Ctx{x, x.gen.Load()}
		if got := c.RemoteAddr().String() + " " + c.Scheme() + " " + c.Host().Copy(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func FuzzForwarded(f *testing.F) {
	f.Add("for=1.2.3.4;proto=https;host=a, for=\"[::1]:7\"")
	f.Add("1.2.3.4, [::1]:80, 10.0.0.1")
	f.Add("for=\"\\\"\";by=x")
	f.Fuzz(func(t *testing.T, value string) {
		if len(value) > 4096 || !http1.ValidFieldValue(value) {
			t.Skip()
		}
		for _, kind := range []ForwardedFields{XForwarded, Forwarded} {
			x := requestWith(t, kind, "10.0.0.1:5", "Forwarded: "+value, "X-Forwarded-For: "+value, "X-Forwarded-Host: "+value)
			c := Ctx{x, x.gen.Load()}
			if s := c.Scheme(); s != "http" && s != "https" {
				t.Errorf("scheme %q", s)
			}
			if !c.RemoteAddr().IsValid() || strings.ContainsAny(c.Host().Copy(), " /\"\\@,;") {
				t.Errorf("client %v, host %q", c.RemoteAddr(), c.Host())
			}
		}
	})
}
