//go:build linux

package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	coder "github.com/coder/websocket"
	xhttp2 "golang.org/x/net/http2"

	"dyno.example/nano/wire/websocket"
	"dyno.example/nanogate/internal/secure/securetest"
)

const wsKey = "dGhlIHNhbXBsZSBub25jZQ=="

// upgrading is an upstream over HTTP/1.1 that agrees to WebSocket and echoes bytes. It
// goes when it is told "bye", and resets its connection at "reset".
func upgrading(t testing.TB, config *tls.Config) (address string, ended chan error) {
	ended = make(chan error, 100)
	serve := func(p *peer) {
		for {
			r, err := http.ReadRequest(p.r)
			if err != nil {
				return
			}
			key := r.Header.Get("Sec-WebSocket-Key")
			accept := websocket.Accept([]byte(key))
			switch {
			case r.Method != "GET" || r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Connection") != "Upgrade" || len(key) != websocket.KeyLength || r.Header.Get("Sec-WebSocket-Version") != "13":
				p.send("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")
				continue
			case r.URL.Path == "/forbidden":
				p.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
				continue
			case r.URL.Path == "/wrong":
				accept[0] ^= 1
			}
			p.Conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			if _, err := p.r.ReadByte(); err == nil {
				p.send("HTTP/1.1 400 Early\r\nContent-Length: 0\r\n\r\n")
				return
			}
			p.Conn.SetReadDeadline(time.Time{})
			p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: %s\r\nSec-WebSocket-Accept: %s\r\n\r\nhello ", r.Header.Get("Sec-WebSocket-Protocol"), accept[:])
			ended <- echoes(p)
			return
		}
	}
	if config == nil {
		return "http://" + scripted(t, serve), ended
	}
	return "https://" + scripted(t, func(p *peer) {
		c := tls.Server(p.Conn, config)
		defer c.Close()
		serve(&peer{Conn: c, r: bufio.NewReader(c)})
	}), ended
}

func echoes(p *peer) error {
	b := make([]byte, 64<<10)
	for {
		n, err := p.r.Read(b)
		if err != nil {
			return err
		}
		switch string(b[:n]) {
		case "bye":
			return nil
		case "reset":
			reset(p.Conn)
			return nil
		}
		if _, err := p.Conn.Write(b[:n]); err != nil {
			return err
		}
	}
}

// connecting is an upstream over HTTP/2 that takes extended CONNECT and echoes bytes.
func connecting(t testing.TB) (url string) {
	return "h2c://" + scripted(t, func(p *peer) {
		preface := make([]byte, len(xhttp2.ClientPreface))
		if _, err := io.ReadFull(p.Conn, preface); err != nil {
			return
		}
		f := newFramed(t, p.Conn)
		f.TB = quiet{t}
		f.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingEnableConnectProtocol, Val: 1})
		f.WriteWindowUpdate(0, 1<<30)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			id := frame.Header().StreamID
			switch frame := frame.(type) {
			case *xhttp2.SettingsFrame:
				if !frame.IsAck() {
					f.WriteSettingsAck()
				}
			case *xhttp2.MetaHeadersFrame:
				switch {
				case frame.PseudoValue("method") != "CONNECT" || frame.PseudoValue("protocol") != "websocket" || field(frame, "sec-websocket-key") != "" || field(frame, "upgrade") != "" || field(frame, "sec-websocket-version") != "13":
					f.head(id, true, ":status", "400")
				case frame.PseudoValue("path") == "/forbidden":
					f.head(id, false, ":status", "403")
					f.WriteData(id, true, []byte("no"))
				default:
					f.head(id, false, ":status", "200", "sec-websocket-protocol", field(frame, "sec-websocket-protocol"))
					f.WriteData(id, false, []byte("hello "))
				}
			case *xhttp2.DataFrame:
				data := frame.Data()
				switch {
				case string(data) == "bye":
					f.WriteData(id, true, nil)
				case string(data) == "reset":
					f.WriteRSTStream(id, xhttp2.ErrCodeCancel)
				default:
					f.WriteWindowUpdate(id, uint32(len(data))|1)
					f.WriteData(id, frame.StreamEnded(), data)
				}
			}
		}
	})
}

