package loop

import (
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/sockets"
)

// host is a loop that takes connections in and does nothing with them.
type host struct {
	Core[*host]
	listeners *Listeners[*host, string]
	guests    Table[guest]
}

type guest struct {
	fd   int
	kind string
}

// hotel is a server of two such loops, which have room for a number of guests.
type hotel struct {
	acceptor Acceptor[*host, string]
	loops    []*host
	guests   atomic.Int64
	paused   atomic.Int64 // how often
	noFiles  atomic.Int64 // the same
	at       *net.TCPAddr
	fds      []int
}

func newHotel(t *testing.T, sys System, room int64) *hotel {
	t.Helper()
	s := &hotel{}
	fds, err := sockets.OpenEach("127.0.0.1:0", 1, false)
	if err != nil {
		t.Fatal(err)
	}
	s.fds = fds
	sa, err := unix.Getsockname(fds[0])
	if err != nil {
		t.Fatal(err)
	}
	s.at = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: sa.(*unix.SockaddrInet4).Port}
	for range 2 {
		l := &host{}
		if err := l.Begin(l, sys, 16); err != nil {
			t.Fatal(err)
		}
		l.listeners = s.acceptor.Join(&l.Core)
		s.loops = append(s.loops, l)
	}
	s.acceptor.Begin(sys, Admission[*host, string]{
		Count: func(n int64) bool { return s.guests.Add(n) <= room },
		Room:  func() bool { return s.guests.Load() < room },
		Accepted: func(l *host, fd int, _ netip.AddrPort, kind string) {
			g, _ := l.guests.Add()
			*g = guest{fd, kind}
		},
		Silent:       func(kind string) bool { return kind == "silent" },
		Paused:       func(*host) { s.paused.Add(1) },
		OutOfFiles:   func(*host) { s.noFiles.Add(1) },
		AcceptFailed: func(_ *host, errno unix.Errno) { t.Errorf("accepting: %v", errno) },
		ListenFailed: func(_ *host, err error) { t.Error(err) },
	})
	t.Cleanup(func() {
		for _, l := range s.loops {
			l.listeners.Close()
			l.guests.Each(func(g *guest) { unix.Close(g.fd) })
			l.End()
			l.Poller.Close()
		}
		s.acceptor.Close()
	})
	return s
}

// turn has each loop do what there is for it, without waiting.
func (s *hotel) turn(t *testing.T) {
	t.Helper()
	for _, l := range s.loops {
		events, err := l.Poller.Wait(0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			l.listeners.Ready(events[i].ID())
		}
		l.OpenMail()
	}
}

// until has the loops go on until something is so.
func (s *hotel) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); s.turn(t) {
		if time.Now().After(end) {
			t.Fatalf("it never is that %s", what)
		}
	}
}

func (s *hotel) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	c, err := net.DialTCP("tcp", nil, s.at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// leave has one connection of a loop go.
func (s *hotel) leave(l *host) {
	left := false
	l.guests.Each(func(g *guest) {
		if !left {
			left = true
			unix.Close(g.fd)
			g.fd = -1
		}
	})
	for id := int32(0); ; id++ {
		if l.guests.At(id).fd == -1 {
			l.guests.Remove(id)
			break
		}
	}
	l.Assigned.Add(-1)
	s.acceptor.Release()
}

// Connections that all come to one loop are spread, and know what their listener does; who
// is too many waits in the queue until somebody leaves.
func TestAccept(t *testing.T) {
	s := newHotel(t, Kernel{}, 4)
	s.loops[0].listeners.Listen(s.fds[0], "plain")
	for range 6 {
		s.dial(t)
	}
	s.until(t, "the loop has stopped accepting", func() bool { return s.paused.Load() > 0 })
	for range 5 {
		s.turn(t)
	}
	for i, l := range s.loops {
		if n := l.guests.Len(); n != 2 || l.Assigned.Load() != 2 {
			t.Errorf("loop %d has %d connections and counts %d, want 2", i, n, l.Assigned.Load())
		}
		l.guests.Each(func(g *guest) {
			if g.kind != "plain" {
				t.Errorf("a connection is %q", g.kind)
			}
		})
	}
	if paused := s.paused.Load(); paused != 1 {
		t.Errorf("accepting paused %d times", paused)
	}
	s.loops[0].listeners.Change(s.fds[0], func(kind *string) { *kind = "other" })
	s.leave(s.loops[1])
	s.until(t, "the next one is in", func() bool { return s.loops[1].guests.Len() == 2 })
	s.until(t, "the loop has stopped again", func() bool { return s.paused.Load() == 2 })
	others := 0
	s.loops[1].guests.Each(func(g *guest) {
		if g.kind == "other" {
			others++
		}
	})
	if others != 1 {
		t.Errorf("%d connections are what the listener's are by now", others)
	}
}

// A server that ends lets in who waits, however many there are.
func TestAcceptLast(t *testing.T) {
	s := newHotel(t, Kernel{}, 2)
	s.loops[0].listeners.Listen(s.fds[0], "plain")
	for range 5 {
		s.dial(t)
	}
	s.until(t, "the loop has stopped accepting", func() bool { return s.paused.Load() > 0 })
	s.acceptor.Drain()
	s.loops[0].listeners.Close()
	s.turn(t)
	if n := s.loops[0].guests.Len() + s.loops[1].guests.Len(); n != 5 {
		t.Errorf("%d of 5 are in", n)
	}
	if c, err := net.DialTCP("tcp", nil, s.at); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}

// fullTable is a system on which no more files can be opened, unless the spare one is
// given up.
type fullTable struct {
	Kernel
	full  *atomic.Bool
	spare *atomic.Int64
}

func (s fullTable) Accept(fd int) (int, netip.AddrPort, unix.Errno) {
	if s.full.Load() && s.spare.Load() > 0 {
		return -1, netip.AddrPort{}, unix.EMFILE
	}
	return s.Kernel.Accept(fd)
}

func (s fullTable) Spare() (int, error) {
	fd, err := s.Kernel.Spare()
	s.spare.Store(int64(fd))
	return fd, err
}

func (s fullTable) Close(fd int) {
	s.spare.CompareAndSwap(int64(fd), 0)
	s.Kernel.Close(fd)
}

// Who comes when no file can be opened is told so, unless that would take a handshake.
func TestAcceptWithoutFiles(t *testing.T) {
	sys := fullTable{full: new(atomic.Bool), spare: new(atomic.Int64)}
	s := newHotel(t, sys, 10)
	for _, tt := range []struct{ kind, want string }{{"plain", "HTTP/1.1 503 "}, {"silent", ""}} {
		fd := s.fds[0]
		if tt.kind == "plain" {
			s.loops[0].listeners.Listen(fd, tt.kind)
		} else {
			s.loops[0].listeners.Change(fd, func(kind *string) { *kind = tt.kind })
		}
		sys.full.Store(true)
		before := s.noFiles.Load()
		c := s.dial(t)
		s.until(t, "a client is turned away", func() bool { return s.noFiles.Load() > before })
		said, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(said), tt.want) || tt.want == "" && len(said) > 0 {
			t.Errorf("a %s one is told %q (%v), want %q", tt.kind, said, err, tt.want)
		}
	}
	sys.full.Store(false)
	s.dial(t)
	s.until(t, "one is in", func() bool { return s.loops[0].guests.Len()+s.loops[1].guests.Len() == 1 })
	if n := s.guests.Load(); n != 1 {
		t.Errorf("%d are counted", n)
	}
}
