package probe

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func newListener(t *testing.T) *RuntimeListener {
	t.Helper()
	dir, err := os.MkdirTemp("", "dyno") // shorter than the test's own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := NewRuntimeListener(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// connect plays a helper that has said hello.
func connect(t *testing.T, l *RuntimeListener, hello string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", l.Env()[helperEnv])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, hello+"\n")
	return conn
}

// settle waits until n helpers are connected.
func settle(t *testing.T, l *RuntimeListener, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if l.Connected() == n {
			return
		}
	}
	t.Fatalf("%d helpers are connected, want %d", l.Connected(), n)
}

// reply responds to each line with the next line, and then is silent.
func reply(conn net.Conn, lines ...string) {
	questions := bufio.NewReader(conn)
	for _, line := range lines {
		if q, err := questions.ReadString('\n'); err != nil || q != "sample\n" {
			return
		}
		fmt.Fprintln(conn, line)
	}
}

func TestListenerAddsUpHelpers(t *testing.T) {
	l := newListener(t)
	later := strings.Replace(goodResponse, `"gc_cycles":2`, `"gc_cycles":5`, 1)
	for range 2 {
		go reply(connect(t, l, goodHello), goodResponse, later)
	}
	settle(t, l, 2)
	a, err := l.Sample(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Sample(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := b.Since(a); !ok || r.GCCycles != 6 || r.Heap != 8 {
		t.Errorf("runtime = %+v, %v; want 3 cycles and 4 bytes from each of two", r, ok)
	}
}

func TestListenerWithoutHelper(t *testing.T) {
	if _, err := newListener(t).Sample(context.Background()); err == nil || !strings.Contains(err.Error(), "no program has connected") {
		t.Errorf("error = %v", err)
	}
}

func TestListenerDoesNotWaitForEver(t *testing.T) {
	l := newListener(t)
	conn := connect(t, l, goodHello)
	settle(t, l, 1)
	if _, err := l.Sample(context.Background()); err == nil || !strings.Contains(err.Error(), "no response within") {
		t.Errorf("error = %v", err)
	}
	// The late response is taken for the next one; it is not asked for twice, unless the
	// response has come before that is put.
	go reply(conn, goodResponse, goodResponse)
	for range 100 {
		if _, err := l.Sample(context.Background()); err == nil {
			return
		}
	}
	t.Error("the late response was never taken")
}

func TestListenerHonoursContext(t *testing.T) {
	l := newListener(t)
	connect(t, l, goodHello)
	settle(t, l, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Sample(ctx); err == nil {
		t.Error("no error from a cancelled context")
	}
}

func TestListenerRefuses(t *testing.T) {
	tests := []struct{ name, hello, response, want string }{
		{"a first line that is no JSON", "GET / HTTP/1.1", "", "first line"},
		{"an endless first line", strings.Repeat("x", 2*maxHelperLine), "", "more than 65536 bytes"},
		{"another version", `{"dynoprobe":9}`, "", "version 9"},
		{"a response that is no JSON", goodHello, "what?", "response"},
		{"an endless response", goodHello, strings.Repeat("[", 2*maxHelperLine), "more than 65536 bytes"},
		{"responses without being asked", goodHello, strings.Repeat(goodResponse+"\n", 50), "without being asked"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newListener(t)
			conn := connect(t, l, test.hello)
			if test.response != "" {
				io.WriteString(conn, test.response+"\n")
			}
			conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
				t.Fatal("the connection was kept")
			}
			settle(t, l, 0)
			if _, err := l.Sample(context.Background()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want it to say %q", err, test.want)
			}
		})
	}
}

func TestListenerClose(t *testing.T) {
	l := newListener(t)
	connect(t, l, goodHello)
	silent, err := net.Dial("unix", l.path) // has not said what it is
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	settle(t, l, 1)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(filepath.Dir(l.path))); len(entries) != 0 || err != nil {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestListenerSocket(t *testing.T) {
	l := newListener(t)
	for path := l.path; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, want 0700", path, info.Mode())
		}
		if info.IsDir() {
			break
		}
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	if _, err := NewRuntimeListener(long); err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Errorf("error = %v, want one that asks for a shorter name", err)
	}
}

// The names of sockets are short; that of the temporary folder may be long.
func TestListenForRuntimeWhateverTheTemporaryFolder(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 90))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	l, remove, err := ListenForRuntime(long)
	if err != nil {
		t.Fatal(err)
	}
	socket := l.Env()[helperEnv]
	if _, err := os.Stat(socket); err != nil {
		t.Error(err)
	}
	remove()
	if _, err := os.Stat(filepath.Dir(filepath.Dir(socket))); err == nil {
		t.Errorf("the folder of %s is left behind", socket)
	}
	if left, err := os.ReadDir(long); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
