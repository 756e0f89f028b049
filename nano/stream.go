package nano

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"dyno.example/nano/internal/exchange"
)

// Events sends server-sent events (the HTML standard, 9.2).
type Events struct {
	// LastID is the id of the last event that the client saw before it lost its
	// connection; "" if this is the first.
	LastID string

	stream    Stream
	heartbeat time.Duration
}

// Event is one event. Data may have several lines.
type Event struct {
	ID    string        // for LastID; without line breaks and NUL
	Name  string        // what the client listens for; empty is "message"
	Data  string        // an event without data is not dispatched by clients
	Retry time.Duration // how long the client waits before it connects again; 0 says nothing
}

// heartbeat is how often a comment is sent while there is no event: proxies
// close connections that are silent, often after 30 s or a minute, and a client
// that has gone without a word is found by writing.
const heartbeat = 15 * time.Second

// SSE responds with events: fn sends them until it returns. It has to return when
// c.Done() is closed, as it is when the client has gone, and when [Ctx.Draining]
// is; [Events.From] does. fn is not called for HEAD.
func (c Ctx) SSE(fn func(e *Events) error) error {
	x := c.live()
	if x.begun {
		return ErrResponded
	}
	x.setContentType("text/event-stream")
	x.removeField("Cache-Control")
	x.addField("Cache-Control", "no-store")
	x.addField("X-Accel-Buffering", "no") // nginx would gather events
	e := &Events{LastID: string(x.field("Last-Event-ID")), stream: Stream{c: c}, heartbeat: heartbeat}
	if err := e.stream.begin(200, -1); err != nil || exchange.IsHead(&x.Exchange) {
		return err
	}
	if err := e.stream.Flush(); err != nil {
		return fmt.Errorf("%w: %w", ErrAborted, err)
	}
	err := fn(e)
	if c.Err() != nil {
		return fmt.Errorf("%w: %w", ErrAborted, context.Cause(c.Context())) // the client has gone
	}
	return err
}

// Send sends an event at once.
func (e *Events) Send(event Event) error {
	text, err := event.append(nil)
	if err != nil {
		return err
	}
	return e.send(text)
}

// Data sends an event that is only data.
func (e *Events) Data(data string) error { return e.Send(Event{Data: data}) }

// Comment sends a line that clients ignore.
func (e *Events) Comment(text string) error {
	return e.send(append(appendLines(nil, ": ", text), '\n'))
}

func (e *Events) send(text []byte) error {
	if _, err := e.stream.Write(text); err != nil {
		return err
	}
	return e.stream.Flush()
}

// Heartbeat sets how often [Events.From] sends a comment while there is no event.
// The default is 15 s.
func (e *Events) Heartbeat(every time.Duration) { e.heartbeat = max(every, time.Millisecond) }

// From sends the events of a channel, and heartbeats, until the channel is closed,
// the app shuts down (clients connect again, then to another server) or the
// client has gone, which is an error. The caller sees to it that the sender doesn't block for
// ever then.
func (e *Events) From(events <-chan Event) error {
	beat := time.NewTicker(e.heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case <-e.stream.c.Done():
			return e.stream.c.Err()
		case <-e.stream.c.Draining():
			return nil
		case event, more := <-events:
			if !more {
				return nil
			}
			err = e.Send(event)
			beat.Reset(e.heartbeat)
		case <-beat.C:
			err = e.Comment("")
		}
		if err != nil {
			return err
		}
	}
}

// append appends the lines of the event.
func (e *Event) append(b []byte) ([]byte, error) {
	if strings.ContainsAny(e.ID, "\r\n\x00") || strings.ContainsAny(e.Name, "\r\n\x00") {
		return b, errors.New("nano: the id or name of an event has a line break")
	}
	if e.Name != "" {
		b = append(append(append(b, "event: "...), e.Name...), '\n')
	}
	if e.ID != "" {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	if e.Retry > 0 {
		b = appendRetry(b, e.Retry)
	}
	if e.Data != "" {
		b = appendLines(b, "data: ", e.Data)
	}
	return append(b, '\n'), nil
}

// appendLines appends text with a prefix on each line. CRLF, LF and CR end a line
// (HTML 9.2.5): each would let data forge an event.
func appendLines(b []byte, prefix, text string) []byte {
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return append(append(append(b, prefix...), text...), '\n')
		}
		b = append(append(append(b, prefix...), text[:i]...), '\n')
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		text = text[i+1:]
	}
}

func appendRetry(b []byte, d time.Duration) []byte {
	b = strconv.AppendInt(append(b, "retry: "...), max(d.Milliseconds(), 1), 10)
	return append(b, '\n')
}

