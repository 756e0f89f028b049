package nano

import (
	"context"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"dyno/nano/internal/sockets"
)

// TestListenWhileShuttingDown: sockets that come to loops that drain, or have
// ended, are closed. One that stayed open would take clients for nobody.
func TestListenWhileShuttingDown(t *testing.T) {
	app := New(Config{Loops: 2, Logger: quiet()})
	s, err := app.start()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range s.loops {
		l.call((*loop).beginDrain) // as Shutdown does, which serve has just not seen
	}
	for range 2 { // the loops still run, or not any more
		fds, err := sockets.OpenEach("127.0.0.1:0", 2)
		if err != nil {
			t.Fatal(err)
		}
		sa, err := unix.Getsockname(fds[0])
		if err != nil {
			t.Fatal(err)
		}
		at := net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: sa.(*unix.SockaddrInet4).Port}
		if err := s.serve(fds, true); err != nil {
			t.Fatal(err)
		}
		if c, err := net.Dial("tcp", at.String()); err == nil {
			c.Close()
			t.Error("the address takes clients that nobody serves")
		}
	}
	if err := app.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestOptionsOfConnections: connections have what finds clients that vanish.
func TestOptionsOfConnections(t *testing.T) {
	app := New(Config{Logger: quiet()})
	options := make(chan [2]int, 1)
	app.Get("/", func(c Ctx) error {
		fd := c.live().Wire.(*turn).fd
		alive, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE)
		idle, _ := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE)
		options <- [2]int{alive, idle}
		return nil
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	var got [2]int
	for range 2 { // the first may have come before the loops had the socket
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		got = <-options
	}
	if got != [2]int{1, keepAliveIdle} {
		t.Errorf("keep-alive %d after %d s, want 1 after %d s", got[0], got[1], keepAliveIdle)
	}
	if err := app.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	<-ended
}
