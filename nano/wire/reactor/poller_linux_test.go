package reactor

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func listener(t *testing.T) (net.Listener, unix.Sockaddr) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	at := netip.MustParseAddrPort(ln.Addr().String())
	return ln, &unix.SockaddrInet4{Addr: at.Addr().As4(), Port: int(at.Port())}
}

func poller(t *testing.T) *Poller {
	t.Helper()
	p, err := NewPoller(16)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// await waits for an event that satisfies ok.
func await(t *testing.T, p *Poller, ok func(*Event) bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		events, err := p.Wait(100 * time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if ok(&events[i]) {
				return
			}
		}
	}
	t.Fatal("the event did not come")
}

func TestConnectWriteReadClose(t *testing.T) {
	ln, addr := listener(t)
	p := poller(t)
	fd, _, err := (&Dialer{To: addr}).Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := p.Add(fd, 7); err != nil {
		t.Fatal(err)
	}
	peer, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	await(t, p, func(e *Event) bool { return e.ID() == 7 && e.Writable() })
	if err := ConnectError(fd); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16)
	if _, errno := Read(fd, buf); errno != unix.EAGAIN {
		t.Fatalf("read of an empty socket: %v", errno)
	}
	if n, errno := Write(fd, []byte("ping")); n != 4 || errno != 0 {
		t.Fatal(n, errno)
	}
	if n, err := peer.Read(buf); err != nil || string(buf[:n]) != "ping" {
		t.Fatal(string(buf[:n]), err)
	}
	peer.Write([]byte("pong"))
	await(t, p, func(e *Event) bool { return e.ID() == 7 && e.Readable() })
	if n, errno := Read(fd, buf); errno != 0 || string(buf[:n]) != "pong" {
		t.Fatal(string(buf[:n]), errno)
	}
	peer.Close()
	await(t, p, func(e *Event) bool { return e.ID() == 7 && e.Readable() })
	if n, errno := Read(fd, buf); n != 0 || errno != 0 {
		t.Fatalf("end of stream: n %d errno %v", n, errno)
	}
}

func TestConnectRefused(t *testing.T) {
	// A port that is somebody's, who doesn't listen.
	taken, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(taken)
	if err := unix.Bind(taken, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	addr, err := unix.Getsockname(taken)
	if err != nil {
		t.Fatal(err)
	}
	p := poller(t)
	fd, _, err := (&Dialer{To: addr}).Dial()
	if err == nil {
		defer unix.Close(fd)
		if err := p.Add(fd, 0); err != nil {
			t.Fatal(err)
		}
		await(t, p, func(e *Event) bool { return e.Writable() })
		err = ConnectError(fd)
	}
	if !errors.Is(err, unix.ECONNREFUSED) {
		t.Fatalf("error %v, want connection refused", err)
	}
}

func TestWakeEndsWait(t *testing.T) {
	p := poller(t)
	go p.Wake()
	events, err := p.Wait(time.Hour) // the test's own time limit is the check
	if err != nil || len(events) != 0 {
		t.Fatal(events, err)
	}
	if events, err := p.Wait(0); err != nil || len(events) != 0 {
		t.Fatal("a wake-up was reported twice", events, err)
	}
}

func TestWaitDoesNotAllocate(t *testing.T) {
	p := poller(t)
	if n := testing.AllocsPerRun(100, func() {
		p.Wait(0)
		p.Wait(time.Microsecond)
	}); n != 0 {
		t.Errorf("%v allocations a wait, want 0", n)
	}
}

// TestWakeAfterClose: a descriptor that has been closed may be somebody else's.
func TestWakeAfterClose(t *testing.T) {
	p, err := NewPoller(1)
	if err != nil {
		t.Fatal(err)
	}
	number := p.wake
	var wakers sync.WaitGroup
	for range 4 {
		wakers.Go(func() {
			for range 1000 {
				p.Wake()
			}
		})
	}
	p.Close()
	other, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(other)
	wakers.Wait()
	p.Wake()
	var count [8]byte
	if n, err := unix.Read(other, count[:]); err != unix.EAGAIN {
		t.Errorf("the descriptor %d, once %d, was written to: %d bytes, %v", other, number, n, err)
	}
}
