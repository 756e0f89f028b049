package mirror

import (
	"bytes"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// Capture is the copy of a request and of the responses to it: of its own endpoint, and then
// of the shadow. It belongs to the request's loop until [Capture.End], then waits until a
// loop takes it by [Mirror.Next], and belongs to that until [Capture.ShadowDone]; each of the
// two must be called once. Its methods keep none of their arguments, and don't block.
type Capture struct {
	mirror   *Mirror
	endpoint *upstream.Endpoint // of the shadow
	next     *Capture           // that waits behind it, or is unused too
	asked    bool               // the response that arrives is the shadow's

	head []byte // of the request as its own endpoint was sent it
	body []byte // of the request

	first, second capturedResponse
	began         int64           // ns of the wall clock
	failed        request.Failure // why the shadow's response is incomplete

	held     int64 // bytes, of all captures' [config.Mirror.Memory]
	dropped  bool
	conclude func() // [Capture.compare], made once for all that the capture is used for
}

// capturedResponse is a response to the request, of its endpoint or of the shadow.
type capturedResponse struct {
	status   int
	head     []byte // as text
	parsed   http1.ResponseHead
	content  []byte // if bodies are compared
	trailers []byte // over HTTP/2, as lines
	length   int64  // bytes of content that came, kept or not
	long     bool   // more came than is kept
	took     int64  // ns, from the request to the endpoint to the end of its response
}

const (
	captureSize = 512     // bytes that an empty one is counted with
	mostSpare   = 8 << 10 // bytes of a buffer that is kept for another capture
	mostSpares  = 64      // captures that are kept
)

// reset empties a capture.
func (c *Capture) reset() {
	*c = Capture{head: spare(c.head), body: spare(c.body), first: c.first.emptied(), second: c.second.emptied(), conclude: c.conclude}
}

func (a *capturedResponse) emptied() capturedResponse {
	return capturedResponse{head: spare(a.head), parsed: http1.ResponseHead{Fields: a.parsed.Fields[:0]}, content: spare(a.content), trailers: spare(a.trailers)}
}

func spare(b []byte) []byte {
	if cap(b) > mostSpare {
		return nil
	}
	return b[:0]
}

// current is the response that arrives.
func (c *Capture) current() *capturedResponse {
	if c.asked {
		return &c.second
	}
	return &c.first
}

// keep counts bytes that are about to be kept. It reports whether there is room for them;
// if not the request isn't mirrored.
func (c *Capture) keep(n int) bool {
	if c.dropped {
		return false
	}
	c.held += int64(n)
	if c.mirror.held.Add(int64(n)) > c.mirror.Config.Memory {
		c.Drop(Memory)
		return false
	}
	return true
}

// Drop gives the capture up: nothing is kept any more.
func (c *Capture) Drop(why Reason) {
	if !c.dropped {
		m, asked := c.mirror, c.asked
		m.Record.drop(why)
		m.held.Add(-c.held)
		c.reset()
		c.mirror, c.asked, c.dropped = m, asked, true
	}
}

// Request takes a part of the request's body.
func (c *Capture) Request(piece []byte) {
	switch {
	case c.dropped:
	case int64(len(c.body)+len(piece)) > c.mirror.Config.Body:
		c.Drop(RequestBody)
	case c.keep(len(piece)):
		c.body = append(c.body, piece...)
	}
}

// Response takes the head of the response. An earlier one, which no client got, is
// discarded.
func (c *Capture) Response(status int, head []byte) {
	if !c.keep(len(head)) {
		return
	}
	a := c.current()
	a.status, a.content, a.trailers, a.length, a.long = status, a.content[:0], a.trailers[:0], 0, false
	a.head = append(a.head[:0], head...)
	if _, err := a.parsed.Parse(a.head, false, nil); err != nil { // which it was before
		c.Drop(NoResponse)
		return
	}
	if !c.asked && bytes.HasPrefix(a.field("content-type"), eventStream) {
		c.Drop(Stream)
	}
}

// eventStream is the type of what goes on for as long as its client listens.
var eventStream = []byte("text/event-stream")

// field is the value of the last field of that name, nil if there is none.
func (a *capturedResponse) field(name string) (value []byte) {
	for i := range a.parsed.Fields {
		if f := &a.parsed.Fields[i]; http1.EqualFold(f.Name.Of(a.head), name) {
			value = f.Value.Of(a.head)
		}
	}
	return value
}

// Content takes a part of the response's body.
func (c *Capture) Content(piece []byte) {
	a := c.current()
	if c.dropped || a.long {
		return
	}
	a.length += int64(len(piece))
	a.long = a.length > c.mirror.Config.Body
	if !a.long && c.mirror.Config.Compare.Content() && c.keep(len(piece)) {
		a.content = append(a.content, piece...)
	}
}

// Enough reports whether the rest of the shadow's response makes no difference: it needn't
// be read.
func (c *Capture) Enough() bool { return c.dropped || c.asked && c.second.long }

// Trailers takes what followed the response's body, as lines.
func (c *Capture) Trailers(lines []byte) {
	if a := c.current(); c.keep(len(lines)) {
		a.trailers = append(a.trailers[:0], lines...)
	}
}

// End hands the capture over when its exchange is over. head is the request's as it was
// sent, whole says that all of its body was; now is in ns, as o's times are. It reports
// whether the capture waits to be sent to the shadow; it doesn't belong to the caller
// any more.
func (c *Capture) End(head []byte, o *request.Outcome, whole bool, now int64) (waits bool) {
	m := c.mirror
	switch {
	case c.dropped:
	case !o.Upstream || o.Failed != request.OK || c.first.status == 0:
		c.Drop(NoResponse)
	case !whole:
		c.Drop(RequestBody)
	case c.keep(len(head)):
		c.head = append(c.head[:0], head...)
		c.first.took = now - o.Forwarded
		c.began = wall(now - o.Began)
		why, ok := m.push(c)
		if ok {
			return true
		}
		c.Drop(why)
	}
	m.recycle(c)
	return false
}
