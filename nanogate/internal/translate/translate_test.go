package translate

import (
	"bytes"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
)

// ends are the two ends of a connection, whose bytes are passed by hand.
type ends struct {
	client, server http2.Conn
	pool           http2.Pool
}

func newEnds() *ends {
	e := &ends{}
	e.client.Start(http2.NewConfig(http2.Config{Table: 4096}), &e.pool, 0)
	e.server.Start(http2.NewConfig(http2.Config{Server: true, Table: 4096}), &e.pool, 0)
	return e
}

// read gives what one end has said to the other until it finds an event of that kind.
func read(t testing.TB, from, to *http2.Conn, kind http2.EventKind) *http2.Event {
	t.Helper()
	b := from.Out
	from.Out = nil
	for {
		n, ev, err := to.Next(b, 1)
		if err != nil {
			t.Fatal(err)
		}
		if b = b[n:]; ev.Kind == kind {
			from.Out = b // what follows is read next time
			return ev
		}
		if ev.Kind == http2.More {
			return nil
		}
	}
}

func TestRequest(t *testing.T) {
	for _, tt := range []struct{ name, sent, want string }{
		{"plain", "GET /a?b HTTP/1.1\r\nHost: h\r\nX-A: b \r\n\r\n", "GET /a?b HTTP/1.1\r\nhost: h\r\nx-a: b\r\n\r\n"},
		{"for one hop", "GET / HTTP/1.1\r\nhost: h\r\nConnection: TE, x\r\nKeep-Alive: 1\r\nTE: trailers\r\nUpgrade: a\r\nProxy-Connection: b\r\nHTTP2-Settings: c\r\n\r\n", "GET / HTTP/1.1\r\nhost: h\r\nte: trailers\r\n\r\n"},
		{"other codings", "GET / HTTP/1.1\r\nhost: h\r\nTE: gzip\r\n\r\n", "GET / HTTP/1.1\r\nhost: h\r\n\r\n"},
		{"chunks", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n"},
		{"length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n", "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\n\r\n"},
		{"the server", "OPTIONS * HTTP/1.1\r\nHost: h:1\r\n\r\n", "OPTIONS * HTTP/1.1\r\nhost: h:1\r\n\r\n"},
	} {
		e := newEnds()
		s, err := e.client.Open()
		if err != nil {
			t.Fatal(err)
		}
		end := !strings.HasPrefix(tt.sent, "POST")
		SendRequest(&e.client, s, []byte(tt.sent), []byte("http"), nil, end)
		ev := read(t, &e.client, &e.server, http2.EventHead)
		var r http1.Request
		text, err := Request(&r, nil, ev.Header, ev.End, 1000)
		if err != nil || string(text) != tt.want {
			t.Errorf("%s: %q, %v", tt.name, text, err)
		}
		var parsed http1.Request
		if n, err := parsed.Parse(text, nil); n != len(text) || err != nil || len(parsed.Fields) != len(r.Fields) || parsed.Chunked != r.Chunked || parsed.ContentLength != r.ContentLength || parsed.Host != r.Host {
			t.Errorf("%s: read as %+v, parsed as %+v, %v", tt.name, r, parsed, err)
		}
	}
}

// Cookies that came as crumbs are one field, a Host beside :authority is none.
func TestRequestJoins(t *testing.T) {
	e := newEnds()
	s, _ := e.client.Open()
	e.client.Request(s, []byte("GET"), []byte("http"), []byte("h"), []byte("/"))
	for _, f := range []string{"cookie:a=1", "host:h", "cookie:b=2"} {
		name, value, _ := strings.Cut(f, ":")
		e.client.Field([]byte(name), []byte(value))
	}
	e.client.Sensitive([]byte("x-secret"), []byte("s"))
	e.client.EndHeaders(true)
	ev := read(t, &e.client, &e.server, http2.EventHead)
	var r http1.Request
	text, err := Request(&r, nil, ev.Header, ev.End, 1000)
	if want := "GET / HTTP/1.1\r\nhost: h\r\ncookie: a=1; b=2\r\nx-secret: s\r\n\r\n"; string(text) != want || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	private := Private(nil, ev.Header)
	if string(private) != "cookie\nx-secret\n" {
		t.Errorf("private: %q", private)
	}
	// It goes on as it came: kept out of compression.
	on := newEnds()
	s, _ = on.client.Open()
	SendRequest(&on.client, s, text, []byte("http"), private, true)
	if ev := read(t, &on.client, &on.server, http2.EventHead); string(Private(nil, ev.Header)) != "cookie\nx-secret\n" {
		t.Errorf("it is compressed on the next hop")
	}
}

// WebSocket by extended CONNECT is an upgrade as text, and extended CONNECT again where it
// goes on so.
func TestWebSocket(t *testing.T) {
	offering := func() *ends {
		e := &ends{}
		e.client.Start(http2.NewConfig(http2.Config{Table: 4096}), &e.pool, 0)
		settings := http2.DefaultSettings
		settings.ConnectProtocol = true
		e.server.Start(http2.NewConfig(http2.Config{Server: true, Table: 4096, Settings: settings}), &e.pool, 0)
		return e
	}
	connect := func(protocol, name, value string) (string, error) {
		e := offering()
		s, _ := e.client.Open()
		e.client.Connect(s, []byte(protocol), []byte("https"), []byte("h:1"), []byte("/a?b"))
		e.client.Field([]byte(name), []byte(value))
		e.client.EndHeaders(false)
		ev := read(t, &e.client, &e.server, http2.EventHead)
		var r http1.Request
		text, err := Request(&r, nil, ev.Header, ev.End, 1000)
		if err == nil && (!r.Upgrade || r.Chunked || string(r.Method.Of(text)) != "GET") {
			t.Errorf("%q is read as %+v", text, r)
		}
		return string(text), err
	}
	text, err := connect("websocket", "sec-websocket-version", "13")
	if want := "GET /a?b HTTP/1.1\r\nhost: h:1\r\nsec-websocket-version: 13\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"; err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
	e := offering()
	s, _ := e.client.Open()
	SendConnect(&e.client, s, []byte(strings.Replace(text, "\r\nupgrade", "\r\nSec-WebSocket-Key: abc\r\nupgrade", 1)), []byte("http"), nil)
	ev := read(t, &e.client, &e.server, http2.EventHead)
	h := ev.Header
	if got := string(h.Method.Of(h.Bytes)) + string(h.Protocol.Of(h.Bytes)) + string(h.Authority.Of(h.Bytes)) + string(h.Path.Of(h.Bytes)); got != "CONNECTwebsocketh:1/a?b" || len(h.Fields) != 1 || ev.End {
		t.Errorf("%s, %d fields", got, len(h.Fields))
	}
	for _, tt := range []struct {
		protocol, name, value string
		status                int
	}{{"connect-udp", "a", "b", 501}, {"WebSocket", "a", "b", 501}, {"websocket", "content-length", "5", 400}} {
		if _, err := connect(tt.protocol, tt.name, tt.value); err == nil || err.(*http1.Error).Status != tt.status {
			t.Errorf("%v: %v", tt, err)
		}
	}
}

func TestRequestRefused(t *testing.T) {
	e := newEnds()
	s, _ := e.client.Open()
	e.client.Request(s, []byte("GET"), []byte("http"), []byte("h"), []byte("/"+strings.Repeat("a", 100)))
	e.client.EndHeaders(true)
	ev := read(t, &e.client, &e.server, http2.EventHead)
	var r http1.Request
	if _, err := Request(&r, nil, ev.Header, true, 50); err == nil || err.(*http1.Error).Status != 414 {
		t.Error(err)
	}
}

func TestResponse(t *testing.T) {
	for _, tt := range []struct {
		name, sent, want string
		end, toHead      bool
	}{
		{"body", "HTTP/1.1 200 OK\r\nContent-Type: a\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-type: a\r\n\r\n", false, false},
		{"none", "HTTP/1.1 404 Not Found\r\nTE: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", true, false},
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", true, true},
		{"to HEAD", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", true, true},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n", true, false},
	} {
		e := newEnds()
		s, _ := e.client.Open()
		method := "GET"
		if tt.toHead {
			method = "HEAD"
		}
		SendRequest(&e.client, s, []byte(method+" / HTTP/1.1\r\nHost: h\r\n\r\n"), []byte("http"), nil, true)
		came := read(t, &e.client, &e.server, http2.EventHead)
		SendResponse(&e.server, came.Stream, []byte(tt.sent), nil, tt.end)
		ev := read(t, &e.server, &e.client, http2.EventHead)
		text := Response(nil, ev.Header, ev.End, tt.toHead)
		if string(text) != tt.want {
			t.Errorf("%s: %q", tt.name, text)
		}
	}
}

func TestTrailers(t *testing.T) {
	e := newEnds()
	s, _ := e.client.Open()
	SendRequest(&e.client, s, []byte("POST / HTTP/1.1\r\nHost: h\r\n\r\n"), []byte("http"), nil, false)
	e.client.SendData(s, []byte("x"), false)
	SendTrailers(&e.client, s, []byte("X-Sum: 5\r\nAuthorization: no\r\n"))
	ev := read(t, &e.client, &e.server, http2.EventTrailers)
	if got := Trailers(nil, ev.Header); string(got) != "x-sum: 5\r\n" || !ev.End {
		t.Errorf("%q", got)
	}
}

// FuzzRequest: whatever head the codec takes over HTTP/2 is refused, or is one whole head
// as text, that says the same and nothing else.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "/a?b", "h", "x-a", "b", true)
	f.Add("OPTIONS", "*", "h:1", "te", "trailers", false)
	f.Add("POST", "/%zz", "[::1]", "content-length", "5", false)
	f.Add("CONNECT", "", "h:1", "", "", true)
	f.Fuzz(func(t *testing.T, method, path, authority, name, value string, end bool) {
		e := newEnds()
		s, _ := e.client.Open()
		e.client.Request(s, []byte(method), []byte("http"), []byte(authority), []byte(path))
		if name != "" {
			e.client.Field([]byte(name), []byte(value))
		}
		e.client.EndHeaders(end)
		ev := read(t, &e.client, &e.server, http2.EventHead)
		if ev == nil {
			return
		}
		var r http1.Request
		text, err := Request(&r, nil, ev.Header, ev.End, 1<<16)
		if err != nil {
			return
		}
		var parsed http1.Request
		n, err := parsed.Parse(text, &http1.Limits{Head: 1 << 20, URI: 1 << 16, Fields: 200})
		if n != len(text) || err != nil {
			t.Fatalf("%q: %d of %d bytes are a head, %v", text, n, len(text), err)
		}
		if !bytes.Equal(parsed.Method.Of(text), []byte(method)) || len(parsed.Fields) != len(r.Fields) || parsed.Chunked != r.Chunked || parsed.ContentLength != r.ContentLength || parsed.Path != r.Path || parsed.Query != r.Query || parsed.Host != r.Host {
			t.Fatalf("%q is read as %+v, and parsed as %+v", text, r, parsed)
		}
	})
}
