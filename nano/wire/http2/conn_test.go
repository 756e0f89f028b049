package http2

import (
	"fmt"
	"strings"
	"testing"
)

// end is a Conn with what its owner would do around it.
type end struct {
	Conn
	in  []byte // what came and is not done with
	now int64
	// react is what the owner does with an event, before the next one.
	react func(ev *Event)
}

func newEnd(cfg Config) *end {
	e := new(end)
	e.Start(NewConfig(cfg), new(Pool), 0)
	return e
}

// greetedServer and greetedClient have exchanged SETTINGS with a peer.
func greetedServer(t testing.TB, cfg Config) *end {
	cfg.Server = true
	e := newEnd(cfg)
	e.feed(t, []byte(Preface), frame(FrameSettings, 0, 0), frame(FrameSettings, FlagAck, 0))
	e.Out = e.Out[:0]
	return e
}

func greetedClient(t testing.TB, cfg Config) *end {
	e := newEnd(cfg)
	e.feed(t, frame(FrameSettings, 0, 0), frame(FrameSettings, FlagAck, 0))
	e.Out = e.Out[:0]
	return e
}

// feed gives bytes to a Conn, and shows the events they come to.
func (e *end) feed(t testing.TB, wire ...[]byte) string {
	t.Helper()
	for _, b := range wire {
		e.in = append(e.in, b...)
	}
	var log []string
	for {
		n, ev, err := e.Next(e.in, e.now)
		e.in = e.in[n:]
		if err != nil {
			return strings.Join(append(log, "error "+err.(*Error).Code.String()), "; ")
		}
		if ev.Kind == More {
			return strings.Join(log, "; ")
		}
		log = append(log, showEvent(ev))
		if e.react != nil {
			e.react(ev)
		}
	}
}

var eventNames = map[EventKind]string{EventHead: "head", EventTooLarge: "too large", EventInterim: "interim", EventData: "data", EventTrailers: "trailers",
	EventReset: "reset", EventWritable: "writable", EventSettings: "settings", EventPong: "pong", EventGoAway: "goaway"}

func showEvent(ev *Event) string {
	text := eventNames[ev.Kind]
	if ev.Stream != nil {
		text += fmt.Sprint(" ", ev.Stream.ID)
	}
	if h := ev.Header; h != nil {
		if !h.Method.Empty() {
			text += fmt.Sprintf(" %s %s %s%s", h.Method.Of(h.Bytes), h.Scheme.Of(h.Bytes), h.Authority.Of(h.Bytes), h.Path.Of(h.Bytes))
		}
		if h.Status > 0 {
			text += fmt.Sprint(" ", h.Status)
		}
		for _, f := range h.Fields {
			text += fmt.Sprintf(" %s=%s", f.Name.Of(h.Bytes), f.Value.Of(h.Bytes))
		}
	}
	if ev.Kind == EventReset || ev.Kind == EventGoAway {
		text += " " + ev.Code.String()
	}
	if ev.Data != nil {
		text += fmt.Sprintf(" %q", ev.Data)
	}
	if ev.End {
		text += " end"
	}
	return text
}

// sent shows the frames in Out, and empties it.
func (e *end) sent(t testing.TB) string {
	t.Helper()
	b := []byte(strings.TrimPrefix(string(e.Out), Preface))
	e.Out = e.Out[:0]
	var log []string
	for len(b) > 0 {
		h := ParseFrameHeader(b)
		payload := b[FrameHeaderLen:][:h.Length]
		b = b[FrameHeaderLen+len(payload):]
		if err := h.Check(MaxMaxFrame); err != nil {
			t.Fatalf("%+v: %v", h, err)
		}
		log = append(log, showFrame(h, payload))
	}
	return strings.Join(log, "; ")
}

var frameNames = map[FrameType]string{FrameData: "DATA", FrameHeaders: "HEADERS", FrameContinuation: "CONTINUATION", FrameRSTStream: "RST_STREAM", FrameSettings: "SETTINGS", FramePing: "PING", FrameGoAway: "GOAWAY", FrameWindowUpdate: "WINDOW_UPDATE"}

