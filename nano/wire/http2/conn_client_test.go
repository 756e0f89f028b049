package http2

import (
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	ok := func(id uint32, flags Flags, fields ...string) []byte {
		return frame(FrameHeaders, FlagEndHeaders|flags, id, block(append([]string{":status: 200"}, fields...)...))
	}
	interim := func(flags Flags) []byte {
		return frame(FrameHeaders, FlagEndHeaders|flags, 1, block(":status: 103", "link: x"))
	}
	data := func(flags Flags, text string) []byte { return frame(FrameData, flags, 1, text) }
	tests := []struct {
		name, method string
		in           []byte
		want, sent   string
	}{
		{"response", "GET", concat(ok(1, 0, "content-length: 2"), data(0, "o"), data(FlagEndStream, "k")), `head 1 200 content-length=2; data 1 "o"; data 1 "k" end`, ""},
		{"without a body", "GET", ok(1, FlagEndStream), "head 1 200 end", ""},
		{"interim responses", "GET", concat(interim(0), interim(0), ok(1, FlagEndStream)), "interim 1 103 link=x; interim 1 103 link=x; head 1 200 end", ""},
		{"trailers", "GET", concat(ok(1, 0), data(0, "x"), frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block("grpc-status: 0"))), `head 1 200; data 1 "x"; trailers 1 grpc-status=0 end`, ""},
		{"HEAD", "HEAD", ok(1, FlagEndStream, "content-length: 100"), "head 1 200 content-length=100 end", ""},
		{"304 with a length", "GET", frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block(":status: 304", "content-length: 9")), "head 1 304 content-length=9 end", ""},
		{"body after HEAD (8.1.1)", "HEAD", concat(ok(1, 0), data(FlagEndStream, "x")), "head 1 200; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"too short (8.1.1)", "GET", concat(ok(1, 0, "content-length: 2"), data(FlagEndStream, "x")), "head 1 200 content-length=2; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"interim that ends it (8.1)", "GET", interim(FlagEndStream), "reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"body before the head (8.1)", "GET", data(0, "x"), "reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"no status (8.3.2)", "GET", frame(FrameHeaders, FlagEndHeaders, 1, block("a: b")), "reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"fields beyond the limit", "GET", ok(1, 0, strings.Repeat("x", 150)+": y"), "reset 1 ENHANCE_YOUR_CALM", "RST_STREAM 1 ENHANCE_YOUR_CALM"},
		{"refused", "GET", AppendRSTStream(nil, 1, RefusedStream), "reset 1 REFUSED_STREAM", ""},
		{"closed twice (5.1)", "GET", concat(ok(1, FlagEndStream), ok(1, FlagEndStream)), "head 1 200 end; error STREAM_CLOSED", "GOAWAY 0 STREAM_CLOSED"},
		{"of no request (5.1)", "GET", ok(3, FlagEndStream), "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"opened by the server (8.4)", "GET", ok(2, FlagEndStream), "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"push (8.4)", "GET", frame(FramePushPromise, FlagEndHeaders, 1, "\x00\x00\x00\x02", block(getFields...)), "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"push set by a server (6.5.2)", "GET", setting(paramEnablePush, 1), "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
	}
	for _, tt := range tests {
		e := greetedClient(t, Config{Settings: Settings{HeaderTable: 4096, InitialWindow: 1000, MaxHeaderList: 200}})
		e.request(t, tt.method, true)
		if got := e.sent(t); got != "HEADERS 1 end" {
			t.Fatalf("%s: sent %s", tt.name, got)
		}
		if got := e.feed(t, tt.in); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
		if got := e.sent(t); got != tt.sent {
			t.Errorf("%s:\nsent %s\nwant %s", tt.name, got, tt.sent)
		}
	}
}

func TestClientOpensAsManyAsAllowed(t *testing.T) { // RFC 9113 5.1.2
	e := newEnd(Config{})
	if n := e.Room(); n != 100 {
		t.Errorf("%d streams before SETTINGS", n)
	}
	e.feed(t, setting(paramMaxConcurrent, 2), frame(FrameSettings, FlagAck, 0))
	first := e.request(t, "GET", true)
	e.request(t, "GET", false)
	if _, err := e.Open(); err != ErrStreams {
		t.Errorf("third stream: %v", err)
	}
	e.feed(t, frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block(":status: 200")))
	if s := e.request(t, "GET", true); s.ID != 5 || s == first {
		t.Errorf("after a response: stream %d", s.ID)
	}
	e.Release(first)
	if e.Streams() != 2 {
		t.Errorf("%d streams", e.Streams())
	}
	e.feed(t, setting(paramMaxConcurrent, 1))
	if n := e.Room(); n != -1 {
		t.Errorf("room for %d after it was lowered", n)
	}
	e.streams.next = 1<<31 + 1
	e.peer.MaxConcurrent = 100
	if _, err := e.Open(); err != ErrIDs {
		t.Errorf("no IDs left: %v", err)
	}
}

