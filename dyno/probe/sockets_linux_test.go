package probe

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// until reads sockets until they are as wanted: bytes take their time also on one machine.
func untilSockets(t *testing.T, p *socketsProbe, what string, ok func(Sockets) bool) {
	t.Helper()
	var s Sockets
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		var err error
		if s, err = p.read(); err != nil {
			t.Fatal(err)
		}
		if ok(s) {
			return
		}
	}
	t.Fatalf("%s: not within a minute: %+v", what, s)
}

// What waits in a server's sockets is seen: unread, not acknowledged, not accepted, and only there.
func TestSockets(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Log(err)
			continue
		}
		defer l.Close()
		p, err := newSockets(l.Addr().(*net.TCPAddr).Port)
		if err != nil {
			t.Skip(err)
		}
		defer p.close()
		untilSockets(t, p, "nothing", func(s Sockets) bool { return s == Sockets{} })
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		// A connection is there for the kernel before it is accepted.
		untilSockets(t, p, "not accepted", func(s Sockets) bool { return s.AcceptQueue == 1 && s.Connections == 1 })
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		untilSockets(t, p, "accepted", func(s Sockets) bool { return s == Sockets{Connections: 1} })
		if _, err := client.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		untilSockets(t, p, "unread", func(s Sockets) bool { return s == Sockets{Connections: 1, Unread: 1000, UnreadAt: 1} })
		if _, err := io.ReadFull(server, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		untilSockets(t, p, "read", func(s Sockets) bool { return s == Sockets{Connections: 1} })
		server.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		for { // until the client's buffer is full
			if _, err := server.Write(make([]byte, 1<<20)); err != nil {
				break
			}
		}
		untilSockets(t, p, "unsent", func(s Sockets) bool { return s.UnsentAt == 1 && s.Unsent > 1000 && s.Unread == 0 })
	}
}

// A sampler has it in its windows, or why not.
func TestSocketsInWindows(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s := New(Config{SocketsOf: l.Addr().(*net.TCPAddr).Port})
	defer s.Close()
	if s.unable != nil {
		t.Skip(s.unable)
	}
	a := s.Snapshot()
	if w := s.Between(a, s.Snapshot()); w.Sockets == nil || w.Sockets.Connections != 1 || w.Lacks(socketsName) {
		t.Errorf("%+v, missing %v", w.Sockets, w.Missing)
	}
	s.sockets.close()
	s.sockets, s.unable = nil, errors.New("not here")
	if w := s.Between(a, s.Snapshot()); w.Sockets != nil || !w.Lacks(socketsName) {
		t.Errorf("%+v, missing %v", w.Sockets, w.Missing)
	}
}
