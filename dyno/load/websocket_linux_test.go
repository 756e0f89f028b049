package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	xwebsocket "golang.org/x/net/websocket"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/stamp"
	"dyno.example/nano"
	"dyno.example/nano/wire/clock"
	wire "dyno.example/nano/wire/websocket"
	"dyno.example/nano/ws"
)

// overWebSocket is a spec of n messages.
func overWebSocket(target, engine string, connections int, n uint64) Spec {
	s := spec("ws"+strings.TrimPrefix(target, "http"), profile.Profile{Mode: profile.Closed, Connections: connections})
	s.Engine, s.Link.WebSocket, s.MaxRequests, s.Duration = engine, &request.WebSocket{}, n, 0
	s.Requests[0].Body = "hello"
	s.TLS.Insecure = true
	return s
}

func echo(ctx context.Context, conn *websocket.Conn) error {
	for {
		kind, message, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		if err := conn.Write(ctx, kind, message); err != nil {
			return err
		}
	}
}

// webSocketServers are servers that respond to each message with itself: nano's, coder's
// library on net/http, also over TLS, and x/net's.
func webSocketServers(t *testing.T) map[string]string {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler), Loops: 1})
	app.Get("/", ws.Handler(ws.Options{}, echo))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go app.Serve(ln)
	t.Cleanup(func() { app.Shutdown(context.Background()) })
	byCoder := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := websocket.Accept(w, r, nil); err == nil {
			echo(r.Context(), conn)
			conn.CloseNow()
		}
	})
	plain, secure := httptest.NewServer(byCoder), httptest.NewUnstartedServer(byCoder)
	secure.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
	secure.StartTLS()
	other := httptest.NewServer(xwebsocket.Server{Handler: func(conn *xwebsocket.Conn) { io.Copy(conn, conn) }})
	for _, s := range []*httptest.Server{plain, secure, other} {
		t.Cleanup(s.Close)
	}
	return map[string]string{"nano": "http://" + ln.Addr().String(), "coder": plain.URL, "coder over TLS": secure.URL, "x/net": other.URL}
}

func TestWebSocket(t *testing.T) {
	t.Parallel()
	const n = 30
	for name, target := range webSocketServers(t) {
		eachLoop(t, func(t *testing.T, engine string) {
			for _, link := range []request.Link{{}, {PerConnection: 7}, {Reuse: request.NoReuse}, {Reuse: request.Shared}} {
				s := overWebSocket(target, engine, 3, n)
				link.WebSocket = s.Link.WebSocket
				s.Link = link
				s.Requests[0].Body = `{"n": {{seq 100}}, "long": "{{string 300}}"}`
				s.Requests[0].Expect = []string{"json $.n >= 100"}
				r := ran(t, s)
				all := allWindows(r)
				if all.Completed+all.Drained != n || all.Sent != n || all.Errors.Total() != 0 || all.Messages.Out != n || all.Messages.In != n {
					t.Fatalf("%s %+v: completed %d, sent %d, %+v, errors %+v (%v)", name, link, all.Completed, all.Sent, all.Messages, all.Errors, r.FirstErrors)
				}
				before := uint64(3) // connections, which are not counted
				if link.PerConnection > 0 && all.Connects+before < n/7+1 {
					t.Errorf("%s: %d connections for %d messages, 7 each", name, all.Connects, n)
				}
				if link.Reuse == request.NoReuse && all.Connects+before < n {
					t.Errorf("%s: %d connections for %d messages, one each", name, all.Connects, n)
				}
				if r.Unit != "messages" || len(r.Causes) != 0 {
					t.Errorf("%s: counts %s, causes %v", name, r.Unit, r.Causes)
				}
			}
		})
	}
}

// wsPeer is one connection of a server that does what a test wants, by its own code.
type wsPeer struct {
	net.Conn
	in  *bufio.Reader
	nth int // the connection's number, from 1
}

