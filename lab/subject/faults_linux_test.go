package subject

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A port that an ended connection still holds (TIME_WAIT) can be listened on again.
func TestStartOnAPortInTimeWait(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	server.Close() // first, and so this end waits
	io.Copy(io.Discard, client)
	client.Close()
	l.Close()
	s := serverSpec(t, "good")
	s.Port = l.Addr().(*net.TCPAddr).Port
	if in := startServer(t, s); in.Port() != s.Port {
		t.Errorf("it is on port %d, want %d", in.Port(), s.Port)
	}
}

// A runtime that takes its time is waited for as long as its manifest says, and how
// long that was is known.
func TestASlowStart(t *testing.T) {
	slow := func(timeout time.Duration) StartSpec {
		s := serverSpec(t, "good")
		s.Shell = "sleep 1; exec $OUT/server -port $PORT"
		s.Command, s.Timeout = nil, timeout
		return s
	}
	if in := startServer(t, slow(20*time.Second)); in.StartUp() < time.Second {
		t.Errorf("it was ready after %v", in.StartUp())
	}
	if _, err := Start(t.Context(), slow(200*time.Millisecond)); err == nil || !strings.Contains(err.Error(), "was not ready within 200ms") {
		t.Errorf("got %v", err)
	}
	own := Own{Name: "mine", Run: "./mine", ReadyWithin: 40 * time.Second}
	if s, err := own.StartSpec(); err != nil || s.Timeout != own.ReadyWithin {
		t.Errorf("it may take %v, %v", s.Timeout, err)
	}
}