// Stream responds with what fn writes, as it is written; the length is not known
// before. Small writes are gathered: [Stream.Flush] sends what there is. Writing
// blocks while the client is slow. If fn fails the connection is cut, so that
// the client knows that something is missing. fn is not called for HEAD.
func (c Ctx) Stream(code int, contentType string, fn func(s *Stream) error) error {
	return c.StreamSized(code, contentType, -1, fn)
}

// StreamSized is Stream for a body whose length in bytes is known. fn must write
// exactly as many.
func (c Ctx) StreamSized(code int, contentType string, length int64, fn func(s *Stream) error) error {
	x := c.own()
	if x.begun {
		return ErrResponded
	}
	if contentType != "" {
		x.setContentType(contentType)
	}
	s := &Stream{c: c}
	if err := s.begin(code, length); err != nil || exchange.IsHead(&x.Exchange) {
		return err
	}
	if err := fn(s); err != nil {
		return err
	}
	return x.Wire.End(&x.Exchange, s.trailers)
}

// Stream is the body of a response that is sent bit by bit. It belongs to the
// goroutine that runs the handler, or whichever one it leaves the writing to until it
// returns.
type Stream struct {
	c        Ctx
	trailers []byte
}

var _ io.Writer = (*Stream)(nil)

// AddHeader adds a field to the response before s is opened for it, as [Ctx.AddHeader]
// does, on whichever goroutine is to write it.
func (s *Stream) AddHeader(c Ctx, name, value string) { c.live().addField(name, value) }

// Open begins a response as [Ctx.StreamSized] does, for a handler that writes it in
// other places than one function: s is ready to be written to until Close, which ends
// the response. A handler that returns without it ends the response without trailers;
// one that fails cuts it. The zero value is ready, and after Close s may be opened for
// another request. To HEAD only the head is sent.
func (s *Stream) Open(c Ctx, code int, contentType string, length int64) error {
	x := c.live()
	if x.begun {
		return ErrResponded
	}
	if contentType != "" {
		x.setContentType(contentType)
	}
	s.c, s.trailers = c, s.trailers[:0]
	return s.begin(code, length)
}

// Close ends the response, with the fields that Trailer has set.
func (s *Stream) Close() error {
	x := s.c.live()
	return x.Wire.End(&x.Exchange, s.trailers)
}

// begin sends the head, or keeps it to go with the first bytes.
func (s *Stream) begin(code int, length int64) error {
	x := s.c.live()
	x.Status, x.begun = checkStatus(code), true
	return x.Wire.Begin(&x.Exchange, length)
}

// Write sends p, or gathers it. An error means that the client is gone or has
// not taken anything for Limits.WriteStall.
func (s *Stream) Write(p []byte) (int, error) {
	x := s.c.live()
	return x.Wire.Write(&x.Exchange, p)
}

// WriteString is Write without a copy of the string.
func (s *Stream) WriteString(p string) (int, error) { return s.Write(unsafeBytes(p)) }

// Flush sends what was gathered. Before the first Write it sends the head.
func (s *Stream) Flush() error {
	x := s.c.live()
	return x.Wire.Flush(&x.Exchange)
}

// Send writes p and sends what there is: Write and Flush in one.
func (s *Stream) Send(p []byte) error {
	x := s.c.live()
	if w, ok := x.Wire.(exchange.Sender); ok {
		return w.Send(&x.Exchange, p)
	}
	if _, err := x.Wire.Write(&x.Exchange, p); err != nil {
		return err
	}
	return x.Wire.Flush(&x.Exchange)
}

// Trailer sets a field to be sent after the body (RFC 9110 6.5). A Trailer field in the
// head should announce it; responses with a length, and to HTTP/1.0, have no trailers.
// It panics as SetHeader does, and for fields that frame the message.
func (s *Stream) Trailer(name, value string) {
	s.c.live()
	checkField(name, value)
	line := append(append(append([]byte(name), ": "...), value...), "\r\n"...)
	if exchange.KindOf(line) != exchange.FieldPlain {
		panic("nano: " + name + " can't be sent as a trailer field")
	}
	s.trailers = append(s.trailers, line...)
}

// copyBuffers are for io.Copy in responses.
var copyBuffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// StreamReader responds with what from gives; length is in bytes, -1 if it isn't
// known. It does not close from.
func (c Ctx) StreamReader(code int, contentType string, length int64, from io.Reader) error {
	return c.StreamSized(code, contentType, length, func(s *Stream) error {
		if length >= 0 {
			from = io.LimitReader(from, length)
		}
		buf := copyBuffers.Get().(*[]byte)
		defer copyBuffers.Put(buf)
		_, err := io.CopyBuffer(s, struct{ io.Reader }{from}, *buf)
		return err
	})
}