// wsServer shakes hands and then does what a test wants.
func wsServer(t *testing.T, do func(p *wsPeer)) string {
	t.Helper()
	var conns atomic.Int64
	return server(t, func(c net.Conn) {
		p := &wsPeer{c, bufio.NewReader(c), int(conns.Add(1))}
		if p.shake() {
			do(p)
		}
	})
}

func (p *wsPeer) shake() bool {
	r, err := http.ReadRequest(p.in)
	if err != nil {
		return false
	}
	accept := wire.Accept([]byte(r.Header.Get("Sec-WebSocket-Key")))
	_, err = fmt.Fprintf(p, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept[:])
	return err == nil
}

// hear reads a frame of the client; what is wrong with it is the text.
func (p *wsPeer) hear() (first byte, payload string, err error) {
	var head [14]byte
	if _, err := io.ReadFull(p.in, head[:2]); err != nil {
		return 0, "", err
	}
	n := uint64(head[1] & 0x7f)
	if head[1]&0x80 == 0 {
		return 0, "", errors.New("the client's frame is not masked")
	}
	switch n {
	case 126:
		io.ReadFull(p.in, head[2:4])
		n = uint64(binary.BigEndian.Uint16(head[2:]))
	case 127:
		io.ReadFull(p.in, head[2:10])
		n = binary.BigEndian.Uint64(head[2:])
	}
	var mask [4]byte
	io.ReadFull(p.in, mask[:])
	b := make([]byte, n)
	if _, err := io.ReadFull(p.in, b); err != nil {
		return 0, "", err
	}
	for i := range b {
		b[i] ^= mask[i&3]
	}
	return head[0], string(b), nil
}

// message reads up to the next message of the client; ok is false at the end.
func (p *wsPeer) message() (text string, ok bool) {
	for {
		first, payload, err := p.hear()
		if err != nil || first&0x0f == 8 {
			if err == nil {
				io.WriteString(p, say(0x88, payload))
			}
			return "", false
		}
		if first&0x0f < 8 {
			return payload, true
		}
	}
}

// say is a frame as servers send it.
func say(first byte, payload string) string {
	return string(wire.AppendFrame(nil, wire.Opcode(first&0x0f), first&0x80 != 0, []byte(payload), nil))
}

// responding starts a server that responds to each message with what a test wants; n counts
// the messages of all connections, from 1.
func responding(t *testing.T, do func(p *wsPeer, n int, message string)) string {
	t.Helper()
	var n atomic.Int64
	return wsServer(t, func(p *wsPeer) {
		for {
			message, ok := p.message()
			if !ok {
				return
			}
			do(p, int(n.Add(1)), message)
		}
	})
}

