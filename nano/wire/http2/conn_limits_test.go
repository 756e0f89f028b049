package http2

import (
	"strings"
	"testing"
	"time"
)

// flood feeds the same frames until the connection is ended, n times at most. It
// gives how often they were taken, and the end.
func flood(t *testing.T, e *end, n int, frames func(i int) []byte) (int, string) {
	t.Helper()
	for i := range n {
		got := e.feed(t, frames(i))
		if at := strings.Index(got, "error"); at >= 0 {
			return i, got[at:]
		}
		e.Out = e.Out[:0]
		e.Flushed()
	}
	return n, ""
}

func TestFloods(t *testing.T) {
	same := func(frames ...[]byte) func(int) []byte {
		all := string(concat(frames...))
		return func(int) []byte { return []byte(all) }
	}
	next := func(more func(id uint32) []byte) func(int) []byte {
		return func(i int) []byte {
			id := uint32(2*i + 1)
			return concat(get(id), more(id))
		}
	}
	tests := []struct {
		name    string
		frames  func(int) []byte
		atLeast int
	}{
		{"rapid reset (CVE-2023-44487)", next(func(id uint32) []byte { return AppendRSTStream(nil, id, Cancel) }), 500},
		{"MadeYouReset by a window (CVE-2025-8671)", next(func(id uint32) []byte { return window(id, 1<<31-1) }), 500},
		{"MadeYouReset by an increment of 0", next(func(id uint32) []byte { return window(id, 0) }), 500},
		{"MadeYouReset by DATA after the end", next(func(id uint32) []byte { return frame(FrameData, 0, id, "x") }), 500},
		{"MadeYouReset by PRIORITY", next(func(id uint32) []byte { return frame(FramePriority, 0, id, "abc") }), 500},
		{"malformed requests", func(i int) []byte { return frame(FrameHeaders, FlagEndHeaders, uint32(2*i+1), block("a: b")) }, 500},
		{"resets of streams that are closed", same(window(1, 0)), 500},
		{"SETTINGS (CVE-2019-9515)", same(frame(FrameSettings, 0, 0)), 49},
		{"PING (CVE-2019-9512)", same(frame(FramePing, 0, 0, "12345678")), 2000},
		{"PRIORITY (CVE-2019-9513)", same(frame(FramePriority, 0, 5, "\x00\x00\x00\x00\x10")), 2000},
		{"unknown frames", same(frame(0x77, 0, 0)), 2000},
		{"window by one byte at a time", same(window(0, 1)), 2000},
		{"empty DATA (CVE-2019-9518)", same(frame(FrameData, 0, 1)), 1990},
		{"DATA of padding", same(frame(FrameData, FlagPadded, 1, "\x01\x00")), 1990},
		{"acknowledgements", same(frame(FrameSettings, FlagAck, 0)), 2000},
	}
	for _, tt := range tests {
		e := greetedServer(t, Config{})
		var kept *Stream
		e.react = func(ev *Event) {
			if ev.Kind == EventReset {
				e.Release(ev.Stream)
			} else if ev.Kind == EventHead {
				kept = ev.Stream
			}
		}
		start := 0
		if strings.Contains(tt.name, "DATA") && !strings.Contains(tt.name, "after") {
			e.feed(t, post(1))
		}
		if strings.Contains(tt.name, "closed") {
			e.feed(t, get(1))
			e.Release(kept)
		}
		n, got := flood(t, e, 3000, tt.frames)
		if n += start; n < tt.atLeast || n > tt.atLeast+20 || got != "error ENHANCE_YOUR_CALM" {
			t.Errorf("%s: %d taken, then %q", tt.name, n, got)
		}
		if !strings.Contains(e.sent(t), "GOAWAY") {
			t.Errorf("%s: no GOAWAY", tt.name)
		}
	}
}

func concat(frames ...[]byte) (all []byte) {
	for _, f := range frames {
		all = append(all, f...)
	}
	return
}

func TestRatesAreRefilled(t *testing.T) {
	e := greetedServer(t, Config{})
	e.react = func(ev *Event) {
		if ev.Kind == EventReset {
			e.Release(ev.Stream)
		}
	}
	reset := func(i int) []byte {
		e.now += 21e6 // 48 a second
		return concat(get(uint32(2*i+1)), AppendRSTStream(nil, uint32(2*i+1), Cancel))
	}
	if n, got := flood(t, e, 5000, reset); n != 5000 {
		t.Errorf("48 resets a second: %d taken, then %s", n, got)
	}
}

func TestContinuationFlood(t *testing.T) { // CVE-2024-27316
	for _, part := range []string{"", "x", strings.Repeat("x", 1000)} {
		e := greetedServer(t, Config{})
		e.feed(t, frame(FrameHeaders, 0, 1, block("a: b")))
		n, got := flood(t, e, 3000, func(int) []byte { return frame(FrameContinuation, 0, 1, part) })
		if got != "error ENHANCE_YOUR_CALM" || len(part) == 1000 && n > 33 {
			t.Errorf("parts of %d bytes: %d taken, then %q", len(part), n, got)
		}
	}
}

