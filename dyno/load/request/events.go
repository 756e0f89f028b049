package request

import (
	"time"

	"dyno.example/dyno/load/stamp"
	"dyno.example/internal/i18n"
)

// Events makes a load listen to server-sent events (HTML Living Standard, 9.2): each
// connection sends one request and is held open.
type Events struct {
	Stamp    *Stamp        `json:"stamp,omitempty"`     // where the server says when it sent an event; nil: delays are not known
	Retry    time.Duration `json:"retry,omitempty"`     // before a stream is taken up again, unless the server says so, ns; 0: DefaultRetry
	Silence  time.Duration `json:"silence,omitempty"`   // after which a stream on which nothing comes is given up, ns; 0: never
	MaxEvent int64         `json:"max_event,omitempty"` // bytes; 0: DefaultMaxEvent
}

// Defaults and limits of events.
const (
	DefaultRetry    = 3 * time.Second // about what browsers wait
	DefaultMaxEvent = 1 << 20
	mostRetry       = time.Hour
)

// RetryAfter is how long to wait before a stream is taken up again.
func (e *Events) RetryAfter() time.Duration {
	if e.Retry == 0 {
		return DefaultRetry
	}
	return e.Retry
}

// Most is how long an event may be, in bytes.
func (e *Events) Most() int {
	if e.MaxEvent == 0 {
		return DefaultMaxEvent
	}
	return int(e.MaxEvent)
}

// check reports what is wrong, or nil.
func (e *Events) check() error {
	if e.Retry < 0 || e.Retry > mostRetry {
		return i18n.Errorf("request.bad-retry-time", "the time before a stream is taken up again must be from 0 to %v, not %v", mostRetry, e.Retry)
	}
	if e.Silence < 0 {
		return i18n.Errorf("request.negative-silence", "the longest silence must not be negative, not %v", e.Silence)
	}
	if e.MaxEvent < 0 || e.MaxEvent > MostMessage {
		return i18n.Errorf("request.bad-max-event", "the longest event must be from 1 to %d bytes, not %d", MostMessage, e.MaxEvent)
	}
	if e.Stamp == nil {
		return nil
	}
	_, err := e.Stamp.Compile()
	return err
}

// Stamp says where the server stamps what it sends, and by which clock.
type Stamp struct {
	Where string      `json:"where"` // "id", "json:.PATH" or "regexp:EXPRESSION"
	Clock stamp.Clock `json:"clock,omitempty"`
}

// Compile reads where the stamp is.
func (s *Stamp) Compile() (*stamp.Stamp, error) { return stamp.Parse(s.Where, s.Clock) }

// Listening returns the requests as requests for events.
func Listening(requests []Request) []Request {
	out := make([]Request, len(requests))
	for i, r := range requests {
		var fields []Header
		for _, h := range []Header{{"Accept", "text/event-stream"}, {"Cache-Control", "no-cache"}} {
			if !r.has(h.Name) {
				fields = append(fields, h)
			}
		}
		r.Headers = append(fields, r.Headers...)
		out[i] = r
	}
	return out
}

// CheckListening reports why r can't be a request for events, or nil.
func (r *Request) CheckListening() error {
	if len(r.Expect) > 0 || r.Status != 0 {
		return i18n.Errorf("request.events-expect-nothing", "nothing can be expected of a stream of events, which has no end: the response must have status 200 and text/event-stream")
	}
	if r.Jar {
		return i18n.Errorf("request.events-without-cookies", "cookies are not kept from streams of events; leave the jar out")
	}
	if r.has("Last-Event-ID") {
		return i18n.Errorf("request.last-event-id-header", "the header Last-Event-ID is sent when a stream is taken up again; leave it out")
	}
	return nil
}
