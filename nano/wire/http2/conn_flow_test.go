package http2

import (
	"bytes"
	"strings"
	"testing"
)

// respond sends a head with status 200.
func (e *end) respond(s *Stream, end bool) {
	e.Response(s, 200)
	e.EndHeaders(end)
}

// open opens a stream and sends the head of a request.
func (e *end) request(t testing.TB, method string, end bool) *Stream {
	t.Helper()
	s, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	e.Request(s, []byte(method), []byte("http"), []byte("h"), []byte("/"))
	e.EndHeaders(end)
	return s
}

func window(stream uint32, n uint32) []byte { return AppendWindowUpdate(nil, stream, n) }

func setting(param, value uint32) []byte {
	return frame(FrameSettings, 0, 0, string([]byte{0, byte(param), byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}))
}

func TestSendWindows(t *testing.T) { // RFC 9113 6.9
	e := greetedServer(t, Config{})
	e.feed(t, setting(paramInitialWindow, 10))
	var streams []*Stream
	e.react = func(ev *Event) {
		if ev.Kind == EventHead {
			streams = append(streams, ev.Stream)
			e.respond(ev.Stream, false)
		}
	}
	e.feed(t, get(1), get(3))
	e.sent(t)
	body := make([]byte, 25)
	if n := e.SendData(streams[0], body, true); n != 10 || e.sent(t) != "DATA 1 10" {
		t.Fatalf("%d bytes taken", n)
	}
	if _, waits := streams[0].Waiting(); !waits {
		t.Error("doesn't wait")
	}
	if got := e.feed(t, window(0, 100), window(3, 5)); got != "" {
		t.Errorf("windows that don't help: %s", got)
	}
	if got := e.feed(t, window(1, 5)); got != "writable 1" {
		t.Errorf("window of 5 more: %s", got)
	}
	if n := e.SendData(streams[0], body[10:], true); n != 5 || e.sent(t) != "DATA 1 5" {
		t.Errorf("%d bytes taken of a window of 5", n)
	}
	if got := e.feed(t, setting(paramInitialWindow, 2)); got != "settings" || streams[0].sendWindow != -8 || streams[1].sendWindow != 7 {
		t.Errorf("lowered: %s, windows %d, %d", got, streams[0].sendWindow, streams[1].sendWindow)
	}
	if got := e.feed(t, window(1, 8)); got != "" { // 0
		t.Errorf("still closed: %s", got)
	}
	e.Out = e.Out[:0]
	if got := e.feed(t, setting(paramInitialWindow, 100)); got != "settings; writable 1" {
		t.Errorf("raised: %s", got)
	}
	e.Out = e.Out[:0]
	if n := e.SendData(streams[0], body[15:], true); n != 10 || e.sent(t) != "DATA 1 10 end" {
		t.Errorf("%d bytes taken at the end", n)
	}
	if n := e.SendData(streams[0], body, true); n != 0 || len(e.Out) > 0 {
		t.Errorf("%d bytes taken after the end", n)
	}
	// An end without data needs no window.
	streams[1].sendWindow = 0
	if n := e.SendData(streams[1], nil, true); n != 0 || e.sent(t) != "DATA 3 0 end" {
		t.Error("empty end is not sent")
	}
}

func TestConnectionWindowIsShared(t *testing.T) {
	e := greetedServer(t, Config{})
	e.feed(t, setting(paramInitialWindow, 1<<20))
	var streams []*Stream
	e.react = func(ev *Event) {
		switch ev.Kind {
		case EventHead:
			streams = append(streams, ev.Stream)
			e.respond(ev.Stream, false)
		case EventWritable:
			e.SendData(ev.Stream, make([]byte, 1000), false)
			e.SendData(ev.Stream, make([]byte, 1), false) // waits again, at the end
		}
	}
	e.feed(t, get(1), get(3), get(5))
	e.Out = e.Out[:0]
	if n := e.SendData(streams[0], make([]byte, 70000), false); n != 65535 {
		t.Errorf("%d bytes taken", n)
	}
	if got := e.sent(t); got != "DATA 1 16384; DATA 1 16384; DATA 1 16384; DATA 1 16383" {
		t.Errorf("sent %s", got)
	}
	e.SendData(streams[2], make([]byte, 1), false)
	e.SendData(streams[1], make([]byte, 1), false)
	if got := e.feed(t, window(0, 1000)); got != "writable 1" || e.sent(t) != "DATA 1 1000" {
		t.Errorf("1000 bytes: %s", got)
	}
	if got := e.feed(t, window(0, 2500)); got != "writable 5; writable 3; writable 1" {
		t.Errorf("2500 bytes: %s", got)
	}
	if got := e.sent(t); got != "DATA 5 1000; DATA 5 1; DATA 3 1000; DATA 3 1; DATA 1 498" {
		t.Errorf("sent %s", got)
	}
	// A stream that ends while it waits is not told.
	e.Reset(streams[0], Cancel)
	e.Out = e.Out[:0]
	if got := e.feed(t, window(0, 100)); got != "" {
		t.Errorf("closed stream: %s", got)
	}
}

