package http2

import (
	"bytes"
	"fmt"
	"testing"
)

// wireless are two Conns that feed each other: a client that keeps some streams
// busy, and a server that responds to all requests with the same few fields.
type wireless struct {
	client, server         Conn
	clientPool, serverPool Pool
	toServer, toClient     []byte
	path, date             []byte
	body                   []byte
	done                   int
}

var (
	fieldUserAgent = []byte("user-agent")
	fieldServer    = []byte("Server")
	fieldType      = []byte("Content-Type")
	fieldLength    = []byte("Content-Length")
	fieldDate      = []byte("Date")
)

func newWireless(body []byte) *wireless {
	w := &wireless{body: body, path: []byte("/plaintext"), date: []byte("Sun, 06 Nov 1994 08:49:37 GMT")}
	w.client.Start(NewConfig(Config{Table: 4096}), &w.clientPool, 0)
	w.server.Start(NewConfig(Config{Server: true, Table: 4096}), &w.serverPool, 0)
	return w
}

// roundTrips does n requests with their responses, over so many streams at a time.
func (w *wireless) roundTrips(t testing.TB, streams, n int) {
	w.done = 0
	for begun := 0; w.done < n; {
		for w.client.Streams() < streams && begun < n {
			s, err := w.client.Open()
			if err != nil {
				t.Fatal(err)
			}
			w.client.Request(s, []byte("GET"), []byte("http"), []byte("localhost:8080"), w.path)
			w.client.Field(fieldUserAgent, []byte("dyno"))
			w.client.EndHeaders(true)
			begun++
		}
		w.toServer, w.client.Out = w.client.Out, w.toServer[:0]
		w.serve(t)
		w.toClient, w.server.Out = w.server.Out, w.toClient[:0]
		w.take(t)
	}
}

// events gives those that b brings to c, one after the other.
func events(t testing.TB, c *Conn, b []byte, do func(ev *Event)) {
	for {
		n, ev, err := c.Next(b, 0)
		b = b[n:]
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == More {
			return
		}
		do(ev)
	}
}

func (w *wireless) serve(t testing.TB) {
	events(t, &w.server, w.toServer, func(ev *Event) {
		if ev.Kind != EventHead {
			return
		}
		s := ev.Stream
		w.server.Response(s, 200)
		w.server.Field(fieldServer, []byte("nano"))
		w.server.Field(fieldDate, w.date)
		w.server.Field(fieldType, []byte("text/plain"))
		w.server.Field(fieldLength, []byte("13"))
		w.server.EndHeaders(false)
		if k := w.server.SendData(s, w.body, true); k < len(w.body) {
			t.Fatalf("%d bytes taken", k)
		}
		w.server.Release(s)
	})
}

func (w *wireless) take(t testing.TB) {
	events(t, &w.client, w.toClient, func(ev *Event) {
		switch ev.Kind {
		case EventReset:
			t.Fatal(ev.Code, ev.Err)
		case EventData:
			w.client.Consume(ev.Stream, len(ev.Data))
		}
		if ev.End {
			w.client.Release(ev.Stream)
			w.done++
		}
	})
}

func TestRoundTripsDontAllocate(t *testing.T) {
	for _, streams := range []int{1, 10, 100} {
		w := newWireless([]byte("Hello, World!"))
		w.roundTrips(t, streams, 1000)
		if n := testing.AllocsPerRun(20, func() { w.roundTrips(t, streams, 500) }); n != 0 {
			t.Errorf("%d streams: %v allocations per 500 requests, want 0", streams, n)
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, streams := range []int{1, 10, 100} {
		b.Run(fmt.Sprint("streams=", streams), func(b *testing.B) {
			w := newWireless([]byte("Hello, World!"))
			w.roundTrips(b, streams, 1000)
			b.ReportAllocs()
			b.ResetTimer()
			w.roundTrips(b, streams, b.N)
		})
	}
}

// BenchmarkServer is the server's half: HEADERS in, HEADERS and DATA out.
func BenchmarkServer(b *testing.B) {
	for _, bb := range []struct {
		name   string
		fields []string
	}{
		{"small", []string{"user-agent: dyno"}},
		{"browser", []string{"user-agent: Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
			"accept-language: en-US,en;q=0.5", "accept-encoding: gzip, deflate, br", "cookie: session=0123456789abcdef0123456789abcdef", "upgrade-insecure-requests: 1", "te: trailers"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			w := newWireless([]byte("Hello, World!"))
			w.roundTrips(b, 1, 10)
			s, _ := w.client.Open()
			var block []byte
			for range 3 { // until it is indexed
				block = block[:0]
				for _, f := range append([]string{":method: GET", ":scheme: http", ":authority: localhost:8080", ":path: /plaintext"}, bb.fields...) {
					name, value, _ := bytes.Cut([]byte(f), []byte(": "))
					block = w.client.enc.Append(block, name, value, false)
				}
				w.toServer = AppendHeaders(nil, s.ID, block, true, MinMaxFrame)
				w.serve(b)
				s.ID += 2
			}
			wire := AppendHeaders(nil, 0, block, true, MinMaxFrame)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				id := s.ID
				wire[5], wire[6], wire[7], wire[8] = byte(id>>24), byte(id>>16), byte(id>>8), byte(id)
				s.ID += 2
				w.toServer = wire
				w.server.sending.window = 1 << 20
				w.serve(b)
				w.server.Out = w.server.Out[:0]
			}
		})
	}
}
