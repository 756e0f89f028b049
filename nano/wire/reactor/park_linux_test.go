package reactor

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A parked goroutine is woken by events, by Wake and by its deadline, also after
// waits during which the scheduler did not watch.
func TestPark(t *testing.T) {
	p := poller(t)
	woken := false
	if err := p.AllowParking(func() bool { return !woken }); err != nil {
		t.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	if err := p.Add(fds[0], 7); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 8)
	for round := range 3 {
		await(t, p, func(e *Event) bool { return e.Writable() || round > 0 && e.Readable() })
		for range 2 * detachAfter {
			if _, err := p.Wait(0); err != nil {
				t.Fatal(err)
			}
		}
		if events, err := p.Park(time.Now().Add(time.Millisecond)); err != nil || len(events) > 0 {
			t.Fatalf("nothing happened, but: %v %v", events, err)
		}
		time.AfterFunc(time.Millisecond, func() { unix.Write(fds[1], []byte("x")) })
		events, err := p.Park(time.Time{})
		if err != nil || len(events) != 1 || events[0].ID() != 7 || !events[0].Readable() {
			t.Fatalf("after a write: %v %v", events, err)
		}
		Read(fds[0], buf)
		unix.Write(fds[1], []byte("y")) // for the next round
	}
	woken = true
	p.Wake()
	if _, err := p.Park(time.Time{}); err != nil {
		t.Fatal(err)
	}
}
