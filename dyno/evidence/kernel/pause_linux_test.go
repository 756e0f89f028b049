package kernel

import (
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/nano/wire/clock"
)

// TestPause: while the probes are paused they note nothing; then they do again, and what was noted
// before says nothing of what comes after.
func TestPause(t *testing.T) {
	t.Run("short", func(t *testing.T) { pauses(t, 0) })
	t.Run("long", func(t *testing.T) { pauses(t, LongPause) })
}

func pauses(t *testing.T, length int64) {
	addr, pid := start(t, itself("go"))
	p := opened(t, addr, pid)
	c := dial(t, addr)
	ask := func() evidence.Sample {
		s := c.send(t, "/")
		c.receive(t, &s)
		time.Sleep(2 * time.Millisecond) // for clocks to tick, if they do
		return s
	}
	before := ask()
	if events, _ := p.Slice(0, before.Sent, before.Done, nil); len(events) == 0 {
		t.Fatal("nothing was noted before")
	}
	if err := p.Pause(length); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond) // for programs that had begun
	noted := p.Events()
	for range 20 {
		ask()
	}
	if n := p.Events(); n != noted {
		t.Errorf("%d events while paused", n-noted)
	}
	if !p.Attached() {
		t.Error("nothing is attached any more: processes that the server starts are not followed")
	}
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	if len(p.Missing()) > 0 {
		t.Error(p.Missing())
	}
	since := clock.Now()
	after := ask()
	events, whole := p.Slice(since, after.Sent-int64(time.Hour), after.Done, nil)
	if len(events) == 0 || !whole {
		t.Fatalf("%d events after the pause, whole %v", len(events), whole)
	}
	read := false
	for i := range events {
		if e := &events[i]; e.Time < since {
			t.Errorf("an event of %d ns before the pause ended: kind %d", since-e.Time, e.Kind)
		} else if e.Kind == evidence.Received && e.Subject == after.Connection {
			read = true
		}
	}
	if !read {
		t.Error("the request after the pause was not seen to be read")
	}
	if events, _ = p.Slice(0, before.Sent, before.Done, events[:0]); len(events) == 0 {
		t.Error("what was noted before the pause is gone")
	}
}
