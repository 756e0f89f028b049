package http2

import (
	"strings"
	"testing"
)

// A peer that opens its windows by a few bytes at a time gets frames of as many bytes, each of
// them whole, whatever becomes of the connection.
func TestSmallWindows(t *testing.T) {
	const step = 17
	for _, c := range []struct {
		name  string
		begin func() (*end, *Stream)
		ends  bool // it is too much of a client
	}{
		{"of a server", func() (*end, *Stream) {
			e := greetedClient(t, Config{})
			e.feed(t, setting(paramInitialWindow, step))
			return e, e.request(t, "PUT", false)
		}, false},
		{"of a client", func() (*end, *Stream) {
			e := greetedServer(t, Config{})
			e.feed(t, setting(paramInitialWindow, step))
			var s *Stream
			e.react = func(ev *Event) { s = ev.Stream }
			e.feed(t, get(1))
			e.react = nil
			e.respond(s, false)
			return e, s
		}, true},
	} {
		for before := range 3 { // so that each of what is counted in a round comes to be the one too many
			e, s := c.begin()
			for range before {
				e.feed(t, frame(FramePing, FlagAck, 0, "12345678"))
			}
			e.Out = e.Out[:0]
			sent, ended := dribble(t, e, s, step)
			if c.ends && !strings.HasPrefix(ended, "GOAWAY 1 ENHANCE_YOUR_CALM") || !c.ends && (ended != "" || sent < 100_000) {
				t.Errorf("%s: %d bytes sent, then %q, then dead: %v", c.name, sent, ended, e.Err())
			}
		}
	}
}

// dribble sends 100,000 bytes to a peer that opens its windows by step bytes at a time. It
// gives how many were sent, and what else came than DATA.
func dribble(t *testing.T, e *end, s *Stream, step int) (sent int, ended string) {
	body := make([]byte, 100_000)
	for range 2 * len(body) / step {
		sent += e.SendData(s, body[sent:], true)
		e.feed(t, window(0, uint32(step)), window(1, uint32(step)))
		for frames := range strings.SplitSeq(e.sent(t), "; ") { // which reads them all as frames
			if frames != "" && !strings.HasPrefix(frames, "DATA 1 ") {
				return sent, frames
			}
		}
		e.Flushed()
		if sent == len(body) {
			break
		}
	}
	return sent, ""
}