// TestWebSocketFaults: each way in which a server can fail a message is a kind of its
// own, with a name, counted as often as it happened.
func TestWebSocketFaults(t *testing.T) {
	t.Parallel()
	const n = 30
	closing := func(code uint16, reason string) string { return string(wire.AppendClose(nil, code, reason, nil)) }
	hang := func(p *wsPeer) { p.Close() }
	for _, tt := range []struct {
		name   string
		bad    string          // sent to every third message instead of a response
		then   func(p *wsPeer) // and done after it
		errors measure.Errors
		cause  string
		says   string
	}{
		{"none", say(0x81, "hello"), nil, measure.Errors{}, "", ""},
		{"close 1011", closing(1011, "out of luck"), nil, measure.Errors{Close: n / 3}, "1011 internal error", `1011 internal error, "out of luck"`},
		{"close 1000", closing(1000, ""), nil, measure.Errors{Close: n / 3}, "1000 normal closure", "1000 normal closure"},
		{"close 4001", closing(4001, ""), nil, measure.Errors{Close: n / 3}, "4001", "closed the WebSocket: 4001"},
		{"close without a status", "\x88\x00", nil, measure.Errors{Close: n / 3}, "1005 no status", "1005 no status"},
		{"no close", "", hang, measure.Errors{Reset: n / 3}, "1006 abnormal closure", "without a close frame"},
		{"an end within a response", "\x81\x05he", hang, measure.Errors{Reset: n / 3}, "1006 abnormal closure", "without a close frame"},
		{"masked", "\x81\x85\x01\x02\x03\x04hello", nil, measure.Errors{Masked: n / 3}, "mask", "masked"},
		{"not UTF-8", say(0x81, "\xff"), nil, measure.Errors{UTF8: n / 3}, "utf8", "not UTF-8"},
		{"reserved bit", "\xc1\x00", nil, measure.Errors{Protocol: n / 3}, "reserved bit", "reserved bit"},
		{"reserved opcode", "\x83\x00", nil, measure.Errors{Protocol: n / 3}, "reserved opcode", "opcode 3"},
		{"stray continuation", "\x80\x00", nil, measure.Errors{Protocol: n / 3}, "stray continuation", "continuation"},
		{"oversize", say(0x82, strings.Repeat("x", 2000)), nil, measure.Errors{Oversize: n / 3}, "oversize", "1000 bytes"},
		{"oversize in parts", say(0x02, strings.Repeat("x", 600)) + say(0x80, strings.Repeat("x", 600)), nil, measure.Errors{Oversize: n / 3}, "oversize", "1000 bytes"},
		{"not as expected", say(0x81, "hullo"), nil, measure.Errors{Expect: n / 3}, "", `body == "hello"`},
		{"HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", nil, measure.Errors{Protocol: n / 3}, "reserved bit", "reserved bit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachLoop(t, func(t *testing.T, engine string) {
				target := responding(t, func(p *wsPeer, n int, message string) {
					if n%3 != 0 {
						io.WriteString(p, say(0x81, message))
						return
					}
					io.WriteString(p, tt.bad)
					if tt.then != nil {
						tt.then(p)
					}
				})
				s := overWebSocket(target, engine, 2, n)
				s.Link.WebSocket.MaxMessage = 1000
				s.Requests[0].Expect = []string{`body == "hello"`}
				r := ran(t, s)
				all := allWindows(r)
				if all.Errors != tt.errors || all.Completed+all.Drained != n-all.Errors.Total() {
					t.Fatalf("completed %d, drained %d, errors %+v, want %+v (%v)", all.Completed, all.Drained, all.Errors, tt.errors, r.FirstErrors)
				}
				said := ""
				for _, why := range r.FirstErrors {
					said += why.String()
				}
				if !strings.Contains(said, tt.says) {
					t.Errorf("it says %q, want %q in it", said, tt.says)
				}
				if tt.cause == "" {
					if len(r.Causes) > 0 {
						t.Errorf("causes %v", r.Causes)
					}
				} else if len(r.Causes) != 1 || r.Causes[0].Name != tt.cause || r.Causes[0].Count != n/3 {
					t.Errorf("causes %v, want %d %s", r.Causes, n/3, tt.cause)
				}
			})
		})
	}
}

// TestWebSocketDrops: a message without a response is a timeout, as many as there are.
func TestWebSocketDrops(t *testing.T) {
	t.Parallel()
	eachLoop(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			target := responding(t, func(p *wsPeer, n int, message string) {
				if n%5 != 0 {
					io.WriteString(p, say(0x81, message))
				}
			})
			s := overWebSocket(target, engine, 4, 20)
			s.Timeout = time.Second
			r := ran(t, s)
			all := allWindows(r)
			if all.Errors != (measure.Errors{Timeout: 4}) || all.Completed+all.Drained != 16 || all.GivenUp(measure.Response) != 4 || !strings.Contains(r.FirstErrors["timeout"].String(), "no response within 1s") {
				wrong("completed %d, errors %+v (%v)", all.Completed, all.Errors, r.FirstErrors)
			}
		})
	})
}

