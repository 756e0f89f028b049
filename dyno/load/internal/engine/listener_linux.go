package engine

import (
	"bytes"
	"fmt"
	"time"

	"dyno.example/dyno/load/internal/agenda"
	"dyno.example/dyno/load/internal/eventstream"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/stamp"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http1"
)

// silenceTick is how often connections are looked at on which nothing may come.
const silenceTick = 100 * time.Millisecond

// listeners is what an event loop has for server-sent events (HTML Living Standard,
// 9.2): each connection sends one request, and is held open as long as the server
// likes.
type listeners struct {
	loop      *eventLoop
	listeners []listener // by the loop's conns
	options   *request.Events
	stamp     *stamp.Stamp // nil: events have none
	wall      wallClock
	waiting   agenda.Agenda // connections to be made again, by when
	ticked    int64
	handled   int // events in this turn
}

// listener is what a connection of the loop has for events.
type listener struct {
	outbox
	head    http1.ResponseHead
	body    http1.Body
	partial []byte // start of the response's head
	events  eventstream.Parser
	ids     sequence
	retry   time.Duration // before the stream is taken up again
	heard   int64         // when something came last
	known   bool          // it was up before
	stopped bool          // the server wants it not to come back
}

func newListeners(l *eventLoop) (*listeners, error) {
	s := &listeners{loop: l, listeners: make([]listener, l.Most), options: l.Link.Events, waiting: agenda.New(l.Most)}
	if s.options.Stamp != nil {
		var err error
		if s.stamp, err = s.options.Stamp.Compile(); err != nil {
			return nil, err
		}
	}
	for i := range s.listeners {
		k := &s.listeners[i]
		k.retry, k.events.Most = s.options.RetryAfter(), s.options.Most()
	}
	return s, nil
}

// greet requests the stream, from the event on that came last.
func (s *listeners) greet(id int32) {
	l, k := s.loop, &s.listeners[id]
	c := &l.conns[id]
	c.state = greeting
	k.partial, k.out, k.heard = k.partial[:0], k.out[:0], l.now
	k.events.Reset()
	wire := l.mix.again(&c.exchange, l.now)
	if last := k.events.LastID; len(last) > 0 {
		at := bytes.Index(wire, headEnd) + len(lineEnd)
		k.out = append(k.out, wire[:at]...)
		k.out = append(k.out, "Last-Event-ID: "...)
		k.out = append(k.out, last...)
		k.out = append(k.out, lineEnd...)
		wire = wire[at:]
	}
	k.out = append(k.out, wire...)
	s.flush(id)
}

func (s *listeners) read(id int32, data []byte) {
	l, k := s.loop, &s.listeners[id]
	c := &l.conns[id]
	gen := c.gen
	k.heard = l.now
	if c.state == greeting {
		data = s.head(id, data)
	}
	if c.gen != gen || c.state != ready {
		return
	}
	n, decoded, err := k.body.Feed(data)
	s.stream(id, data[:decoded])
	switch {
	case c.gen != gen || c.state != ready:
	case err != nil:
		s.lose(id, measure.BodyError, i18n.From(err))
	case k.body.Done() && n < len(data):
		s.lose(id, measure.BodyError, i18n.New("engine.bytes-beyond-stream", "the server sent bytes beyond the end of its stream"))
	case k.body.Done():
		s.end(id)
	}
}

// head takes bytes of the response's head, and returns what is behind it.
func (s *listeners) head(id int32, data []byte) (rest []byte) {
	l, k := s.loop, &s.listeners[id]
	c := &l.conns[id]
	if len(k.partial) > 0 {
		k.partial = append(k.partial, data...)
		data = k.partial
	}
	n, err := k.head.Parse(data, false, &http1.Limits{Head: http1.MaxHead, Fields: mostFields})
	for err == nil && n > 0 && k.head.Status < 200 { // another one follows
		data = data[n:]
		n, err = k.head.Parse(data, false, &http1.Limits{Head: http1.MaxHead, Fields: mostFields})
	}
	if err != nil {
		c.copy(data)
		s.refused(id, i18n.Join(err, beginning(data)))
		return nil
	}
	if n == 0 {
		k.partial = append(k.partial[:0], data...) // it may overlap
		return nil
	}
	if l.rec != nil {
		l.rec.countOther(k.head.Status)
	}
	if why := s.denied(data, k); why != "" {
		c.copy(data)
		l.Errors.cause(measure.HandshakeError, fmt.Sprint(k.head.Status))
		s.refused(id, i18n.Verbatim(why))
		return nil
	}
	if k.known && l.listening() {
		l.rec.Messages.Reconnects++
	}
	k.known = true
	k.body.StartResponse(&k.head)
	l.connector.usable(id)
	return data[n:]
}

// denied says why a response is no stream of events, "" if it is one.
func (s *listeners) denied(data []byte, k *listener) string {
	const kind = "text/event-stream"
	if k.head.Status == 204 {
		k.stopped = true
		return "status 204 No Content: the server wants clients not to come back"
	}
	if k.head.Status != 200 {
		return "the server refused the stream: " + request.StatusText(k.head.Status)
	}
	for i := range k.head.Fields {
		f := &k.head.Fields[i]
		if http1.EqualFold(f.Name.Of(data), "content-type") {
			value, _, _ := bytes.Cut(f.Value.Of(data), []byte(";"))
			if http1.EqualFold(bytes.TrimSpace(value), kind) {
				return ""
			}
			return fmt.Sprintf("the response is %.60q, not %s", f.Value.Of(data), kind)
		}
	}
	return "the response has no Content-Type, so it is not " + kind
}