// openWebSocket asks for one by extended CONNECT.
func openWebSocket(t testing.TB, at, path string, pairs ...string) *framed {
	f := dialFramed(t, at, xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1 << 20})
	f.WriteWindowUpdate(0, 1<<20)
	f.until("settings", func(frame xhttp2.Frame) bool {
		s, ok := frame.(*xhttp2.SettingsFrame)
		if !ok {
			return false
		}
		offered, _ := s.Value(xhttp2.SettingEnableConnectProtocol)
		if offered != 1 {
			t.Error("extended CONNECT isn't offered")
		}
		return true
	})
	f.head(1, false, append([]string{":method", "CONNECT", ":protocol", "websocket", ":scheme", "http", ":authority", "h", ":path", path, "sec-websocket-version", "13", "sec-websocket-protocol", "chat"}, pairs...)...)
	return f
}

// responseHead reads the response's status and head.
func (f *framed) responseHead() (status string, head *xhttp2.MetaHeadersFrame) {
	f.Helper()
	head = f.until("a response", func(frame xhttp2.Frame) bool { return frame.Header().Type == xhttp2.FrameHeaders }).(*xhttp2.MetaHeadersFrame)
	return head.PseudoValue("status"), head
}

// data reads n bytes of content; it reports whether the stream has ended with them.
func (f *framed) data(n int) (b []byte, ended bool) {
	f.Helper()
	for len(b) < n || n == 0 {
		frame := f.until("data", func(frame xhttp2.Frame) bool { return frame.Header().Type == xhttp2.FrameData }).(*xhttp2.DataFrame)
		b = append(b, frame.Data()...)
		if len(frame.Data()) > 0 {
			f.WriteWindowUpdate(0, uint32(len(frame.Data())))
			if !frame.StreamEnded() {
				f.WriteWindowUpdate(1, uint32(len(frame.Data())))
			}
		}
		if frame.StreamEnded() {
			return b, true
		}
	}
	return b, false
}

// WebSocket from clients over HTTP/2, to endpoints of either version.
func TestWebSocketOverHTTP2(t *testing.T) {
	ca := securetest.New(t)
	site := ca.Issue("site", time.Hour, "127.0.0.1").Pair(t)
	plain, ended := upgrading(t, nil)
	secured, _ := upgrading(t, &tls.Config{Certificates: []tls.Certificate{site}})
	for name, url := range map[string]string{"HTTP/1.1": plain, "TLS": secured, "HTTP/2": connecting(t)} {
		t.Run(name, func(t *testing.T) {
			text := "routes: [{to: u, timeout: 1m}]\nupstreams: {u: {endpoints: [\"" + url + "\"]"
			if name == "TLS" {
				text += ", tls: {ca: " + ca.Path + "}"
			}
			_, at := startLoops(t, 1, text+"}}\n")
			f := openWebSocket(t, at, "/ws")
			f.WriteData(1, false, []byte("early "))
			status, head := f.responseHead()
			if status != "200" || head.StreamEnded() || field(head, "sec-websocket-protocol") != "chat" || field(head, "sec-websocket-accept") != "" || field(head, "upgrade") != "" {
				t.Fatalf("%v", head.Fields)
			}
			if got, _ := f.data(len("hello early ")); string(got) != "hello early " {
				t.Fatalf("%q", got)
			}
			for i := range 40 { // more than windows hold
				piece := bytes.Repeat([]byte{byte(i)}, 16_000)
				f.WriteData(1, false, piece)
				if got, _ := f.data(len(piece)); !bytes.Equal(got, piece) {
					t.Fatalf("piece %d came back as %d bytes", i, len(got))
				}
			}
			f.WriteData(1, true, []byte("last")) // the end comes after all that was sent
			if got, end := f.data(0); string(got) != "last" || !end {
				t.Errorf("%q", got)
			}
			if name == "HTTP/1.1" {
				if err := <-ended; err != io.EOF {
					t.Errorf("the upstream's side ended with %v", err)
				}
			}

			f = openWebSocket(t, at, "/ws")
			f.responseHead()
			f.data(len("hello "))
			f.WriteData(1, false, []byte("bye"))
			if got, end := f.data(0); len(got) > 0 || !end {
				t.Errorf("the upstream has closed: %q, ended %v", got, end)
			}
			if name != "TLS" {
				f = openWebSocket(t, at, "/ws")
				f.responseHead()
				f.data(len("hello "))
				f.WriteData(1, false, []byte("reset"))
				if code := f.reset(1); code != xhttp2.ErrCodeCancel {
					t.Errorf("the upstream has reset: %v", code)
				}
			}
			f = openWebSocket(t, at, "/forbidden")
			if status, _ := f.responseHead(); status != "403" {
				t.Error(status)
			}
			if got, end := f.data(0); string(got) != "no" || !end {
				t.Errorf("%q, %v", got, end)
			}
		})
	}
}

