//go:build linux

package simulated

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// taken is a system with a connection, of which a goroutine has the server's end.
func taken(t *testing.T, with func(s *running, c net.Conn)) (s *running, client *Socket) {
	t.Helper()
	s = goroutinesOf(t, 1)
	at := netip.MustParseAddrPort("127.0.0.1:80")
	ln, err := s.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	client = s.Connect(netip.MustParseAddrPort("198.51.100.1:1024"), at, Line{Capacity: 10})
	for s.Next(1 << 62) {
	}
	fd, _, errno := s.Accept(ln)
	if errno != 0 {
		t.Fatal(errno)
	}
	s.Go(func() {
		c, err := s.Conn(fd)
		if err != nil {
			t.Error(err)
			return
		}
		s.System.Close(fd) // it has one of its own
		with(s, c)
	})
	return s, client
}

func (s *running) ended(t *testing.T) {
	t.Helper()
	for s.Next(1 << 62) {
	}
	if s.Left() != 0 || s.Descriptors() != 1 { // it listens
		t.Errorf("%d goroutines and %d descriptors are left", s.Left(), s.Descriptors())
	}
}

// Reads and writes of a connection wait for the other end, up to its end.
func TestConnWaits(t *testing.T) {
	s, client := taken(t, func(s *running, c net.Conn) {
		defer c.Close()
		b, err := io.ReadAll(c)
		if string(b) != "what comes" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		if n, err := c.Write([]byte("more than there is room for")); n != 27 || err != nil {
			t.Error(n, err)
		}
	})
	got := ""
	client.Stirred = func() {
		b := make([]byte, 4)
		for n, errno := client.Read(b); errno == 0 && n > 0; n, errno = client.Read(b) {
			got += string(b[:n])
		}
	}
	s.After(1e9, func() { client.Write([]byte("what ")) })
	s.After(2e9, func() { client.Write([]byte("comes")); client.CloseWrite() })
	s.ended(t)
	if got != "more than there is room for" {
		t.Errorf("%q came", got)
	}
}

// They end at a deadline, by a reset, and when another goroutine closes the connection.
func TestConnEnds(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *running, c net.Conn, client *Socket)
		want error
	}{
		"deadline": {func(_ *running, c net.Conn, _ *Socket) { c.SetReadDeadline(time.Now().Add(3 * time.Second)) }, os.ErrDeadlineExceeded},
		"reset":    {func(_ *running, _ net.Conn, client *Socket) { client.Abort() }, unix.ECONNRESET},
		"close":    {func(s *running, c net.Conn, _ *Socket) { s.After(1e9, func() { c.Close() }) }, net.ErrClosed},
	} {
		var client *Socket
		var s *running
		s, client = taken(t, func(s *running, conn net.Conn) {
			c.do(s, conn, client)
			if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, c.want) {
				t.Errorf("%s: %d, %v", name, n, err)
			}
			if err := conn.Close(); name != "close" && err != nil || name == "close" && err == nil {
				t.Errorf("%s: closing it: %v", name, err)
			}
		})
		s.ended(t)
	}
}
