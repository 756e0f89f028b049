package http2

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// owner reacts to a server's or a client's events as an owner may, depending on the
// stream only, and shows what came.
type owner struct {
	end
	log []string
}

func newOwner(t testing.TB, server bool) *owner {
	cfg := Config{Server: server, Settings: Settings{HeaderTable: 4096, MaxConcurrent: 4, InitialWindow: 1000, MaxHeaderList: 500}, Table: 300, Limits: Limits{Noise: Rate{50, 1}, Resets: Rate{10, 1}}}
	o := new(owner)
	o.Start(NewConfig(cfg), new(Pool), 0)
	if server {
		o.feed(t, []byte(Preface), frame(FrameSettings, 0, 0), frame(FrameSettings, FlagAck, 0))
	} else {
		o.feed(t, frame(FrameSettings, 0, 0), frame(FrameSettings, FlagAck, 0))
		for i := range 3 {
			o.request(t, []string{"GET", "HEAD", "POST"}[i], i < 2)
		}
	}
	o.react = o.act
	return o
}

// act must not depend on how a body is cut into pieces.
func (o *owner) act(ev *Event) {
	s := ev.Stream
	if s == nil {
		return
	}
	if s.released {
		panic("event of a stream that was released")
	}
	switch ev.Kind {
	case EventHead, EventTooLarge:
		if o.cfg.Server {
			o.respond(s, s.ID%4 == 1)
			o.SendData(s, make([]byte, 700), s.ID%4 == 3)
		}
	case EventWritable:
		o.SendData(s, make([]byte, 700), true)
	case EventReset:
		o.Release(s)
		return
	}
	if ev.End && s.SendEnded() || s.Closed() {
		o.Release(s)
	}
}

// run feeds wire in pieces and shows the events, with bodies in one piece.
func (o *owner) run(t testing.TB, wire []byte, cuts ...int) string {
	t.Helper()
	from := 0
	for _, cut := range append(cuts, len(wire)) {
		if got := o.feed(t, wire[from:cut]); got != "" {
			o.log = append(o.log, got)
		}
		from = cut
		o.check(t)
		if o.Err() != nil {
			break
		}
	}
	text := strings.Join(o.log, "; ")
	return strings.ReplaceAll(text, `" end`, `"; end`)
}

// check holds what must be true at any time.
func (o *owner) check(t testing.TB) {
	t.Helper()
	n := 0
	o.streams.each(func(s *Stream) {
		n++
		if s.closed || s.released {
			t.Fatalf("stream %d is in the table: %+v", s.ID, s)
		}
		if s.recvWindow > 65535 || s.unread < 0 || s.credit < 0 {
			t.Fatalf("stream %d: %+v", s.ID, s)
		}
	})
	if n != o.streams.n || n > o.streams.held || o.streams.held > 4 {
		t.Fatalf("%d streams, %d counted, %d held", n, o.streams.n, o.streams.held)
	}
	if o.dead == nil && o.recvWindow+o.credit > int64(o.cfg.Window) {
		t.Fatalf("window %d + %d", o.recvWindow, o.credit)
	}
	if o.pool.header.Bytes != nil && cap(o.pool.header.Bytes) > 1<<20 {
		t.Fatalf("%d bytes of fields", cap(o.pool.header.Bytes))
	}
}

// FuzzConn feeds the same bytes at once and in three pieces: the same must happen
// and the same be sent, in frames that are whole.
func FuzzConn(f *testing.F) {
	f.Add(true, concat(post(1, "content-length: 5"), frame(FrameData, FlagPadded, 1, "\x02hel\x00\x00"), frame(FrameData, FlagEndStream, 1, "lo"), get(3), window(3, 1000), get(5), AppendRSTStream(nil, 5, Cancel)), uint16(40), uint16(90))
	f.Add(true, concat(setting(paramInitialWindow, 10), get(1), get(3), setting(paramInitialWindow, 800), frame(FramePing, 0, 0, "12345678"), frame(FrameHeaders, 0, 5, block(getFields[:2]...)), frame(FrameContinuation, FlagEndHeaders, 5, block(getFields[2:]...))), uint16(13), uint16(99))
	f.Add(true, concat(get(1), get(3), get(5), get(7), get(9), window(0, 1), window(3, 0), AppendGoAway(nil, 0, NoError, "x"), frame(FramePriority, 0, 5, "\x00\x00\x00\x05\x00"), frame(FrameData, 0, 1, "x")), uint16(7), uint16(70))
	f.Add(false, concat(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, "\x88"), frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 3, block(":status: 200", "content-length: 7")), frame(FrameHeaders, FlagEndHeaders, 5, block(":status: 100")), frame(FrameHeaders, FlagEndHeaders, 5, "\x89"), frame(FrameData, 0, 5, "body"), frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 5, block("grpc-status: 0"))), uint16(11), uint16(12))
	f.Add(false, concat(AppendGoAway(nil, 1, NoError, ""), AppendRSTStream(nil, 1, RefusedStream), frame(FramePushPromise, 4, 1, "\x00\x00\x00\x02")), uint16(20), uint16(20))
	f.Fuzz(func(t *testing.T, server bool, wire []byte, first, second uint16) {
		cuts := []int{min(int(first), len(wire)), min(int(second), len(wire))}
		slices.Sort(cuts)
		whole, pieces := newOwner(t, server), newOwner(t, server)
		a, b := whole.run(t, wire), pieces.run(t, wire, cuts...)
		if joined(a) != joined(b) {
			t.Fatalf("at once: %s\ncut at %v: %s", a, cuts, b)
		}
		if whole.Err() == nil && len(whole.in) != len(pieces.in) {
			t.Fatalf("left: %d, cut at %v: %d", len(whole.in), cuts, len(pieces.in))
		}
		if !bytes.Equal(whole.Out, pieces.Out) {
			t.Fatalf("sent: %s\ncut at %v: %s", whole.sent(t), cuts, pieces.sent(t))
		}
		whole.sent(t)
	})
}

// joined takes the cuts out of bodies: data that follows data of the same stream is
// put behind it.
func joined(log string) string {
	var out []string
	for _, ev := range strings.Split(log, "; ") {
		if n := len(out); n > 0 && strings.HasPrefix(ev, "data ") && strings.HasSuffix(ev, `"`) {
			stream, text, _ := strings.Cut(ev, `"`)
			if before, ok := strings.CutSuffix(out[n-1], `"`); ok && strings.HasPrefix(before, stream+`"`) {
				out[n-1] = before + text
				continue
			}
		}
		out = append(out, ev)
	}
	return strings.Join(out, "; ")
}
