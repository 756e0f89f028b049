package engine

import (
	"io"
	"math"
	"net"
	"net/netip"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

// silent accepts connections, reads what comes, and says nothing.
func silent(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); io.Copy(io.Discard, c) }()
		}
	}()
	return l.Addr().(*net.TCPAddr).AddrPort()
}

// TestAnInterruptedWorkerTakesNothingUp: after the drain a worker is woken out of its
// read, and may run before its context has ended. The request that it has is still to be
// counted: it must not take another from the backlog in its place.
func TestAnInterruptedWorkerTakesNothingUp(t *testing.T) {
	program, err := NewProgram([]request.Request{{Path: "/"}}, nil, 1, "service", "HTTP/1.1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := openPortable(Share{
		Program: program, Addr: silent(t), Link: &request.Link{}, Profile: &profile.Profile{Mode: profile.Open},
		Timeout: time.Hour, Parts: 1, Connections: 2, Errors: NewErrorLog(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := e.(*portable)
	now := clock.Now()
	slots := make(chan *Slot, SlotsPerLoop)
	defer close(slots)
	go func() { // should the test stand still for many windows
		for s := range slots {
			s.Free()
		}
	}()
	p.rec = NewRecorder(now, now, slots, NewSlots(0, 0), func() (user, sys time.Duration) { return 0, 0 })
	p.limit, p.beat, p.next = now+int64(time.Hour), now, math.MaxInt64
	const offered = 5
	p.mu.Lock()
	for range offered {
		p.rec.arrived(now, now)
		p.backlog.push(now)
	}
	p.dismissed = true
	p.mu.Unlock()
	for _, w := range p.workers {
		p.working.Go(func() { w.work(t.Context(), 0) })
	}
	for sent := 0; sent < len(p.workers); time.Sleep(time.Millisecond) {
		sent = 0
		p.mu.Lock()
		for _, w := range p.workers {
			if w.sentAt != 0 {
				sent++
			}
		}
		p.mu.Unlock()
	}
	p.mu.Lock()
	p.rec.drain(clock.Now())
	p.mu.Unlock()
	p.interrupt()
	p.working.Wait()
	p.giveUp()
	if w := &p.rec.Window; w.Unfinished != offered || w.Unsent != offered-2 || w.Booked() != offered || p.rec.inFlight != 0 {
		t.Errorf("of %d arrivals %d unfinished, %d of them unsent; %d booked, %d still in flight", offered, w.Unfinished, w.Unsent, w.Booked(), p.rec.inFlight)
	}
}