// TestWebSocketKnownDelay: what a server is known to take is what is measured.
func TestWebSocketKnownDelay(t *testing.T) {
	const delay = 20 * time.Millisecond
	eachLoop(t, func(t *testing.T, engine string) {
		target := responding(t, func(p *wsPeer, n int, message string) {
			time.Sleep(delay)
			io.WriteString(p, say(0x81, message))
		})
		for _, p := range []profile.Profile{
			{Mode: profile.Closed, Connections: 5},
			{Mode: profile.Open, Connections: 20, Rate: 200, Arrivals: profile.Uniform},
		} {
			s := overWebSocket(target, engine, 5, 0)
			s.Profile, s.Duration = p, 400*time.Millisecond
			r := mustRun(t, s)
			all, h := allWindows(r), r.Total.Hist[measure.Service]
			if all.Errors.Total() != 0 || h == nil || time.Duration(h.Min()) < delay*99/100 {
				t.Fatalf("%s: errors %v, service %v", p.Mode, r.FirstErrors, h)
			}
			if p.Mode == profile.Open && (all.Offered != 80 || all.Completed+all.Drained != 80) {
				t.Errorf("offered %d, completed %d, drained %d of 80", all.Offered, all.Completed, all.Drained)
			}
		}
	})
}

// TestWebSocketFreeze: messages that are due while the server stands still count from
// when they were due, though no connection was free to send them.
func TestWebSocketFreeze(t *testing.T) {
	const frozen = 300 * time.Millisecond
	eachLoop(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			var until atomic.Int64
			target := responding(t, func(p *wsPeer, n int, message string) {
				if n == 50 {
					until.Store(time.Now().Add(frozen).UnixNano())
				}
				if left := until.Load() - time.Now().UnixNano(); left > 0 {
					time.Sleep(time.Duration(left))
				}
				io.WriteString(p, say(0x81, message))
			})
			s := overWebSocket(target, engine, 2, 0)
			s.Profile = profile.Profile{Mode: profile.Open, Connections: 2, Rate: 500, Arrivals: profile.Uniform}
			s.Duration = 600 * time.Millisecond
			r := ran(t, s)
			slow := int64(0)
			for _, w := range r.Windows {
				if h := w.Hist[measure.Response]; h != nil {
					for _, bar := range h.Distribution() {
						if bar.From >= int64(frozen/3) {
							slow += bar.Count
						}
					}
				}
			}
			// Due in the first two thirds of the stop: at least 100 at 500/s, less one a
			// connection and what lies at the edges.
			if slow < 90 {
				wrong("%d messages took a third of the stop or longer", slow)
			}
			if all := allWindows(r); all.Offered != 300 || all.Completed+all.Drained != 300 {
				t.Errorf("offered %d, completed %d, drained %d", all.Offered, all.Completed, all.Drained)
			}
		})
	})
}

// TestWebSocketPings: each has a pong with the ping's own data, also within a message.
func TestWebSocketPings(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		var pongs atomic.Int64
		target := wsServer(t, func(p *wsPeer) {
			for {
				message, ok := p.message()
				if !ok {
					return
				}
				io.WriteString(p, say(0x89, "one")+say(0x01, message[:2])+say(0x89, "two")+say(0x80, message[2:]))
				for _, want := range []string{"one", "two"} {
					if first, payload, err := p.hear(); err != nil || first != 0x8a || payload != want {
						return
					}
					pongs.Add(1)
				}
			}
		})
		s := overWebSocket(target, engine, 2, 20)
		s.Requests[0].Expect = []string{"body == hello"}
		r := ran(t, s)
		all := allWindows(r)
		if all.Completed+all.Drained != 20 || all.Errors.Total() != 0 || all.Messages.Pings != 40 || pongs.Load() < 36 {
			t.Fatalf("completed %d, %+v, %d pongs, errors %v", all.Completed, all.Messages, pongs.Load(), r.FirstErrors)
		}
	})
}