// A client that resets its stream takes the upstream's connection with it.
func TestWebSocketClientGone(t *testing.T) {
	url, ended := upgrading(t, nil)
	_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
	f := openWebSocket(t, at, "/ws")
	f.responseHead()
	f.data(len("hello "))
	f.WriteRSTStream(1, xhttp2.ErrCodeCancel)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the upstream goes on for nobody")
	}
}

// What can't be had is refused by a status.
func TestWebSocketRefused(t *testing.T) {
	url, _ := upgrading(t, nil)
	without := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) { t.Error("a request came") })
	_, at := startLoops(t, 1, `routes:
  - {match: {path: /without}, to: `+without+`}
  - {match: {path: /denied}, deny: [127.0.0.0/8], to: `+url+`}
  - {match: {path: "/*"}, to: `+url+"}\n")
	for path, want := range map[string]string{"/without": "501", "/denied": "403", "/wrong": "502"} {
		if status, head := openWebSocket(t, at, path).responseHead(); status != want {
			t.Errorf("%s: %v", path, head.Fields)
		}
	}
	if status, head := openWebSocket(t, at, "/", "content-length", "5").responseHead(); status != "400" {
		t.Errorf("%v", head.Fields)
	}
	f := dialFramed(t, at)
	f.head(1, false, ":method", "CONNECT", ":protocol", "connect-udp", ":scheme", "http", ":authority", "h", ":path", "/")
	if status, head := f.responseHead(); status != "501" {
		t.Errorf("%v", head.Fields)
	}
}

// An upgrade of HTTP/1.1 is extended CONNECT to an endpoint over HTTP/2 that takes it.
func TestUpgradeToHTTP2(t *testing.T) {
	_, at := startLoops(t, 1, "routes: [{to: \""+connecting(t)+"\"}]\n")
	c := dial(t, at)
	c.send("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + wsKey + "\r\nSec-WebSocket-Protocol: chat\r\n\r\nearly ")
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Upgrade") != "websocket" || resp.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" || resp.Header.Get("Sec-WebSocket-Protocol") != "chat" {
		t.Fatalf("%v, %v", resp, err)
	}
	large := strings.Repeat("0123456789", 30_000)
	go func() {
		c.send("%s", large)
		c.Conn.(*net.TCPConn).CloseWrite()
	}()
	if got := c.rest(); got != "hello early "+large {
		t.Errorf("%d bytes came through, %.40q", len(got), got)
	}
	c = dial(t, at)
	c.send("GET /forbidden HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + wsKey + "\r\n\r\n")
	if resp, body := c.response(t, "GET"); resp.StatusCode != 403 || body != "no" {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
}

// A WebSocket server that isn't ours takes what comes over HTTP/2.
func TestWebSocketServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := coder.Accept(w, r, &coder.AcceptOptions{Subprotocols: []string{"chat"}})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		for {
			kind, b, err := c.Read(ctx)
			if err != nil {
				return
			}
			c.Write(ctx, kind, []byte(fmt.Sprintf("%s %s", c.Subprotocol(), b)))
		}
	}))
	t.Cleanup(s.Close)
	_, at := startLoops(t, 1, "routes: [{to: \""+s.URL+"\"}]\n")
	f := openWebSocket(t, at, "/")
	if status, head := f.responseHead(); status != "200" || field(head, "sec-websocket-protocol") != "chat" {
		t.Fatalf("%v", head.Fields)
	}
	f.WriteData(1, false, websocket.AppendFrame(nil, websocket.Text, true, []byte("hi"), &[4]byte{1, 2, 3, 4}))
	want := websocket.AppendFrame(nil, websocket.Text, true, []byte("chat hi"), nil)
	if got, _ := f.data(len(want)); !bytes.Equal(got, want) {
		t.Errorf("%q", got)
	}
	f.WriteData(1, false, websocket.AppendClose(nil, 1000, "", &[4]byte{1, 2, 3, 4}))
	if got, end := f.data(0); !bytes.HasPrefix(got, []byte{0x88}) || !end {
		t.Errorf("%q", got)
	}
}
