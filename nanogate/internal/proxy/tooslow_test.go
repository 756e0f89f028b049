//go:build linux

package proxy

import (
	"testing"
	"time"
)

// A client has the time that it may be idle, and what its bytes take at the least rate:
// of a body since the request began, of a response since it didn't take all there was.
func TestTooSlow(t *testing.T) {
	l, c := bench(t, "client: {rate: 1kB}\nroutes: [{to: \"http://127.0.0.1:9\"}]\n")
	const idle = 10 * time.Second
	at := func(seconds float64) int64 { return int64(seconds * 1e9) }
	x := &c.x
	x.outcome.Began = at(100)
	c.state, l.now = stateRequest, at(105)
	x.came = 3000
	if got := l.deadlines.tooSlow(c, idle); got != at(113) {
		t.Errorf("a body of 3000 bytes may take until %v s", float64(got)/1e9)
	}
	x.back = &backend{socket: socket{out: outbox{b: make([]byte, 10)}}}
	if got := l.deadlines.tooSlow(c, idle); got <= at(1e6) {
		t.Error("a client is too slow while it is the upstream that doesn't take what it sent")
	}
	c.state = stateBody
	if got := l.deadlines.tooSlow(c, idle); got <= at(1e6) {
		t.Error("a client that has taken all is too slow")
	}
	c.out.b = make([]byte, 5000)
	for _, now := range []float64{200, 203, 209} { // it takes a little each time
		l.now = at(now)
		c.out.sent += 100
		if got := l.deadlines.tooSlow(c, idle); got != at(215) {
			t.Errorf("of what it doesn't take since 200 s it may take until %v s", float64(got)/1e9)
		}
	}
	c.out.reset()
	l.deadlines.tooSlow(c, idle)
	c.out.b = append(c.out.b, 'x')
	if l.now = at(300); l.deadlines.tooSlow(c, idle) < at(310) {
		t.Error("what it has taken before counts against it later")
	}
	c.out.reset()
	x.upstream = l.snap.Routes[0].Targets[0].Upstream
	x.outcome.Responded, x.outcome.Sent = at(400), 1000
	if got := l.deadlines.tooSlow(c, idle); got <= at(1e6) {
		t.Error("an upstream without a rate is too slow")
	}
	x.upstream.Config.Rate = 100
	if got := l.deadlines.tooSlow(c, idle); got != at(420) {
		t.Errorf("a response of 1000 bytes so far may take until %v s", float64(got)/1e9)
	}
	x.upstream.Config.Rate, c.out.b = 0, []byte("x")
	l.snap.Config.Client.Rate = 0
	if got := l.deadlines.tooSlow(c, idle); got <= at(1e6) {
		t.Error("without a rate it is too slow")
	}
}