// TestWebSocketPushes: what a server sends on its own is counted; its stamps give the
// delays.
func TestWebSocketPushes(t *testing.T) {
	const behind = 50 * time.Millisecond
	eachLoop(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			var subscribed atomic.Int64
			target := wsServer(t, func(p *wsPeer) {
				if message, ok := p.message(); !ok || message != "subscribe" {
					return
				}
				subscribed.Add(1)
				for i := 0; ; i++ {
					at := clock.Now() - int64(behind)
					text := say(0x81, fmt.Sprintf(`{"at":%d}`, at))
					switch i % 10 {
					case 8:
						text = say(0x81, "{}")
					case 9:
						text = say(0x01, `{"at":`) + say(0x80, fmt.Sprintf("%d}", at+int64(time.Hour)))
					}
					if _, err := io.WriteString(p, text); err != nil {
						return
					}
					if i == 15 && p.nth == 1 {
						p.Write(wire.AppendClose(nil, 1001, "", nil))
						p.hear()
						return
					}
					time.Sleep(time.Millisecond)
				}
			})
			s := overWebSocket(target, engine, 4, 0)
			s.Duration = 400 * time.Millisecond
			s.Requests[0].Body = "subscribe"
			s.Link.WebSocket = &request.WebSocket{Responses: request.NoResponses, Stamp: &request.Stamp{Where: "json:.at", Clock: stamp.Monotonic}}
			r := mustRun(t, s)
			m, h := r.Total.Messages, r.Total.Hist[measure.Response]
			if m.In == 0 || m.In != r.Total.Completed || r.Total.Errors.Total() != 0 || h == nil {
				wrong("%+v, completed %d, errors %v", m, r.Total.Completed, r.FirstErrors)
				return
			}
			if time.Duration(h.Min()) < behind*99/100 || m.Unstamped == 0 || m.Ahead == 0 || uint64(h.TotalCount()) != m.In-m.Unstamped-m.Ahead {
				wrong("%+v, %d delays from %v on", m, h.TotalCount(), time.Duration(h.Min()))
			}
			if m.Reconnects != 1 || subscribed.Load() < 5 || len(r.Causes) != 1 || r.Causes[0].Name != "1001 going away" {
				wrong("%d times connected again, %d subscriptions, causes %v", m.Reconnects, subscribed.Load(), r.Causes)
			}
			if !has(r, "stamps-ahead") || has(r, "little") {
				wrong("findings %v", r.Findings)
			}
		})
	})
}

// TestWebSocketHandshakes that are refused, or have a wrong response, are reported with what came.
func TestWebSocketHandshakes(t *testing.T) {
	for _, tt := range []struct{ response, says string }{
		{"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "refused the WebSocket: status 403 Forbidden"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "status 200 OK"},
		{"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n", "not the one for our key"},
		{"HTTP/1.1 101 X\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n\r\n", "doesn't upgrade"},
		{"HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n\r\n", "doesn't upgrade"},
		{"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: KEY\r\n\r\n", "doesn't upgrade"},
		{"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", "extension that was not offered"},
		{"SSH-2.0-x\r\n\r\n", "SSH"},
		{"", "without a response to the handshake"},
	} {
		eachLoop(t, func(t *testing.T, engine string) {
			target := server(t, func(c net.Conn) {
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				accept := wire.Accept([]byte(r.Header.Get("Sec-WebSocket-Key")))
				io.WriteString(c, strings.ReplaceAll(tt.response, "KEY", string(accept[:])))
				if tt.response != "" {
					io.Copy(io.Discard, c)
				}
			})
			_, err := begun(t.Context(), overWebSocket(target, engine, 2, 10))
			var none *request.UnreachableError
			if !errors.As(err, &none) || !strings.Contains(none.Why.String(), tt.says) {
				t.Errorf("%q: %v, want %q in it", tt.response, err, tt.says)
			}
		})
	}
}

// TestWebSocketSomeRefused: connections that are refused while the load runs fail the
// messages that waited for them.
func TestWebSocketSomeRefused(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		var conns atomic.Int64
		target := server(t, func(c net.Conn) {
			p := &wsPeer{Conn: c, in: bufio.NewReader(c)}
			if conns.Add(1)%3 == 0 {
				http.ReadRequest(p.in)
				io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
				io.Copy(io.Discard, c)
				return
			}
			if p.shake() {
				for message, ok := p.message(); ok; message, ok = p.message() {
					io.WriteString(c, say(0x81, message))
				}
			}
		})
		s := overWebSocket(target, engine, 1, 30)
		s.Link.Reuse = request.NoReuse
		r := ran(t, s)
		all := allWindows(r)
		if all.Errors.Handshake == 0 || all.Errors.Handshake != all.Errors.Total() || all.Completed+all.Drained+all.Errors.Handshake != 30 || all.Statuses[503] != all.Errors.Handshake {
			t.Fatalf("completed %d, errors %+v (%v), statuses %v", all.Completed, all.Errors, r.FirstErrors, all.Statuses)
		}
		if len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Sent, "Upgrade: websocket") || !strings.Contains(r.Failures[0].Received, "503") {
			t.Errorf("kept %+v", r.Failures)
		}
	})
}

