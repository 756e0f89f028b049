package mirror

import (
	"bytes"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// A mirrored request is decided on the loop if the responses are plainly the same. Reading
// JSON, and samples of differences, take longer: that is done by workers.

// mostComparing is how many captures may wait to be compared beside the loops.
const mostComparing = 1024

// NewWorkers makes goroutines that compare, for all mirrors of a gateway: on half of the CPUs
// at most, and half of the time there, as each rests for as long as it has worked.
func NewWorkers(cpus int) *bounds.Workers { return bounds.NewWorkersOf(max(1, cpus/2), mostComparing) }

// longestRest bounds that: a worker that had to wait for a CPU has worked for less than it
// seems.
const longestRest = 10 * time.Millisecond

// ShadowDone gives the outcome of the request to the shadow, at that endpoint; now is in ns, as
// o's times are. The capture doesn't belong to the caller any more. Counters are increased last: a
// reader that sees the count finds its sample and its differences too.
func (c *Capture) ShadowDone(e *upstream.Endpoint, o *request.Outcome, now int64) {
	m := c.mirror
	m.shadowDone()
	if !c.dropped {
		c.endpoint, c.failed, c.second.took = e, o.Failed, now-o.Forwarded
		if c.failed == request.OK && m.compare.seenSame(&c.first, &c.second) {
			m.Record.took(c)
			m.Record.same.Add(1)
		} else if m.workers.Do(c.conclude) {
			return
		} else {
			c.Drop(Queue)
		}
	}
	m.recycle(c)
}

// work compares the two responses, and counts the result.
func (c *Capture) work() {
	began := clock.Now()
	c.compare()
	m := c.mirror
	m.recycle(c)
	m.workers.Pause(min(time.Duration(clock.Now()-began), longestRest))
}

func (c *Capture) compare() {
	m := c.mirror
	if c.failed != request.OK {
		m.Record.keep(m.sample(c, response{status: c.second.status}, nil, failureText(c.failed)))
		m.Record.failed.Add(1)
		return
	}
	m.Record.took(c)
	second := c.second.response()
	found, unread := m.compare.responses(c.first.response(), second, m.redact())
	if unread {
		m.Record.unread.Add(1)
	}
	if len(found) == 0 {
		m.Record.same.Add(1)
		return
	}
	counted := map[[2]string]bool{}
	for _, d := range found {
		if key := [2]string{d.Kind, d.Field}; !counted[key] {
			counted[key] = true
			m.Record.differ(d.Kind, d.Field)
		}
	}
	m.Record.keep(m.sample(c, second, found, ""))
	m.Record.different.Add(1)
}

// seenSame reports whether all that is compared of two responses is the same, as far as that
// is seen without reading documents: if not, they may be so all the same.
func (c *comparison) seenSame(a, b *capturedResponse) bool {
	rules := c.rules
	if rules.Status && (a.status != b.status || !bytes.Equal(a.grpc(), b.grpc())) {
		return false
	}
	for _, name := range rules.Headers {
		if !sameFields(a, b, name) {
			return false
		}
	}
	if !rules.Content() || a.length+b.length == 0 {
		return true
	}
	return len(c.json) == 0 && !a.long && !b.long && bytes.Equal(a.content, b.content)
}

// sameFields reports whether two responses have the same values of a field, in the same order.
func sameFields(a, b *capturedResponse, name string) bool {
	at := 0
	for i := range a.parsed.Fields {
		f := &a.parsed.Fields[i]
		if !http1.EqualFold(f.Name.Of(a.head), name) {
			continue
		}
		value, next, ok := b.nextField(name, at)
		if !ok || !bytes.Equal(value, f.Value.Of(a.head)) {
			return false
		}
		at = next
	}
	_, _, more := b.nextField(name, at)
	return !more
}

// nextField finds a field of that name, from a place among all fields on. next is the place
// behind it.
func (a *capturedResponse) nextField(name string, from int) (value []byte, next int, ok bool) {
	for i := from; i < len(a.parsed.Fields); i++ {
		if f := &a.parsed.Fields[i]; http1.EqualFold(f.Name.Of(a.head), name) {
			return f.Value.Of(a.head), i + 1, true
		}
	}
	return nil, 0, false
}

// failureText is a failure as samples show it.
func failureText(why request.Failure) string {
	switch why {
	case request.TimedOut:
		return "no response in time"
	case request.ConnectFailed:
		return "it can't be reached"
	case request.Untrusted:
		return "TLS with it failed"
	case request.BadResponse:
		return "its response isn't HTTP as it should be"
	case request.NoEndpoint:
		return "it has no endpoint"
	}
	return "it closed the connection before its response was whole"
}

// milliseconds is a duration in ns as people read it.
func milliseconds(ns int64) float64 { return float64(time.Duration(ns).Round(time.Microsecond)) / 1e6 }
