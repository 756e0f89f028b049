//go:build linux

package proxy

import (
	"bytes"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/snapshot"
)

// bench is a loop without sockets, for what only works on bytes.
func bench(t testing.TB, text string) (*loop, *client) {
	t.Helper()
	c, err := config.Parse("f", []byte("listen: 127.0.0.1:1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	v := &Server{sys: eventloop.Kernel{}, log: slog.New(slog.DiscardHandler)}
	v.current.Store(snapshot.NewBuilder(1).Build(c, nil))
	l, err := newLoop(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Poller.Close)
	return l, &client{peer: netip.MustParseAddrPort("192.0.2.1:5")}
}

// sentHead writes the head that an upstream would get for a request, or nil if the
// request is refused.
func sentHead(l *loop, c *client, b []byte) []byte {
	l.head.Reset()
	n, err := l.head.Parse(b, nil)
	if n == 0 || err != nil {
		return nil
	}
	b = b[:n]
	x, r := &c.x, &l.req
	x.start(&l.head, b, 1)
	r.Begin(&l.head, b)
	r.Peer = c.peer
	l.heads.identify(c, r)
	if l.named.Read(l.head.Fields, b); l.named.Many || l.exchanges.canonical(r) != nil {
		return nil
	}
	if x.route = l.snap.Find(r, &l.found); x.route == nil {
		return nil
	}
	x.upstream = x.route.Target(&l.local)
	x.endpoint = x.upstream.Pick(r, &l.local, nil)
	return l.heads.requestHead(nil, c, r)
}

// fieldsOf are a head's values by lower-case name.
func fieldsOf(fields []http1.Field, b []byte) map[string][]string {
	all := map[string][]string{}
	for _, f := range fields {
		name := strings.ToLower(string(f.Name.Of(b)))
		all[name] = append(all[name], string(f.Value.Of(b)))
	}
	return all
}

// Whatever request is taken, what is sent on is one whole head in itself, says the same
// about the body that follows, and has nothing of what is for one hop or would be
// believed of who sent it.
func FuzzRequestHead(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST //a/../b?c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close, x-a\r\nX-A: b\r\n\r\n",
		"PUT http://u/p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nx_forwarded_for: 1\r\nX-Forwarded-For: 2\r\nTE: trailers\r\n\r\n",
		"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost:\r\nUpgrade: websocket, h2c\r\nConnection: upgrade\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	l, c := bench(f, "routes: [{to: http://127.0.0.1:1}]\n")
	f.Fuzz(func(t *testing.T, b []byte) {
		out := sentHead(l, c, b)
		if out == nil {
			return
		}
		was := l.head
		var sent http1.Request
		n, err := sent.Parse(out, &http1.Limits{Head: 64 << 10, URI: 64 << 10, Fields: 200})
		if err != nil || n != len(out) {
			t.Fatalf("%q became %q: %d of %d bytes are a head, %v", b, out, n, len(out), err)
		}
		if sent.ContentLength != was.ContentLength || sent.Chunked != was.Chunked || !bytes.Equal(sent.Method.Of(out), was.Method.Of(b)) || !bytes.Equal(sent.Query.Of(out), was.Query.Of(b)) || sent.Minor != 1 {
			t.Fatalf("%q became %q", b, out)
		}
		if sent.Form != http1.OriginForm && sent.Form != http1.AsteriskForm {
			t.Fatalf("%q became %q, in another form", b, out)
		}
		if !was.Host.Empty() && !bytes.Equal(sent.Host.Of(out), was.Host.Of(b)) {
			t.Fatalf("%q became %q, for another host", b, out)
		}
		fields := fieldsOf(sent.Fields, out)
		for _, name := range []string{"keep-alive", "proxy-connection", "forwarded", "x-real-ip", "http2-settings", "x-forwarded-port"} {
			if len(fields[name]) > 0 {
				t.Fatalf("%q became %q, with %s", b, out, name)
			}
		}
		for _, name := range []string{"host", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"} {
			if len(fields[name]) != 1 {
				t.Fatalf("%q became %q, with %d of %s", b, out, len(fields[name]), name)
			}
		}
		if fields["x-forwarded-for"][0] != "192.0.2.1" {
			t.Fatalf("%q became %q", b, out)
		}
		for name := range fields {
			switch strings.ReplaceAll(name, "_", "-") {
			case "x-forwarded-for", "transfer-encoding", "content-length":
				if strings.Contains(name, "_") {
					t.Fatalf("%q became %q, with %s", b, out, name)
				}
			}
		}
	})
}

// Whatever response is taken, what is sent on is one whole head, says what follows in a
// way that the client knows, and has nothing of what is for one hop.
func FuzzResponseHead(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.0 200\r\nConnection: keep-alive, a\r\nA: b\r\n\r\n",
		"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\nLink: a\r\nKeep-Alive: 3\r\n\r\n",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nDate: x\r\n\r\n",
	} {
		f.Add([]byte(seed), uint8(1), false)
	}
	l, c := bench(f, "routes: [{to: http://127.0.0.1:1}]\n")
	f.Fuzz(func(t *testing.T, b []byte, minor uint8, toHead bool) {
		n, err := l.resp.Parse(b, toHead, &responseLimits)
		if n == 0 || err != nil || l.resp.Status == 101 {
			return
		}
		b = b[:n]
		c.x = exchange{minor: minor % 2, keep: true}
		was := l.resp
		out := l.heads.responseHead(nil, c, b)
		if was.Status < 200 {
			out = append(out, "\r\n"...)
		} else {
			out = l.heads.framed(out, c)
		}
		var sent http1.ResponseHead
		n, err = sent.Parse(out, toHead, &http1.Limits{Head: 128 << 10, Fields: 300})
		if err != nil || n != len(out) {
			t.Fatalf("%q became %q: %d of %d bytes are a head, %v", b, out, n, len(out), err)
		}
		if sent.Status != was.Status || sent.Minor != 1 {
			t.Fatalf("%q became %q", b, out)
		}
		if was.Status < 200 {
			return
		}
		body := was.Chunked || was.UntilClose
		switch {
		case body && minor%2 == 1:
			if !sent.Chunked || !sent.KeepAlive {
				t.Fatalf("%q became %q, whose end isn't told", b, out)
			}
		case body:
			if !sent.UntilClose || sent.KeepAlive {
				t.Fatalf("%q became %q, whose end isn't told to HTTP/1.0", b, out)
			}
		case sent.Chunked || sent.UntilClose || was.Status != 204 && sent.ContentLength != was.ContentLength:
			t.Fatalf("%q became %q, with another end", b, out)
		}
		fields := fieldsOf(sent.Fields, out)
		if len(fields["date"]) == 0 || len(fields["keep-alive"])+len(fields["upgrade"])+len(fields["proxy-connection"]) > 0 || len(fields["connection"]) > 1 {
			t.Fatalf("%q became %q", b, out)
		}
	})
}

// Who a client is said to be, by how it came and what is trusted.
func TestIdentity(t *testing.T) {
	for _, c := range []struct{ how, peer, sent, client, want string }{
		{"", "192.0.2.1", "", "192.0.2.1", "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\n"},
		{"", "192.0.2.1", "X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: https\r\n", "192.0.2.1", "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\n"},
		{"trust: 192.0.2.0/24\n", "192.0.2.1", "X-Forwarded-For: 8.8.8.8, 192.0.2.9\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: outer\r\n", "8.8.8.8", "X-Forwarded-For: 8.8.8.8, 192.0.2.9, 192.0.2.1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: outer\r\n"},
		{"trust: 192.0.2.0/24\n", "192.0.2.1", "X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-For: nobody, 192.0.2.3\r\n", "invalid IP", "X-Forwarded-For: 8.8.8.8, nobody, 192.0.2.3, 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\n"},
		{"trust: 192.0.2.0/24\n", "198.51.100.1", "X-Forwarded-For: 8.8.8.8\r\n", "198.51.100.1", "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\n"},
		{"forwarded: rfc7239\n", "2001:db8::1", "Forwarded: for=1.1.1.1\r\n", "2001:db8::1", "Forwarded: for=\"[2001:db8::1]\";proto=http\r\n"},
		{"forwarded: both\ntrust: 192.0.2.0/24\n", "192.0.2.1", "X-Forwarded-For: 8.8.8.8\r\n", "8.8.8.8", "Forwarded: for=8.8.8.8, for=192.0.2.1;proto=http\r\nX-Forwarded-For: 8.8.8.8, 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\n"},
		{"forwarded: off\n", "192.0.2.1", "X-Forwarded-For: 8.8.8.8\r\n", "192.0.2.1", ""},
	} {
		l, client := bench(t, c.how+"routes: [{to: http://127.0.0.1:1}]\n")
		client.peer = netip.AddrPortFrom(netip.MustParseAddr(c.peer), 5)
		got := string(sentHead(l, client, []byte("GET / HTTP/1.1\r\nHost: h\r\n"+c.sent+"\r\n")))
		want := "GET / HTTP/1.1\r\nHost: h\r\n" + c.want + "Via: 1.1 nanogate\r\n\r\n"
		if got != want || l.req.Client.String() != c.client {
			t.Errorf("%+v: %q, from %v", c, got, l.req.Client)
		}
	}
}
