package tlsconn

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// clients are connections whose handshakes the test begins and ends itself.
type clients struct {
	Handshakes
	conns []*Conn
	begun []int
}

func newClients(n, most int) *clients {
	s := &clients{Handshakes: Handshakes{Most: func() int { return most }, Results: new(Results)}}
	for range n {
		c := New(-1, new(sync.Pool))
		c.TLS = tls.Server(c, &tls.Config{})
		s.conns = append(s.conns, c)
	}
	return s
}

func (s *clients) enter(i int) bool {
	return s.Enter(s.conns[i], func() { s.begun = append(s.begun, i) })
}

// Not more handshakes are under way than may be, and who came first goes on first; who
// leaves before that gives its place up.
func TestHandshakesWaitForTheirTurn(t *testing.T) {
	s := newClients(6, 2)
	for i := range s.conns {
		if at := s.enter(i); at != (i < 2) {
			t.Errorf("client %d has begun: %v", i, at)
		}
	}
	s.GiveUp(s.conns[3]) // which waits
	s.GiveUp(s.conns[0]) // which is under way: 2 goes on
	if got := s.Over(s.conns[1], nil); got != Established {
		t.Errorf("outcome %d", got)
	}
	s.GiveUp(s.conns[1]) // it is over: its connection is dropped as any other
	if want := []int{0, 1, 2, 4}; !slices.Equal(s.begun, want) {
		t.Errorf("%v have begun, want %v", s.begun, want)
	}
	s.Over(s.conns[2], errors.New("no"))
	s.GiveUp(s.conns[2])
	s.Over(s.conns[4], tls.RecordHeaderError{})
	s.GiveUp(s.conns[5])
	if s.underWay != 0 || len(s.waiting) != 0 {
		t.Errorf("%d are under way, %d wait", s.underWay, len(s.waiting))
	}
	r := s.Results
	if done, resumed, failed := r.Done.Load(), r.Resumed.Load(), r.Failed.Load(); done != 1 || resumed != 0 || failed != 5 {
		t.Errorf("%d done, %d resumed, %d failed; want 1, 0, 5", done, resumed, failed)
	}
}

// However little may be under way, one may.
func TestOneHandshakeMayBeUnderWay(t *testing.T) {
	s := newClients(2, 0)
	if !s.enter(0) || s.enter(1) {
		t.Error("want the first at once, and not the second")
	}
}

// pair is a connection and its peer's end.
func pair(t *testing.T) (c *Conn, peer net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fds[1]), "peer")
	defer f.Close()
	if peer, err = net.FileConn(f); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	return New(fds[0], new(sync.Pool)), peer
}

func oneTurn() *Turns {
	turns := NewTurns(1)
	return &turns
}

// A request without TLS is told from what is neither.
func TestPlainIsTold(t *testing.T) {
	for said, want := range map[string]Outcome{"GET / HTTP/1.1\r\n\r\n": Plain, "hello, it's me\n": Failed} {
		c, peer := pair(t)
		if _, err := io.WriteString(peer, said); err != nil {
			t.Fatal(err)
		}
		s := newClients(0, 1)
		over := make(chan error, 1)
		s.Enter(c, func() {
			c.TLS = tls.Server(c, &tls.Config{})
			c.Handshake(t.Context(), oneTurn(), func(err error) { over <- err })
		})
		if got := s.Over(c, <-over); got != want {
			t.Errorf("%q: outcome %d, want %d", said, got, want)
		}
		c.Drop()
	}
}

// A callback of the application's that doesn't return keeps the peer from nothing; it is
// told that nobody waits for it, and the socket is closed when it has returned.
func TestDropInACallback(t *testing.T) {
	c, peer := pair(t)
	asked, told, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.TLS = tls.Server(c, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		close(asked)
		<-h.Context().Done()
		close(told)
		<-release
		return nil, nil
	}})
	fails := make(chan error, 1)
	go func() { fails <- tls.Client(peer, &tls.Config{InsecureSkipVerify: true}).Handshake() }()
	for n := 0; n <= 0; time.Sleep(time.Millisecond) { // a loop begins when there is something to read
		n, _, _ = unix.Recvfrom(c.FD, make([]byte, 1), unix.MSG_PEEK)
	}
	c.Handshake(t.Context(), oneTurn(), func(error) { t.Error("a handshake that was given up tells of its end") })
	<-asked
	c.Drop()
	<-told
	if err := <-fails; err == nil {
		t.Error("the peer's handshake is done")
	}
	close(release)
	for open := true; open; time.Sleep(time.Millisecond) {
		_, err := unix.FcntlInt(uintptr(c.FD), unix.F_GETFD, 0)
		open = err == nil
	}
}

// Who blocks in a callback keeps its turn from others for a while only, and works for all
// of that time; who waits for its peer doesn't work.
func TestTurnsLapse(t *testing.T) {
	turns, working := NewTurns(1), atomic.Int64{}
	turns.Longest, turns.Working = time.Millisecond, &working
	asked, release := make(chan struct{}, 2), make(chan struct{})
	config := &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- struct{}{}
		<-release
		return nil, errors.New("nobody is served")
	}}
	over := make(chan error, 2)
	for range 2 { // at the same time, though there is one turn
		c, peer := pair(t)
		go func() { _ = tls.Client(peer, &tls.Config{InsecureSkipVerify: true}).Handshake() }()
		c.TLS = tls.Server(c, config)
		c.Handshake(t.Context(), &turns, func(err error) { over <- err })
		for len(asked) == 0 {
			c.Ready() // a loop does it when something has come
			time.Sleep(time.Millisecond)
		}
		<-asked
		t.Cleanup(c.Drop)
	}
	if n := working.Load(); n != 2 {
		t.Errorf("%d work, want 2", n)
	}
	close(release)
	for range 2 {
		if err := <-over; err == nil {
			t.Error("want the callback's error")
		}
	}
	waits, _ := pair(t)
	waits.TLS = tls.Server(waits, config)
	waits.Handshake(t.Context(), &turns, func(error) {})
	for working.Load() != 0 { // it has found that there is nothing to read
		time.Sleep(time.Millisecond)
	}
	waits.Drop()
	if n := len(turns.taken); n != 0 {
		t.Errorf("%d turns aren't given back", n)
	}
}

// A callback that ends its goroutine ends the handshake, and nothing is lost with it.
func TestGoexitInACallback(t *testing.T) {
	c, peer := pair(t)
	turns, working := NewTurns(1), atomic.Int64{}
	turns.Working = &working
	go func() { _ = tls.Client(peer, &tls.Config{InsecureSkipVerify: true}).Handshake() }()
	for n := 0; n <= 0; time.Sleep(time.Millisecond) {
		n, _, _ = unix.Recvfrom(c.FD, make([]byte, 1), unix.MSG_PEEK)
	}
	c.TLS = tls.Server(c, &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		runtime.Goexit()
		return nil, nil
	}})
	over := make(chan error, 1)
	c.Handshake(t.Context(), &turns, func(err error) { over <- err })
	if err := <-over; !errors.Is(err, errGoexit) {
		t.Errorf("the handshake ended with %v", err)
	}
	if len(turns.taken) != 0 || working.Load() != 0 {
		t.Errorf("%d turns aren't given back, %d work", len(turns.taken), working.Load())
	}
	c.Drop()
}