func TestGoAwayFromServer(t *testing.T) { // RFC 9113 6.8
	e := greetedClient(t, Config{})
	for range 4 {
		e.request(t, "GET", true)
	}
	goaway := func(last uint32) []byte { return AppendGoAway(nil, last, NoError, "bye") }
	if got := e.feed(t, goaway(1<<31-1)); got != `goaway NO_ERROR "bye"` {
		t.Errorf("first: %s", got)
	}
	if _, err := e.Open(); err != ErrGoAway {
		t.Errorf("opened after it: %v", err)
	}
	got := e.feed(t, goaway(3), frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 3, block(":status: 200")))
	if got != `goaway NO_ERROR "bye"; reset 7 REFUSED_STREAM; reset 5 REFUSED_STREAM; head 3 200 end` &&
		got != `goaway NO_ERROR "bye"; reset 5 REFUSED_STREAM; reset 7 REFUSED_STREAM; head 3 200 end` {
		t.Errorf("second: %s", got)
	}
	if e.streams.open != 1 {
		t.Errorf("%d are open", e.streams.open)
	}
}

func TestClientDrains(t *testing.T) {
	e := greetedClient(t, Config{})
	s := e.request(t, "GET", true)
	e.Drain(0)
	if got := e.sent(t); got != "HEADERS 1 end; GOAWAY 0 NO_ERROR" || e.Drained() {
		t.Errorf("sent %s, drained %v", got, e.Drained())
	}
	e.feed(t, frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block(":status: 200")))
	if e.Release(s); !e.Drained() {
		t.Error("not drained")
	}
}

func TestServerDrains(t *testing.T) { // RFC 9113 6.8
	for _, byPing := range []bool{true, false} {
		e := greetedServer(t, Config{})
		var streams []*Stream
		e.react = func(ev *Event) {
			if ev.Kind == EventHead {
				streams = append(streams, ev.Stream)
			}
		}
		e.feed(t, post(1))
		e.Drain(e.now)
		e.Drain(e.now)
		if got := e.sent(t); got != "GOAWAY 2147483647 NO_ERROR; PING" {
			t.Errorf("begins with %s", got)
		}
		if got := e.feed(t, get(3)); got != "head 3 GET http h/ end" { // was under way
			t.Errorf("before the second GOAWAY: %s", got)
		}
		if byPing {
			e.feed(t, AppendPing(nil, drainPing, true))
		} else if _, err := e.Tick(2e9); err != nil {
			t.Error(err)
		}
		if got := e.sent(t); got != "GOAWAY 3 NO_ERROR" {
			t.Errorf("goes on with %s", got)
		}
		if got := e.feed(t, post(5), frame(FrameData, 0, 5, "x"), AppendRSTStream(nil, 5, Cancel), frame(FrameData, FlagEndStream, 1, "x")); got != `data 1 "x" end` {
			t.Errorf("after it: %s", got)
		}
		for _, s := range streams {
			if e.Drained() {
				t.Error("drained too early")
			}
			e.respond(s, true)
			e.Release(s)
		}
		if got := e.sent(t); got != "HEADERS 1 end; HEADERS 3 end" || !e.Drained() {
			t.Errorf("ends with %s, drained %v", got, e.Drained())
		}
		e.Close(NoError)
		if _, _, err := e.Next(nil, 0); err == nil || e.sent(t) != "GOAWAY 3 NO_ERROR" {
			t.Errorf("closed: %v", err)
		}
	}
}

func TestRelease(t *testing.T) {
	tests := []struct {
		name string
		do   func(e *end, s *Stream)
		want string
	}{
		{"responded", func(e *end, s *Stream) { e.respond(s, true) }, "HEADERS 1 end; RST_STREAM 1 NO_ERROR"}, // RFC 9113 8.1
		{"half responded", func(e *end, s *Stream) { e.respond(s, false) }, "HEADERS 1; RST_STREAM 1 CANCEL"},
		{"no response", func(e *end, s *Stream) {}, "RST_STREAM 1 CANCEL"},
		{"reset", func(e *end, s *Stream) { e.Reset(s, InternalError); e.Reset(s, Cancel) }, "RST_STREAM 1 INTERNAL_ERROR"},
		{"responded after a reset", func(e *end, s *Stream) { e.Reset(s, Cancel); e.respond(s, true) }, "RST_STREAM 1 CANCEL"},
		{"interim", func(e *end, s *Stream) { e.Response(s, 103); e.EndHeaders(false); e.respond(s, true) }, "HEADERS 1; HEADERS 1 end; RST_STREAM 1 NO_ERROR"},
		{"trailers", func(e *end, s *Stream) {
			e.respond(s, false)
			e.SendData(s, []byte("abc"), false)
			e.Trailers(s)
			e.Field([]byte("a"), []byte("b"))
			e.EndHeaders(true)
		}, "HEADERS 1; DATA 1 3; HEADERS 1 end; RST_STREAM 1 NO_ERROR"},
	}
	for _, tt := range tests {
		e := greetedServer(t, Config{})
		e.react = func(ev *Event) {
			tt.do(e, ev.Stream)
			e.Release(ev.Stream)
		}
		e.feed(t, post(1))
		if got := e.sent(t); got != tt.want || e.streams.held != 0 || e.streams.n != 0 {
			t.Errorf("%s: sent %s, %d held, %d open", tt.name, got, e.streams.held, e.streams.n)
		}
	}
}

func TestLargeHeadIsSplit(t *testing.T) {
	e := greetedServer(t, Config{})
	e.react = func(ev *Event) {
		e.Response(ev.Stream, 200)
		e.Field([]byte("x"), []byte(strings.Repeat("\xff", 40000)))
		e.EndHeaders(true)
	}
	e.feed(t, get(1))
	if got := e.sent(t); got != "HEADERS 1 end; CONTINUATION 1; CONTINUATION 1" {
		t.Errorf("sent %s", got)
	}
}