func TestReceiveWindows(t *testing.T) {
	e := greetedServer(t, Config{Settings: Settings{HeaderTable: 4096, MaxConcurrent: 10, InitialWindow: 100, MaxHeaderList: 1000}, Window: 70000})
	var s *Stream
	e.react = func(ev *Event) { s = ev.Stream }
	data := func(n int) []byte { return frame(FrameData, 0, 1, strings.Repeat("x", n)) }
	e.feed(t, post(1), data(60))
	e.Consume(s, 49)
	if got := e.sent(t); got != "" {
		t.Errorf("less than half is consumed: %s", got)
	}
	e.Consume(s, 100) // of 11
	if got := e.sent(t); got != "WINDOW_UPDATE 1 +60" || s.recvWindow != 100 || s.unread != 0 {
		t.Errorf("60 bytes consumed: %s, window %d", got, s.recvWindow)
	}
	e.feed(t, frame(FrameData, FlagPadded, 1, "\x3c", strings.Repeat("\x00", 60))) // counts as consumed
	if got := e.sent(t); got != "WINDOW_UPDATE 1 +61" {
		t.Errorf("padding: %s", got)
	}
	if got := e.feed(t, data(101)); got != "reset 1 FLOW_CONTROL_ERROR" || e.sent(t) != "RST_STREAM 1 FLOW_CONTROL_ERROR" {
		t.Errorf("beyond the window: %s", got)
	}
	// What comes for a stream that is closed is given back to the connection.
	before := e.recvWindow + e.credit
	e.feed(t, data(1000))
	if e.recvWindow+e.credit != before {
		t.Error("ignored data is not given back")
	}
	if got := e.feed(t, post(3), data(1)); got != "head 3 POST http h/" {
		t.Errorf("after ignored data: %s", got)
	}
	e.recvWindow, e.credit = 10, 0
	if got := e.feed(t, frame(FrameData, 0, 3, "12345678901")); got != "error FLOW_CONTROL_ERROR" {
		t.Errorf("beyond the connection's window: %s", got)
	}
}

func TestConnectionWindowIsRefilled(t *testing.T) {
	e := greetedServer(t, Config{})
	e.react = func(ev *Event) {
		switch ev.Kind {
		case EventData:
			e.Consume(ev.Stream, len(ev.Data))
		}
	}
	e.feed(t, post(1))
	part := frame(FrameData, 0, 1, strings.Repeat("x", 16384))
	updates, streamUpdates := 0, 0
	for range 1000 {
		if got := e.feed(t, part); strings.Contains(got, "error") {
			t.Fatal(got)
		}
		got := e.sent(t)
		updates += strings.Count(got, "WINDOW_UPDATE +")
		streamUpdates += strings.Count(got, "WINDOW_UPDATE 1 +")
	}
	if updates != 1000*16384/(1<<19) || streamUpdates != 1000*16384/(1<<17) {
		t.Errorf("%d and %d updates", updates, streamUpdates)
	}
}

func TestUnreadDataIsGivenBack(t *testing.T) {
	e := greetedServer(t, Config{})
	var s *Stream
	e.react = func(ev *Event) { s = ev.Stream }
	for _, last := range []Flags{0, FlagEndStream} {
		e.feed(t, post(e.streams.last|1+2), frame(FrameData, last, e.streams.last|1+2, "hello"))
		e.Release(s)
	}
	if e.recvWindow+e.credit != 1<<20 || e.streams.held != 0 {
		t.Errorf("window %d + %d, %d streams", e.recvWindow, e.credit, e.streams.held)
	}
}

func TestWindowsBeforeSettingsAreAcknowledged(t *testing.T) { // RFC 9113 6.9.2
	e := newEnd(Config{Server: true})
	var s *Stream
	e.react = func(ev *Event) { s = ev.Stream }
	e.feed(t, []byte(Preface), frame(FrameSettings, 0, 0), post(1))
	if s.recvWindow != 65535 {
		t.Errorf("before: %d", s.recvWindow)
	}
	e.feed(t, frame(FrameSettings, FlagAck, 0))
	if s.recvWindow != 256<<10 {
		t.Errorf("after: %d", s.recvWindow)
	}
	if got := e.feed(t, frame(FrameSettings, FlagAck, 0)); got != "" {
		t.Errorf("second acknowledgement: %s", got)
	}
}

func TestFieldsAreLeft(t *testing.T) {
	e := greetedServer(t, Config{})
	var bytes []byte
	e.react = func(ev *Event) {
		if ev.Stream.ID == 1 {
			bytes = ev.Header.Bytes
			e.pool.Leave()
		}
	}
	e.feed(t, get(1))
	before := string(bytes)
	if e.feed(t, get(3, "other: fields")); string(bytes) != before {
		t.Errorf("%q became %q", before, bytes)
	}
}

func TestInBlock(t *testing.T) {
	e := greetedServer(t, Config{})
	e.feed(t, frame(FrameHeaders, FlagEndStream, 1, block(getFields...)))
	if !e.InBlock() {
		t.Error("in the middle of a block")
	}
	if got := e.feed(t, frame(FrameContinuation, FlagEndHeaders, 1)); got != "head 1 GET http h/ end" || e.InBlock() {
		t.Errorf("after it: %s, %v", got, e.InBlock())
	}
}

// TestPiecesOfData feeds a body byte by byte.
func TestPiecesOfData(t *testing.T) {
	e := greetedServer(t, Config{})
	var body bytes.Buffer
	ends := 0
	e.react = func(ev *Event) {
		if ev.Kind == EventData {
			body.Write(ev.Data)
			if ev.End {
				ends++
			}
		}
	}
	wire := bytes.Join([][]byte{post(1), frame(FrameData, FlagPadded, 1, "\x02hello\x00\x00"), frame(FrameData, 0, 1, " wor"), frame(FrameData, FlagEndStream|FlagPadded, 1, "\x01ld\x00"), get(3)}, nil)
	var log []string
	for i := range wire {
		if got := e.feed(t, wire[i:i+1]); got != "" {
			log = append(log, got)
		}
	}
	if body.String() != "hello world" || ends != 1 || log[len(log)-1] != "head 3 GET http h/ end" {
		t.Errorf("%q, %d ends, %v", body.String(), ends, log)
	}
}
