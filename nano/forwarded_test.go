package nano

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
)

// requestWith returns an exchange of an app that trusts 10.0.0.0/8 and ::1.
func requestWith(t testing.TB, kind ForwardedFields, peer string, fields ...string) *liveRequest {
	t.Helper()
	app := New(Config{Forwarded: kind, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}})
	x := app.take(nil)
	head := "GET / HTTP/1.1\r\nHost: own\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n"
	if len(fields) == 0 {
		head = "GET / HTTP/1.1\r\nHost: own\r\n\r\n"
	}
	x.Buf = []byte(head)
	if n, err := x.Req.Parse(x.Buf, &http1.Limits{Head: 1 << 20}); n == 0 || err != nil {
		t.Skip("not a request")
	}
	x.Remote = netip.MustParseAddrPort(peer)
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
		{"hidden behind many", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: " + strings.Repeat("10.0.0.2,", 40) + "1.2.3.4"}, "1.2.3.4:0 http own"},
		{"too many proxies", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: 1.2.3.4, 10.0.0.9" + strings.Repeat(",10.0.0.2", 31)}, "10.0.0.9:0 http own"},
		{"proto behind many", "10.0.0.1:5", XForwarded, []string{"X-Forwarded-For: " + strings.Repeat("9.9.9.9,", 40) + "1.2.3.4", "X-Forwarded-Proto: " + strings.Repeat("http,", 40) + "https"}, "1.2.3.4:0 https own"},
		{"hidden behind many", "10.0.0.1:5", Forwarded, []string{"Forwarded: " + strings.Repeat("for=10.0.0.2,", 40) + "for=1.2.3.4"}, "1.2.3.4:0 http own"},
		{"wrong further out", "10.0.0.1:5", Forwarded, []string{`Forwarded: for="1.2.3.4`, "Forwarded: for=5.6.7.8"}, "5.6.7.8:0 http own"},
		{"the other kind", "10.0.0.1:5", XForwarded, []string{"Forwarded: for=1.2.3.4"}, "10.0.0.1:5 http own"},
		{"the other kind", "10.0.0.1:5", Forwarded, []string{"X-Forwarded-For: 1.2.3.4"}, "10.0.0.1:5 http own"},
		{"RFC 7239", "10.0.0.1:5", Forwarded, []string{`Forwarded: For="[2001:db8::1]:47011";proto=https; host="a.example", for=10.0.0.2;proto=http`}, "[2001:db8::1]:47011 https a.example"},
		{"hidden", "10.0.0.1:5", Forwarded, []string{`Forwarded: for=1.2.3.4, for=_hidden`}, "10.0.0.1:5 http own"},
		{"unknown", "10.0.0.1:5", Forwarded, []string{`Forwarded: for=unknown, for=10.0.0.2`}, "10.0.0.2:0 http own"},
		{"wrong", "10.0.0.1:5", Forwarded, []string{`Forwarded: for=1.2.3.4, for="10.0.0.2`}, "10.0.0.1:5 http own"},
	} {
		x := requestWith(t, tt.kind, tt.peer, tt.fields...)
		c := Ctx{x, x.gen.Load()}
		if got := c.RemoteAddr().String() + " " + c.Scheme() + " " + c.Host().String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What net/http calls the peer can be anything once something outside has changed
// it: only a peer on a unix socket is trusted without an address.
func TestForwardedByUnknownPeers(t *testing.T) {
	app := New(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	app.Get("/", func(c Ctx) error { return c.Text(200, c.RemoteAddr().String()+" "+c.Scheme()) })
	app.Get("/detached", func(c Ctx) error {
		return c.Detached(c.Context(), 0, func(c Ctx) error { return c.Text(200, c.RemoteAddr().String()+" "+c.Scheme()) })
	})
	for _, path := range []string{"/", "/detached"} {
		for _, tt := range []struct {
			peer  string
			local net.Addr
			want  string
		}{
			{"10.0.0.1:5", &net.TCPAddr{}, "9.9.9.9:0 https"},
			{"1.2.3.4", &net.TCPAddr{}, "1.2.3.4:0 http"},
			{"somebody", &net.TCPAddr{}, "invalid AddrPort http"},
			{"@", &net.UnixAddr{Name: "s", Net: "unix"}, "9.9.9.9:0 https"},
			{"@", nil, "invalid AddrPort http"},
		} {
			r := httptest.NewRequest("GET", path, nil)
			r.RemoteAddr = tt.peer
			r.Header.Set("X-Forwarded-For", "9.9.9.9")
			r.Header.Set("X-Forwarded-Proto", "https")
			if tt.local != nil {
				r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, tt.local))
			}
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if got := w.Body.String(); got != tt.want {
				t.Errorf("%s from %s at %v: got %s, want %s", path, tt.peer, tt.local, got, tt.want)
			}
		}
	}
}

// Handlers inside middleware of net/http hear what the proxies said, and who the
// middleware takes the client for.
func TestForwardedInsideMiddleware(t *testing.T) {
	app := New(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	who := func(c Ctx) error { return c.Text(200, c.RemoteAddr().String()+" "+c.Scheme()+" "+c.Host().String()) }
	app.Get("/", who, With(FromHTTPMiddleware(func(next http.Handler) http.Handler { return next })))
	app.Get("/renamed", who, With(FromHTTPMiddleware(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.RemoteAddr, r.Host = "5.6.7.8:9", "c"
			next.ServeHTTP(w, r)
		})
	})))
	for path, want := range map[string]string{"/": "1.2.3.4:0 https b", "/renamed": "5.6.7.8:9 https c"} {
		var b strings.Builder
		request := "GET " + path + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: b\r\n\r\n"
		if err := app.ServeBytes(context.Background(), netip.MustParseAddrPort("10.0.0.1:5"), []byte(request), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), "\r\n\r\n"+want) {
			t.Errorf("%s: got %s, want %s", path, b.String(), want)
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
			if !c.RemoteAddr().IsValid() || strings.ContainsAny(c.Host().String(), " /\"\\@,;") {
				t.Errorf("client %v, host %q", c.RemoteAddr(), c.Host())
			}
		}
	})
}