// stream takes bytes of the stream.
func (s *listeners) stream(id int32, data []byte) {
	l, k := s.loop, &s.listeners[id]
	for {
		n, found, err := k.events.Next(data)
		if err != nil {
			s.lose(id, measure.OversizeError, i18n.New("engine.event-too-long", "an event is longer than the %d bytes that are allowed", k.events.Most))
			return
		}
		data = data[n:]
		switch found.Kind {
		case eventstream.More:
			return
		case eventstream.Retry:
			k.retry = found.Retry
		case eventstream.Event:
			s.handled++
			missed, repeated := uint64(0), false
			if found.HasID && (s.stamp == nil || !s.stamp.ID()) {
				missed, repeated = k.ids.next(k.events.LastID)
			}
			if l.listening() {
				s.came(k, &found, missed, repeated)
			}
		}
	}
}

// came counts an event.
func (s *listeners) came(k *listener, e *eventstream.Found, missed uint64, repeated bool) {
	l := s.loop
	l.rec.Messages.Missed += missed
	if repeated {
		l.rec.Messages.Repeated++
	}
	stamped, ok := int64(0), false
	if s.stamp != nil {
		id := k.events.LastID
		if !e.HasID {
			id = nil
		}
		if stamped, ok = s.stamp.Of(id, e.Data); ok && s.stamp.Wall() {
			stamped = s.wall.monotonic(stamped, l.now)
		}
	}
	l.came(stamped, s.stamp != nil, ok)
}

// refused ends a connection whose stream the server did not begin.
func (s *listeners) refused(id int32, why i18n.Message) {
	l := s.loop
	l.refused(id, measure.HandshakeError, why)
	l.connector.retries.Stop(id)
	s.later(id)
}

// lose ends a stream by a fault of the server.
func (s *listeners) lose(id int32, kind measure.ErrorKind, why i18n.Message) {
	l := s.loop
	l.fault(kind, why)
	l.connector.drop(id)
	s.later(id)
}

// end ends a stream that the server has ended as it may.
func (s *listeners) end(id int32) {
	s.loop.connector.drop(id)
	s.later(id)
}

// later lets the connection be made again after the time that the server has set.
func (s *listeners) later(id int32) {
	if k := &s.listeners[id]; !k.stopped {
		s.waiting.Push(s.loop.now+int64(k.retry), id)
	}
}

func (s *listeners) ended(id int32) {
	switch k := &s.listeners[id]; {
	case s.loop.conns[id].state == greeting:
		s.loop.connector.connectFailed(id, errNoHandshake)
	case k.head.UntilClose:
		s.end(id)
	default:
		s.broke(id, i18n.New("engine.closed-in-stream", "the server closed the connection in the middle of its stream"))
	}
}

func (s *listeners) broke(id int32, why i18n.Message) {
	switch s.loop.conns[id].state {
	case down:
	case greeting:
		s.loop.connector.connectFailed(id, i18n.Fail(why))
	default:
		s.lose(id, measure.ResetError, why)
	}
}

func (s *listeners) flush(id int32) { s.loop.handOver(id, &s.listeners[id].outbox) }

func (s *listeners) turn() {
	l := s.loop
	for s.waiting.Len() > 0 && s.waiting.First().At <= l.now {
		if id := s.waiting.Pop().ID; l.connector.keepsWarm() {
			l.connector.open(id)
		}
	}
	if s.options.Silence == 0 || l.now-s.ticked < int64(silenceTick) {
		return
	}
	s.ticked = l.now
	for i := range l.conns {
		if k := &s.listeners[i]; l.conns[i].state == ready && l.now-k.heard >= int64(s.options.Silence) {
			s.lose(int32(i), measure.TimeoutError, i18n.New("engine.nothing-came", "nothing came for %v", s.options.Silence))
		}
	}
}

func (s *listeners) worth() int {
	n := s.handled / messagesPerEvent
	s.handled = 0
	return n
}

// sequence finds what is missing in ids that are numbers. Only ids that count up by one
// show what is missing: until two events have done so, gaps are only noted.
type sequence struct {
	last   uint64
	noted  uint64 // missing, should the ids count on by one
	some   bool   // last is set
	counts bool   // two events in a row were one apart
}

// next takes the id of an event. missed is how many are missing before it, repeated
// whether it is no higher than the one before.
func (q *sequence) next(id []byte) (missed uint64, repeated bool) {
	n, ok := decimal(id)
	if !ok {
		q.some = false
		return 0, false
	}
	before, some := q.last, q.some
	q.last, q.some = n, true
	switch {
	case !some:
		return 0, false
	case n <= before:
		q.last = max(n, before)
		return 0, q.counts
	case n == before+1:
		q.counts = true
	default:
		q.noted += n - before - 1
	}
	if !q.counts {
		return 0, false
	}
	missed, q.noted = q.noted, 0
	return missed, false
}

// decimal reads a whole number of at most 18 digits.
func decimal(text []byte) (n uint64, ok bool) {
	const most = 18
	if len(text) == 0 || len(text) > most {
		return 0, false
	}
	for _, x := range text {
		if x < '0' || x > '9' {
			return 0, false
		}
		n = n*10 + uint64(x-'0')
	}
	return n, true
}
