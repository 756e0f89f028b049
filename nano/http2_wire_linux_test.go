package nano_test

import (
	"net"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
)

// h2peer is a client of HTTP/2 whose frames a test has in its hands.
type h2peer struct {
	*testing.T
	net.Conn
	codec http2.Conn
	pool  http2.Pool
	buf   [64 << 10]byte
	in    []byte // of buf: read and not used
	mute  bool   // it says no more
}

func dialHTTP2(t *testing.T, address string) *h2peer {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute)) // a test that hangs says where
	p := &h2peer{T: t, Conn: c}
	settings := http2.DefaultSettings
	settings.InitialWindow = 1<<16 - 1
	p.codec.Start(http2.NewConfig(http2.Config{Table: 4096, Settings: settings, Window: 1<<16 - 1}), &p.pool, clock.Now())
	return p
}

func (p *h2peer) flush() {
	if len(p.codec.Out) > 0 && !p.mute {
		if _, err := p.Conn.Write(p.codec.Out); err != nil {
			p.Fatal(err)
		}
		p.codec.Out = p.codec.Out[:0]
		p.codec.Flushed()
	}
}

// next gives the next event that isn't about the connection, nil when it has ended.
func (p *h2peer) next() *http2.Event {
	for {
		n, ev, err := p.codec.Next(p.in, clock.Now())
		p.in = p.in[n:]
		switch {
		case err != nil:
			p.Fatal(err)
		case ev.Kind == http2.EventSettings:
		case ev.Kind != http2.More:
			return ev
		default:
			p.flush()
			left := copy(p.buf[:], p.in)
			n, err := p.Conn.Read(p.buf[left:])
			if err != nil {
				return nil
			}
			p.in = p.buf[:left+n]
		}
	}
}

var (
	h2get, h2post, h2http, h2host = []byte("GET"), []byte("POST"), []byte("http"), []byte("a")
)

func (p *h2peer) ask(method, path, body []byte) *http2.Stream {
	s, err := p.codec.Open()
	if err != nil {
		p.Fatal(err)
	}
	p.codec.Request(s, method, h2http, h2host, path)
	p.codec.EndHeaders(len(body) == 0)
	if len(body) > 0 {
		p.codec.SendData(s, body, true)
	}
	return s
}

// responses reads n whole responses.
func (p *h2peer) responses(n int) {
	for n > 0 {
		ev := p.next()
		if ev == nil || ev.Kind == http2.EventReset {
			p.Fatal("no response: ", ev)
		}
		if ev.Kind == http2.EventHead && ev.Header.Status != 200 {
			p.Fatal("status ", ev.Header.Status)
		}
		s := ev.Stream
		end := ev.End
		if ev.Kind == http2.EventData {
			p.codec.Consume(s, len(ev.Data))
		}
		if end {
			p.codec.Release(s)
			n--
		}
	}
}

// TestHTTP2DoesNotAllocate counts as TestServingDoesNotAllocate does.
func TestHTTP2DoesNotAllocate(t *testing.T) {
	at, _ := serve(t, nano.Config{Loops: 1, H2C: true}, func(app *nano.App) {
		app.Get("/users/{id}", func(c nano.Ctx) error {
			c.SetHeader("X-User", "yes")
			return c.Bytes(200, "text/plain", c.Param("id"))
		})
		app.Post("/echo", echoBody)
	})
	root, user, echo, body := []byte("/"), []byte("/users/12345"), []byte("/echo"), []byte("hello")
	for name, ask := range map[string]func(*h2peer){
		"get":       func(p *h2peer) { p.ask(h2get, root, nil); p.flush(); p.responses(1) },
		"parameter": func(p *h2peer) { p.ask(h2get, user, nil); p.flush(); p.responses(1) },
		"body":      func(p *h2peer) { p.ask(h2post, echo, body); p.flush(); p.responses(1) },
		"streams": func(p *h2peer) {
			for range 16 {
				p.ask(h2get, root, nil)
			}
			p.flush()
			p.responses(16)
		},
	} {
		p := dialHTTP2(t, at)
		noAllocations(t, name, func() { ask(p) }) // tables that remember streams are soon full
	}
}