// TestWebSocketDoesNotAllocate per message, in either kind of loop.
func TestWebSocketDoesNotAllocate(t *testing.T) {
	response := []byte(say(0x81, "hello"))
	target := wsServer(t, func(p *wsPeer) {
		for buf := make([]byte, 4096); ; { // a message comes whole: it is short, and waits for its response
			if _, err := p.in.Read(buf); err != nil {
				return
			}
			if _, err := p.Write(response); err != nil {
				return
			}
		}
	})
	eachLoopAlone(t, func(t *testing.T, engine string) {
		for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 8}, {Mode: profile.Open, Connections: 8, Rate: 4000}} {
			s := overWebSocket(target, engine, 8, 0)
			s.Profile, s.Requests[0].Body = p, "{{seq}} {{string 20}}"
			doesNotAllocate(t, s)
		}
	})
}

func TestWebSocketSpecCheck(t *testing.T) {
	good := func() Spec { return overWebSocket("http://127.0.0.1:1", "", 1, 1) }
	for _, tt := range []struct {
		name   string
		change func(s *Spec)
		says   string
	}{
		{"no WebSocket", func(s *Spec) { s.Link.WebSocket = nil }, "of WebSockets, but the load is not"},
		{"HTTP/2", func(s *Spec) { s.Link.Streams = 2 }, "over HTTP/1.1 only"},
		{"events too", func(s *Spec) { s.Link.Events = &request.Events{} }, "not of both"},
		{"answers", func(s *Spec) { s.Link.WebSocket.Responses = "two" }, `answers "two"`},
		{"a stamp of a response", func(s *Spec) { s.Link.WebSocket.Stamp = &request.Stamp{Where: "json:.a"} }, "on its own"},
		{"a stamp by id", func(s *Spec) {
			s.Link.WebSocket = &request.WebSocket{Responses: request.NoResponses, Stamp: &request.Stamp{Where: "id"}}
		}, "has no id"},
		{"a rate to listen", func(s *Spec) {
			s.Link.WebSocket.Responses, s.Profile.Mode, s.Profile.Rate, s.Profile.Arrivals = request.NoResponses, profile.Open, 5, profile.Uniform
		}, "no rate"},
		{"method", func(s *Spec) { s.Requests[0].Method = "POST" }, "not a POST"},
		{"another path", func(s *Spec) { s.Requests = append(s.Requests, request.Request{Path: "/x", Body: "x"}) }, "another one"},
		{"status", func(s *Spec) { s.Requests[0].Expect = []string{"status 200"} }, "has no status"},
		{"header", func(s *Spec) { s.Requests[0].Expect = []string{"header x"} }, "has no header"},
		{"upgrade", func(s *Spec) { s.Requests[0].Headers = []request.Header{{Name: "upgrade", Value: "x"}} }, "handshake's own"},
		{"extensions", func(s *Spec) {
			s.Requests[0].Headers = []request.Header{{Name: "Sec-WebSocket-Extensions", Value: "permessage-deflate"}}
		}, "no extension"},
		{"not UTF-8", func(s *Spec) { s.Requests[0].Body = "\xff" }, "not UTF-8"},
		{"max", func(s *Spec) { s.Link.WebSocket.MaxMessage = -1 }, "longest message"},
	} {
		s := good()
		tt.change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.says)
		}
	}
	s := good()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if s.Engine = "portable"; true {
		if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "event loops") {
			t.Errorf("portable: %v", err)
		}
	}
}