func showFrame(h FrameHeader, payload []byte) string {
	text := frameNames[h.Type]
	if h.Stream > 0 {
		text += fmt.Sprint(" ", h.Stream)
	}
	switch h.Type {
	case FrameData:
		text += fmt.Sprint(" ", len(payload))
	case FrameRSTStream:
		text += " " + ParseCode(payload).String()
	case FrameGoAway:
		last, code, _ := ParseGoAway(payload)
		text += fmt.Sprint(" ", last, " ", code)
	case FrameWindowUpdate:
		n, _ := h.ParseIncrement(payload)
		text += fmt.Sprint(" +", n)
	case FrameSettings, FramePing:
		if h.Flags.Has(FlagAck) {
			text += " ack"
		}
	}
	if (h.Type == FrameData || h.Type == FrameHeaders) && h.Flags.Has(FlagEndStream) {
		text += " end"
	}
	return text
}

func frame(kind FrameType, flags Flags, stream uint32, payload ...string) []byte {
	body := strings.Join(payload, "")
	return append(AppendFrameHeader(nil, FrameHeader{uint32(len(body)), stream, kind, flags}), body...)
}

// block encodes fields, given as "name: value", without any table.
func block(fields ...string) string {
	var b []byte
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		b = append(b, 0)
		b = append(appendInteger(b, 0, 7, uint32(len(name))), name...)
		b = append(appendInteger(b, 0, 7, uint32(len(value))), value...)
	}
	return string(b)
}

var getFields = []string{":method: GET", ":scheme: http", ":path: /", ":authority: h"}

func get(id uint32, fields ...string) []byte {
	return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, id, block(append(getFields[:4:4], fields...)...))
}

func post(id uint32, fields ...string) []byte {
	all := append([]string{":method: POST"}, getFields[1:]...)
	return frame(FrameHeaders, FlagEndHeaders, id, block(append(all, fields...)...))
}

func TestGreeting(t *testing.T) {
	server, client := newEnd(Config{Server: true}), newEnd(Config{})
	toServer, toClient := client.Out, server.Out
	client.Out, server.Out = nil, nil
	if got := server.feed(t, toServer); got != "settings" {
		t.Errorf("server: %s", got)
	}
	if got := server.sent(t); got != "SETTINGS ack" {
		t.Errorf("server sends %s", got)
	}
	if got := client.feed(t, toClient); got != "settings" {
		t.Errorf("client: %s", got)
	}
	if got := client.Peer(); *got != (Settings{4096, true, 100, 256 << 10, 16384, 16384, false}) {
		t.Errorf("client knows %+v", got)
	}
	if client.sending.window != 1<<20 || server.sending.window != 1<<20 {
		t.Errorf("windows %d, %d", client.sending.window, server.sending.window)
	}
}