// TestHTTP2SlowFrames: a client may not take its time in the middle of a frame, nor of
// a field block, and who asks for nothing is let go with a GOAWAY.
func TestHTTP2SlowFrames(t *testing.T) {
	hasty, _ := serve(t, nano.Config{H2C: true, Limits: nano.Limits{ReadHead: 40 * time.Millisecond}}, nil)
	idle, _ := serve(t, nano.Config{H2C: true, Limits: nano.Limits{Idle: 80 * time.Millisecond}}, nil)
	end := time.Now().Add(30 * time.Second)
	for _, tt := range []struct {
		name, at string
		send     []byte
		code     http2.ErrCode
	}{
		{"frame", hasty, http2.AppendFrameHeader(nil, http2.FrameHeader{Length: 10, Stream: 3, Type: http2.FrameHeaders, Flags: http2.FlagEndHeaders}), http2.EnhanceYourCalm},
		{"block", hasty, append(http2.AppendFrameHeader(nil, http2.FrameHeader{Length: 1, Stream: 3, Type: http2.FrameHeaders}), 0x82), http2.EnhanceYourCalm},
		{"nothing", idle, nil, http2.NoError},
	} {
		var p *h2peer
		var ev *http2.Event
		for again := true; again; again = ev == nil && tt.send == nil && time.Now().Before(end) { // a busy client may be let go before its preface
			p = dialHTTP2(t, tt.at)
			if tt.send != nil { // settings that aren't acknowledged in time are another mistake
				p.ask(h2get, []byte("/"), nil)
				p.flush()
				p.responses(1)
			}
			p.codec.Out = append(p.codec.Out, tt.send...)
			p.flush()
			p.mute = true
			ev = p.next()
		}
		if ev == nil || ev.Kind != http2.EventGoAway || ev.Code != tt.code {
			t.Errorf("%s: %+v, want GOAWAY with %v", tt.name, ev, tt.code)
			continue
		}
		if ev := p.next(); ev != nil {
			t.Errorf("%s: %+v after the end", tt.name, ev)
		}
	}
}

// TestHTTP2WindowsShut: responses that wait for a window go on when it opens, each
// stream by its own, and one whose window stays shut doesn't hold up another.
func TestHTTP2WindowsShut(t *testing.T) {
	const size = 100 << 10 // above a stream's window, and what a handler may leave behind
	at, _ := serve(t, nano.Config{H2C: true, Loops: 1}, func(app *nano.App) {
		app.Get("/large", func(c nano.Ctx) error { return c.Text(200, largeText[:size]) })
	})
	p := dialHTTP2(t, at)
	path := []byte("/large")
	first := p.ask(h2get, path, nil)
	p.flush()
	got := map[*http2.Stream]int{}
	for got[first] < 65535 { // the window of the connection, too
		if ev := p.next(); ev.Kind == http2.EventData {
			got[ev.Stream] += len(ev.Data)
		}
	}
	second := p.ask(h2get, path, nil)
	p.flush()
	if ev := p.next(); ev.Kind != http2.EventHead || ev.Stream != second {
		t.Fatalf("%+v", ev)
	}
	p.codec.Consume(first, got[first])
	for ended := 0; ended < 2; {
		ev := p.next()
		if ev == nil || ev.Kind == http2.EventReset {
			t.Fatal(ev)
		}
		if ev.Kind == http2.EventData {
			got[ev.Stream] += len(ev.Data)
			p.codec.Consume(ev.Stream, len(ev.Data))
		}
		if ev.End {
			ended++
		}
	}
	if got[first] != size || got[second] != size {
		t.Errorf("%d and %d bytes of %d", got[first], got[second], size)
	}
}
