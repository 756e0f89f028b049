//go:build linux

package proxy

import (
	"testing"
	"time"
)

// The probe waits behind what is ready, is sent only when there is much to do, and one at
// a time.
func TestProbe(t *testing.T) {
	l, _ := bench(t, "overload: {lag: 10ms}\nroutes: [{to: \"http://127.0.0.1:9\"}]\n")
	p := &l.overload.probe
	defer p.close(l)
	now := int64(time.Hour)
	if p.wait(l, now, probeBatch-1) != 0 || p.sent != 0 {
		t.Error("it is sent when there is little to do")
	}
	p.wait(l, now, probeBatch)
	if p.sent != now {
		t.Fatal("it isn't sent when there is much to do")
	}
	if got := p.wait(l, now+7, 1); got != 7 {
		t.Errorf("while it waits others wait %d ns at least", got)
	}
	came := false
	for end := time.Now().Add(30 * time.Second); !came && time.Now().Before(end); {
		events, err := l.Poller.Wait(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			came = came || events[i].ID() == probeEvent
			l.handle(&events[i])
		}
	}
	if !came || p.sent != 0 {
		t.Fatal("it doesn't come back")
	}
	p.last = 42
	if got := p.wait(l, now+1, probeBatch); got != 42 || p.sent != 0 {
		t.Errorf("soon after, %d ns, sent again %v", got, p.sent != 0)
	}
	p.wait(l, now+probeEvery, probeBatch)
	if p.sent == 0 {
		t.Error("it isn't sent again")
	}
}
