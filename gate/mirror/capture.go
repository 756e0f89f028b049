package mirror

import (
	"bytes"

	"dyno/gate/request"
	"dyno/gate/upstream"
	"dyno/nano/wire/http1"
)

// Capture is the copy of a request and of what was answered to it. It belongs to the
// request's loop until [Capture.End], which must be called once; then to the mirror. Its
// methods keep nothing that they are given, and don't wait.
type Capture struct {
	mirror   *Mirror
	endpoint *upstream.Endpoint // of the shadow

	head []byte // of the request as its own endpoint was sent it
	body []byte // of the request

	status   int
	answer   []byte // the response's head, as text
	parsed   http1.ResponseHead
	content  []byte // the response's body, if bodies are compared
	trailers []byte // of a response over HTTP/2, as lines
	long     bool   // there was more of the body than is kept
	took     int64  // ns, from when its endpoint was asked to the end of its response
	began    int64  // ns of the wall clock

	held    int64 // bytes, of all captures' [config.Mirror.Memory]
	dropped bool
}

const (
	captureSize = 512     // bytes that an empty one is counted with
	mostSpare   = 8 << 10 // bytes of a buffer that is kept for another capture
)

// reset empties a capture.
func (c *Capture) reset() {
	*c = Capture{head: spare(c.head), body: spare(c.body), answer: spare(c.answer), parsed: http1.ResponseHead{Fields: c.parsed.Fields[:0]}, content: spare(c.content), trailers: spare(c.trailers)}
}

func spare(b []byte) []byte {
	if cap(b) > mostSpare {
		return nil
	}
	return b[:0]
}

// keep counts bytes that are about to be kept. It reports whether there is room for them;
// if not the request isn't mirrored.
func (c *Capture) keep(n int) bool {
	if c.dropped {
		return false
	}
	c.held += int64(n)
	if c.mirror.held.Add(int64(n)) > c.mirror.Config.Memory {
		c.drop(Memory)
		return false
	}
	return true
}

// drop gives the capture up: nothing is kept any more.
func (c *Capture) drop(why Reason) {
	if !c.dropped {
		c.mirror.Record.drop(why)
		m := c.mirror
		m.held.Add(-c.held)
		c.reset()
		c.mirror, c.dropped = m, true
	}
}

// Request takes a part of the request's body.
func (c *Capture) Request(piece []byte) {
	switch {
	case c.dropped:
	case int64(len(c.body)+len(piece)) > c.mirror.Config.Body:
		c.drop(RequestBody)
	case c.keep(len(piece)):
		c.body = append(c.body, piece...)
	}
}

// Response takes the head of the response. What was there of another one, which nobody was
// given, is forgotten.
func (c *Capture) Response(status int, head []byte) {
	if !c.keep(len(head)) {
		return
	}
	c.status, c.content, c.trailers, c.long = status, c.content[:0], c.trailers[:0], false
	c.answer = append(c.answer[:0], head...)
	if _, err := c.parsed.Parse(c.answer, false, nil); err != nil { // which it was before
		c.drop(Unanswered)
		return
	}
	for i := range c.parsed.Fields {
		f := &c.parsed.Fields[i]
		if http1.EqualFold(f.Name.Of(c.answer), "content-type") && bytes.HasPrefix(f.Value.Of(c.answer), eventStream) {
			c.drop(Stream)
			return
		}
	}
}

// eventStream is the type of what goes on for as long as its client listens.
var eventStream = []byte("text/event-stream")

// Content takes a part of the response's body.
func (c *Capture) Content(piece []byte) {
	if c.dropped || c.long || !c.mirror.Config.Compare.Content() {
		return
	}
	if int64(len(c.content)+len(piece)) > c.mirror.Config.Body {
		c.long = true
		return
	}
	if c.keep(len(piece)) {
		c.content = append(c.content, piece...)
	}
}

// Trailers takes what followed the response's body, as lines.
func (c *Capture) Trailers(lines []byte) {
	if c.keep(len(lines)) {
		c.trailers = append(c.trailers[:0], lines...)
	}
}

// End hands the capture over when its exchange is over. head is the request's as it was
// sent, whole says that all of its body was; now is in ns, as o's times are. The capture
// isn't the caller's any more.
func (c *Capture) End(head []byte, o *request.Outcome, whole bool, now int64) {
	m := c.mirror
	switch {
	case c.dropped:
	case !o.Upstream || o.Failed != request.OK || c.status == 0:
		c.drop(Unanswered)
	case !whole:
		c.drop(RequestBody)
	case m.ctx.Err() != nil:
		c.drop(Closed)
	case c.keep(len(head)):
		c.head = append(c.head[:0], head...)
		c.took = now - o.Asked
		c.began = wall(now - o.Began)
		select {
		case m.queue <- c:
			return
		default:
			c.drop(Queue)
		}
	}
	m.recycle(c)
}
