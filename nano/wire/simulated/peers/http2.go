//go:build linux

package peers

import (
	"slices"

	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/simulated"
)

// HTTP2 is what an end that speaks HTTP/2 has beside its streams.
type HTTP2 struct {
	Conn http2.Conn
	in   []byte
	owed []owed
}

// owed are bytes that were read and for which windows aren't opened yet.
type owed struct {
	s     *http2.Stream
	n     int
	owner any
}

// Config is the configuration of an end that limits nothing the other end does. A window, in bytes,
// or a number of streams of 0 is the default.
func Config(server bool, window, streams uint32) *http2.Config {
	settings := http2.DefaultSettings
	if settings.InitialWindow = 65535; window != 0 {
		settings.InitialWindow = window
	}
	settings.ConnectProtocol = server
	if streams != 0 {
		settings.MaxConcurrent = streams
	}
	many := http2.Rate{Burst: 1 << 30, PerSecond: 1 << 20}
	return http2.NewConfig(http2.Config{Server: server, Settings: settings, Window: max(65535, 4*window),
		Limits: http2.Limits{Resets: many, Settings: many, Noise: many, Replies: 1 << 30}})
}

// Take takes in what was read, and hands out what happened until there is nothing more or a
// function says that it wants no more. The error is what isn't HTTP/2.
func (h *HTTP2) Take(b []byte, now func() int64, happened func(*http2.Event) (more bool)) error {
	h.in = append(h.in, b...)
	rest := h.in
	defer func() { h.in = h.in[:copy(h.in, rest)] }()
	for {
		n, ev, err := h.Conn.Next(rest, now())
		if rest = rest[n:]; err != nil {
			return err
		}
		if ev.Kind == http2.More || !happened(ev) {
			return nil
		}
	}
}

// Partial reports whether what was read ends within a frame.
func (h *HTTP2) Partial() bool { return len(h.in) > 0 }

// Read opens the windows for n bytes that came on a stream: at once or, as often, with Open. It
// reports that there is something to say later.
func (h *HTTP2) Read(s *http2.Stream, n int, owner any, random *simulated.Random) (later bool) {
	if random.OneIn(2) {
		h.Conn.Consume(s, n)
		return false
	}
	h.owed = append(h.owed, owed{s, n, owner})
	return true
}

// Open opens the windows for what was left.
func (h *HTTP2) Open() {
	for _, o := range h.owed {
		h.Conn.Consume(o.s, o.n)
	}
	h.owed = h.owed[:0]
}

// Forget leaves windows closed that an owner has left.
func (h *HTTP2) Forget(owner any) {
	h.owed = slices.DeleteFunc(h.owed, func(o owed) bool { return o.owner == owner })
}

// Lines are the fields of a header section as HTTP/1.1 has them in a trailer section.
func Lines(h *http2.Header) (lines []byte) {
	for _, f := range h.Fields {
		lines = append(append(append(append(lines, f.Name.Of(h.Bytes)...), ": "...), f.Value.Of(h.Bytes)...), "\r\n"...)
	}
	return lines
}