func TestGreetingRefusals(t *testing.T) { // RFC 9113 3.4
	tests := []struct{ name, wire, want string }{
		{"HTTP/1.1", "GET / HTTP/1.1\r\n\r\n", "error PROTOCOL_ERROR"},
		{"preface with another end", Preface[:22] + "xx", "error PROTOCOL_ERROR"},
		{"half a preface", Preface[:22], ""},
		{"HEADERS first", Preface + string(get(1)), "error PROTOCOL_ERROR"},
		{"acknowledgement first", Preface + string(frame(FrameSettings, FlagAck, 0)), "error PROTOCOL_ERROR"},
		{"PRIORITY of wrong size first", Preface + string(frame(FramePriority, 0, 1, "abc")), "error FRAME_SIZE_ERROR"},
	}
	for _, tt := range tests {
		e := newEnd(Config{Server: true})
		got := ""
		for i := range len(tt.wire) { // byte by byte
			if got = e.feed(t, []byte{tt.wire[i]}); got != "" {
				break
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestServer feeds frames to a server that has been greeted, whose owner keeps all
// streams.
func TestServer(t *testing.T) {
	const priority = "\x00\x00\x00\x01\x10"
	data := func(id uint32, text string) []byte { return frame(FrameData, 0, id, text) }
	dataEnd := func(id uint32, text string) []byte { return frame(FrameData, FlagEndStream, id, text) }
	rst := frame(FrameRSTStream, 0, 1, "\x00\x00\x00\x08")
	head := func(id uint32, kind FrameType, flags Flags, fields ...string) []byte {
		return frame(kind, flags, id, block(fields...))
	}
	tests := []struct {
		name string
		in   [][]byte
		want string
		sent string
	}{
		{"request without a body", [][]byte{get(1)}, "head 1 GET http h/ end", ""},
		{"request with a body", [][]byte{post(1, "content-length: 5"), data(1, "hel"), dataEnd(1, "lo")},
			`head 1 POST http h/ content-length=5; data 1 "hel"; data 1 "lo" end`, ""},
		{"body with padding", [][]byte{post(1), frame(FrameData, FlagPadded|FlagEndStream, 1, "\x03hello\x00\x00\x00"), get(3)},
			`head 1 POST http h/; data 1 "hello" end; head 3 GET http h/ end`, ""},
		{"nothing but padding", [][]byte{post(1), frame(FrameData, FlagPadded, 1, "\x03\x00\x00\x00"), frame(FrameData, FlagPadded|FlagEndStream, 1, "\x00")},
			`head 1 POST http h/; data 1 end`, ""},
		{"trailers", [][]byte{post(1), data(1, "x"), head(1, FrameHeaders, FlagEndHeaders|FlagEndStream, "a: b")},
			`head 1 POST http h/; data 1 "x"; trailers 1 a=b end`, ""},
		{"CONTINUATION (6.10)", [][]byte{
			head(1, FrameHeaders, FlagEndStream, getFields[:2]...), head(1, FrameContinuation, 0, getFields[2]), frame(FrameContinuation, 0, 1), head(1, FrameContinuation, FlagEndHeaders, getFields[3], "a: b")},
			"head 1 GET http h/ a=b end", ""},
		{"priority in HEADERS (6.2)", [][]byte{frame(FrameHeaders, FlagEndHeaders|FlagEndStream|FlagPriority|FlagPadded, 1, "\x02", "\x80\x00\x00\x03\xff", block(getFields...), "\x00\x00")},
			"head 1 GET http h/ end", ""},
		{"PRIORITY of any stream (6.3)", [][]byte{frame(FramePriority, 0, 77, priority), get(1)}, "head 1 GET http h/ end", ""},
		{"PRIORITY_UPDATE (RFC 9218)", [][]byte{frame(FramePriorityUpdate, 0, 0, "\x00\x00\x00\x01u=1"), get(1)}, "head 1 GET http h/ end", ""},
		{"frames of unknown type (5.5)", [][]byte{frame(0x16, 0xff, 0, "what"), frame(0x0a, 0, 1, "\x00\x00alt"), get(1)}, "head 1 GET http h/ end", ""},
		{"PING (6.7)", [][]byte{frame(FramePing, 0, 0, "12345678")}, "", "PING ack"},
		{"PING acknowledged", [][]byte{frame(FramePing, FlagAck, 0, "12345678")}, `pong "12345678"`, ""},
		{"SETTINGS", [][]byte{frame(FrameSettings, 0, 0, "\x00\x04\x00\x00\x00\x01")}, "settings", "SETTINGS ack"},
		{"GOAWAY of a client", [][]byte{post(1), frame(FrameGoAway, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x02bye")}, `head 1 POST http h/; goaway INTERNAL_ERROR "bye"`, ""},
		{"RST_STREAM", [][]byte{post(1), rst}, "head 1 POST http h/; reset 1 CANCEL", ""},
		{"WINDOW_UPDATE after the end", [][]byte{get(1), rst, frame(FrameWindowUpdate, 0, 1, "\x00\x00\x00\x01")}, "head 1 GET http h/ end; reset 1 CANCEL", ""},
		{"RST_STREAM twice", [][]byte{get(1), rst, rst}, "head 1 GET http h/ end; reset 1 CANCEL", ""},

		{"DATA of an idle stream (5.1)", [][]byte{data(1, "x")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"RST_STREAM of an idle stream (5.1)", [][]byte{rst}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"WINDOW_UPDATE of an idle stream (5.1)", [][]byte{frame(FrameWindowUpdate, 0, 1, "\x00\x00\x00\x01")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"DATA of a stream of ours (5.1)", [][]byte{data(2, "x")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"CONTINUATION alone (6.10)", [][]byte{head(1, FrameContinuation, FlagEndHeaders, getFields...)}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"DATA after END_STREAM (5.1)", [][]byte{get(1), data(1, "x")}, "head 1 GET http h/ end; reset 1 STREAM_CLOSED", "RST_STREAM 1 STREAM_CLOSED"},
		{"HEADERS after END_STREAM (5.1)", [][]byte{get(1), get(1)}, "head 1 GET http h/ end; reset 1 STREAM_CLOSED", "RST_STREAM 1 STREAM_CLOSED"},
		{"DATA after RST_STREAM (5.1)", [][]byte{post(1), rst, data(1, "x")}, "head 1 POST http h/; reset 1 CANCEL", "RST_STREAM 1 STREAM_CLOSED"},
		{"HEADERS after RST_STREAM (5.1)", [][]byte{post(1), rst, get(1)}, "head 1 POST http h/; reset 1 CANCEL", "RST_STREAM 1 STREAM_CLOSED"},
		{"frames that we ended by a reset", [][]byte{post(1, "content-length: 1"), data(1, "xx"), data(1, "xx"), get(1), get(3)},
			"head 1 POST http h/ content-length=1; reset 1 PROTOCOL_ERROR; head 3 GET http h/ end", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"stream IDs go back (5.1.1)", [][]byte{get(5), get(3)}, "head 5 GET http h/ end; error PROTOCOL_ERROR", "GOAWAY 5 PROTOCOL_ERROR"},
		{"even stream ID (5.1.1)", [][]byte{get(2)}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"PUSH_PROMISE (8.4)", [][]byte{frame(FramePushPromise, FlagEndHeaders, 1, "\x00\x00\x00\x02")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"DATA within a block (6.2)", [][]byte{head(1, FrameHeaders, 0, getFields...), data(1, "x")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"unknown frame within a block (5.5)", [][]byte{head(1, FrameHeaders, 0, getFields...), frame(0x16, 0, 1, "x")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"CONTINUATION of another stream (6.2)", [][]byte{head(1, FrameHeaders, 0, getFields...), head(3, FrameContinuation, FlagEndHeaders)}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"broken block (4.3)", [][]byte{frame(FrameHeaders, FlagEndHeaders, 1, "\xff\xff")}, "error COMPRESSION_ERROR", "GOAWAY 0 COMPRESSION_ERROR"},
		{"PRIORITY of wrong size (6.3)", [][]byte{frame(FramePriority, 0, 1, "abcd"), get(3)}, "head 3 GET http h/ end", "RST_STREAM 1 FRAME_SIZE_ERROR"},
		{"stream that depends on itself", [][]byte{frame(FramePriority, 0, 1, "\x00\x00\x00\x01\x10")}, "", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"request that depends on itself", [][]byte{frame(FrameHeaders, FlagEndHeaders|FlagEndStream|FlagPriority, 1, priority, block(getFields...))}, "", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"body longer than its length (8.1.1)", [][]byte{post(1, "content-length: 1"), dataEnd(1, "xx")}, "head 1 POST http h/ content-length=1; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"body shorter than its length (8.1.1)", [][]byte{post(1, "content-length: 3"), data(1, "x"), dataEnd(1, "x")}, `head 1 POST http h/ content-length=3; data 1 "x"; reset 1 PROTOCOL_ERROR`, "RST_STREAM 1 PROTOCOL_ERROR"},
		{"length without a body (8.1.1)", [][]byte{get(1, "content-length: 1")}, "", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"trailers instead of the body (8.1.1)", [][]byte{post(1, "content-length: 1"), head(1, FrameHeaders, FlagEndHeaders|FlagEndStream, "a: b")}, "head 1 POST http h/ content-length=1; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"trailers that don't end it (8.1)", [][]byte{post(1), head(1, FrameHeaders, FlagEndHeaders, "a: b")}, "head 1 POST http h/; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"pseudo-header in trailers (8.1)", [][]byte{post(1), head(1, FrameHeaders, FlagEndHeaders|FlagEndStream, ":path: /")}, "head 1 POST http h/; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"window opened by 0 (6.9)", [][]byte{post(1), frame(FrameWindowUpdate, 0, 1, "\x00\x00\x00\x00")}, "head 1 POST http h/; reset 1 PROTOCOL_ERROR", "RST_STREAM 1 PROTOCOL_ERROR"},
		{"connection's window opened by 0 (6.9)", [][]byte{frame(FrameWindowUpdate, 0, 0, "\x00\x00\x00\x00")}, "error PROTOCOL_ERROR", "GOAWAY 0 PROTOCOL_ERROR"},
		{"window above 2^31-1 (6.9.1)", [][]byte{post(1), frame(FrameWindowUpdate, 0, 1, "\x7f\xff\xff\xff")}, "head 1 POST http h/; reset 1 FLOW_CONTROL_ERROR", "RST_STREAM 1 FLOW_CONTROL_ERROR"},
		{"connection's window above 2^31-1 (6.9.1)", [][]byte{frame(FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff")}, "error FLOW_CONTROL_ERROR", "GOAWAY 0 FLOW_CONTROL_ERROR"},
		{"windows above 2^31-1 by SETTINGS (6.9.2)", [][]byte{post(1), frame(FrameWindowUpdate, 0, 1, "\x00\x00\x00\x01"), frame(FrameSettings, 0, 0, "\x00\x04\x7f\xff\xff\xff")},
			"head 1 POST http h/; error FLOW_CONTROL_ERROR", "GOAWAY 1 FLOW_CONTROL_ERROR"},
	}
	for _, tt := range tests {
		whole := greetedServer(t, Config{})
		if got := whole.feed(t, tt.in...); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
		if got := whole.sent(t); got != tt.sent {
			t.Errorf("%s:\nsent %s\nwant %s", tt.name, got, tt.sent)
		}
	}
}

// Trailers of a stream that this side has reset may be under way for as long as the peer hasn't
// heard of it, however many others it opens and gives up meanwhile. Of streams that were skipped
// it may not send any.
func TestTrailersOfAForgottenStream(t *testing.T) {
	many := Rate{Burst: 1 << 20, PerSecond: 1 << 20}
	e := greetedServer(t, Config{Limits: Limits{Resets: many, Noise: many}})
	e.react = func(ev *Event) {
		if ev.Kind == EventHead && ev.Stream.ID == 1 {
			e.Reset(ev.Stream, Cancel)
		}
		if ev.Kind == EventHead || ev.Kind == EventReset {
			e.Release(ev.Stream)
		}
	}
	e.feed(t, post(1))
	for n := range uint32(2 * rememberedStreams) {
		if got := e.feed(t, get(3+4*n), frame(FrameRSTStream, 0, 3+4*n, "\x00\x00\x00\x08")); strings.Contains(got, "error") {
			t.Fatal(got)
		}
	}
	trailers := frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block("x-trailer", "yes"))
	if got := e.feed(t, trailers); got != "" {
		t.Errorf("trailers of a stream that was reset: %s", got)
	}
	if got := e.feed(t, get(8*rememberedStreams-3)); got != "error PROTOCOL_ERROR" {
		t.Errorf("a stream below others: %q", got)
	}
}
