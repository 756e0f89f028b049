package engine

import (
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/sockets"
)

// nobody is an app that is never asked anything.
type nobody struct{}

func (nobody) NewExchange() *exchange.Exchange                { return &exchange.Exchange{} }
func (nobody) BodyLimits() bool                               { return false }
func (nobody) AwaitsProxy(netip.AddrPort) bool                { return false }
func (nobody) KeepsSockets() bool                             { return false }
func (nobody) RefusalBody(int, string, netip.AddrPort) []byte { return nil }
func (nobody) Violated(error, netip.AddrPort)                 {}
func (nobody) TakeOver(c net.Conn)                            { c.Close() }
func (nobody) BadBody(_ int, _ string, e error) error         { return e }
func (nobody) BodyCut(err error) error                        { return err }
func (nobody) Refuse(out, _ []byte, _ int, _ string, _ netip.AddrPort) []byte {
	return out
}

// TestListenWhileShuttingDown: sockets that come to loops that drain, or have
// ended, are closed. One that stayed open would take clients for nobody.
func TestListenWhileShuttingDown(t *testing.T) {
	s, err := Start(Config{App: nobody{}, Loops: 2, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range s.loops {
		l.Call((*loop).beginDrain) // as Drain does, which Serve has just not seen
	}
	for range 2 { // the loops still run, or not any more
		fds, err := sockets.OpenEach("127.23.58.102:0", 2, false) // nobody else listens there
		if err != nil {
			t.Fatal(err)
		}
		sa, err := unix.Getsockname(fds[0])
		if err != nil {
			t.Fatal(err)
		}
		at := net.TCPAddr{IP: net.IPv4(127, 23, 58, 102), Port: sa.(*unix.SockaddrInet4).Port}
		if err := s.Serve(fds, true, nil); err != nil {
			t.Fatal(err)
		}
		if c, err := net.Dial("tcp", at.String()); err == nil {
			c.Close()
			t.Error("the address takes clients that nobody serves")
		}
	}
	select {
	case <-s.Ended():
	case <-time.After(time.Minute):
		t.Error("the loops don't end")
	}
}

// serving starts an engine of one loop that listens. Who ends it hears of that by served.
func serving(t *testing.T) (s *Server, at *net.TCPAddr, served chan error) {
	t.Helper()
	s, err := Start(Config{App: nobody{}, Loops: 1, Limits: Limits{Connections: 2, Idle: time.Minute}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	fds, err := sockets.OpenEach("127.0.0.1:0", 1, false)
	if err != nil {
		t.Fatal(err)
	}
	sa, err := unix.Getsockname(fds[0])
	if err != nil {
		t.Fatal(err)
	}
	served = make(chan error, 1)
	go func() { served <- s.Serve(fds, true, nil) }()
	for listens := false; !listens; { // a client that is there before has other options
		looked := make(chan bool)
		s.loops[0].Call(func(l *loop) { looked <- l.listeners.Len() > 0 })
		listens = <-looked
	}
	return s, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: sa.(*unix.SockaddrInet4).Port}, served
}

// TestOptionsOfConnections: connections have what finds clients that vanish.
func TestOptionsOfConnections(t *testing.T) {
	s, at, served := serving(t)
	connect(t, at)
	found := make(chan [2]int, 1)
	for len(found) == 0 { // until the loop has the client
		looked := make(chan struct{})
		s.loops[0].Call(func(l *loop) {
			l.conns.Each(func(c *conn) {
				alive, _ := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE)
				idle, _ := unix.GetsockoptInt(c.fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE)
				found <- [2]int{alive, idle}
			})
			close(looked)
		})
		<-looked
	}
	if got := <-found; got != [2]int{1, sockets.KeepAliveIdle} {
		t.Errorf("keep-alive %d after %d s, want 1 after %d s", got[0], got[1], sockets.KeepAliveIdle)
	}
	s.Drain()
	s.Cut()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
