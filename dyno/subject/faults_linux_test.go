package subject

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A port that an ended connection still holds (TIME_WAIT) can be listened on again.
func TestStartOnAPortInTimeWait(t *testing.T) {
	free, err := freePort() // which no connection of others takes
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(free)))
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
	if in := startServer(t, slow(time.Minute)); in.StartUp() < time.Second {
		t.Errorf("it was ready after %v", in.StartUp())
	}
	if _, err := Start(t.Context(), slow(200*time.Millisecond)); err == nil || !strings.Contains(err.Error(), "was not ready within 200ms (ready_within gives it longer)") {
		t.Errorf("got %v", err)
	}
	own := Own{Name: "mine", Run: "./mine", ReadyWithin: 40 * time.Second}
	if s, err := own.StartSpec(); err != nil || s.Timeout != own.ReadyWithin {
		t.Errorf("it may take %v, %v", s.Timeout, err)
	}
}

// A helper in a session of its own hears no signal, and has a moment to see that who it
// helps has ended; one that stays is killed and counted.
func TestHelpersThatEndWithTheirSubject(t *testing.T) {
	killed := func(helper string) int {
		begun := filepath.Join(t.TempDir(), "begun") // by then it is in a session of its own
		s := serverSpec(t, "good")
		s.Shell = "setsid sh -c '" + helper + "' helper $$ " + begun + " 2>/dev/null & exec $OUT/server -port $PORT"
		s.Command = nil
		in := startServer(t, s)
		eventually(t, "the helper has begun", func() bool { _, err := os.Stat(begun); return err == nil })
		stopServer(t, in)
		return in.Killed()
	}
	if n := killed("sleep 600 & touch $2; wait"); n != 2 { // it and its sleep
		t.Errorf("of a helper that stays %d processes were killed, want 2", n)
	}
	// On a busy machine one that ends may get no CPU within that moment.
	n := -1
	for try := 0; n != 0 && try < 20; try++ {
		n = killed("touch $2; while kill -0 $1; do sleep 0.01; done; sleep 0.05")
	}
	if n != 0 {
		t.Errorf("of a helper that ends by itself %d processes were killed each time", n)
	}
}