func TestRepliesThatAreNotRead(t *testing.T) {
	e := greetedServer(t, Config{})
	for i := range 2000 {
		e.now += 1e9
		if got := e.feed(t, frame(FramePing, 0, 0, "12345678")); got != "" {
			if i != 999 && i != 1000 || got != "error ENHANCE_YOUR_CALM" {
				t.Errorf("after %d: %s", i, got)
			}
			return
		}
	}
	t.Error("no end")
}

func TestHeadsThatAreTooLarge(t *testing.T) {
	e := greetedServer(t, Config{})
	e.react = func(ev *Event) {
		if ev.Kind == EventTooLarge {
			e.Response(ev.Stream, 431)
			e.EndHeaders(true)
			e.Release(ev.Stream)
		}
	}
	long := "a: " + strings.Repeat("x", 16<<10)
	half := block(append(getFields[:4:4], long)...)
	in := concat(frame(FrameHeaders, FlagEndStream, 1, half[:8000]), frame(FrameContinuation, FlagEndHeaders, 1, half[8000:]))
	if got := e.feed(t, in, get(3)); got != "too large 1 end; head 3 GET http h/ end" {
		t.Errorf("got %s", got)
	}
	if got := e.sent(t); got != "HEADERS 1 end" {
		t.Errorf("sent %s", got)
	}
	in = concat(post(5), frame(FrameHeaders, FlagEndStream, 5, half[:8000]), frame(FrameContinuation, FlagEndHeaders, 5, half[8000:]))
	if got := e.feed(t, in); got != "head 5 POST http h/; reset 5 ENHANCE_YOUR_CALM" {
		t.Errorf("trailers: %s", got)
	}
}

// TestStreamsCountUntilReleased holds that who resets streams, or makes us reset
// them, doesn't get more than the limit worked on at a time.
func TestStreamsCountUntilReleased(t *testing.T) {
	e := greetedServer(t, Config{Settings: Settings{HeaderTable: 4096, MaxConcurrent: 2, InitialWindow: 100, MaxHeaderList: 1000}})
	var streams []*Stream
	e.react = func(ev *Event) {
		if ev.Kind == EventHead {
			streams = append(streams, ev.Stream)
		}
	}
	got := e.feed(t, get(1), AppendRSTStream(nil, 1, Cancel), get(3), window(3, 0), get(5))
	if got != "head 1 GET http h/ end; reset 1 CANCEL; head 3 GET http h/ end; reset 3 PROTOCOL_ERROR" {
		t.Errorf("got %s", got)
	}
	if got := e.sent(t); got != "RST_STREAM 3 PROTOCOL_ERROR; RST_STREAM 5 REFUSED_STREAM" {
		t.Errorf("sent %s", got)
	}
	e.Release(streams[0])
	if got := e.feed(t, get(7)); got != "head 7 GET http h/ end" || e.Streams() != 2 {
		t.Errorf("after a release: %s, %d streams", got, e.Streams())
	}
}

func TestTinyWindows(t *testing.T) { // CVE-2019-9511, CVE-2019-9517
	e := greetedServer(t, Config{})
	e.feed(t, setting(paramInitialWindow, 0))
	var s *Stream
	body := make([]byte, 1<<20)
	e.react = func(ev *Event) {
		switch ev.Kind {
		case EventHead:
			s = ev.Stream
			e.respond(s, false)
			e.SendData(s, body, true)
		case EventWritable:
			body = body[e.SendData(s, body, true):]
		}
	}
	e.feed(t, get(1))
	n, got := flood(t, e, 3000, func(int) []byte { return window(1, 1) })
	if n < 900 || n > 1100 || got != "error ENHANCE_YOUR_CALM" {
		t.Errorf("a byte at a time: %d taken, then %q", n, got)
	}
}

func TestTick(t *testing.T) {
	e := newEnd(Config{Server: true})
	e.feed(t, []byte(Preface), frame(FrameSettings, 0, 0), setting(paramInitialWindow, 10), get(1))
	s := e.streams.find(1)
	e.respond(s, false)
	if _, err := e.Tick(9e9); err != nil {
		t.Error(err)
	}
	if _, err := e.Tick(11e9); err != errNoAck {
		t.Errorf("SETTINGS never acknowledged: %v", err)
	}

	e = greetedServer(t, Config{Limits: Limits{StallWait: time.Second}})
	e.feed(t, setting(paramInitialWindow, 10), get(1), get(3))
	for _, id := range []uint32{1, 3} {
		e.respond(e.streams.find(id), false)
		e.SendData(e.streams.find(id), make([]byte, 11), true)
	}
	e.now = 9e8
	if got := e.feed(t, window(3, 1)); got != "writable 3" {
		t.Error(got)
	}
	e.SendData(e.streams.find(3), make([]byte, 2), true)
	e.Out = e.Out[:0]
	if ev, err := e.Tick(9e8); ev.Kind != More || err != nil {
		t.Errorf("too early: %+v, %v", ev, err)
	}
	ev, err := e.Tick(11e8)
	if got := showEvent(ev); got != "reset 1 ENHANCE_YOUR_CALM" || ev.Err != errStall || err != nil || e.sent(t) != "RST_STREAM 1 ENHANCE_YOUR_CALM" {
		t.Errorf("got %s, %v", got, err)
	}
	if ev, err := e.Tick(11e8); ev.Kind != More || err != nil {
		t.Errorf("a stream that went on: %+v, %v", ev, err)
	}
}
