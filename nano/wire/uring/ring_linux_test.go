package uring

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// open returns a ring with four small buffers, or skips the test where there is
// no io_uring.
func open(t *testing.T) (*Ring, *Buffers) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	r, err := Open(8, 16)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Buffers(4, 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); b.Close() })
	return r, b
}

func pair(t *testing.T) (here, there int32) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fds[1]) })
	return int32(fds[0]), int32(fds[1])
}

// take waits for the next completion.
func take(t *testing.T, r *Ring) Completion {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if r.Ready() > 0 {
			return r.Take()
		}
		if err := r.Enter(50 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no completion came")
	return Completion{}
}

func TestReceiveGoesOnUntilTheEnd(t *testing.T) {
	r, buffers := open(t)
	here, there := pair(t)
	defer unix.Close(int(here))
	r.Receive(here, 7, true)
	for _, text := range []string{"one", "two", "three", "four", "five", "six"} { // more than there are buffers
		if _, err := unix.Write(int(there), []byte(text)); err != nil {
			t.Fatal(err)
		}
		c := take(t, r)
		if c.UserData != 7 || c.Flags&HasBuffer == 0 || c.Flags&More == 0 {
			t.Fatalf("%s: completion %+v", text, c)
		}
		if got := string(buffers.Bytes(c.Buffer(), int(c.Result))); got != text {
			t.Fatalf("received %q, want %q", got, text)
		}
		buffers.Return(c.Buffer())
	}
	unix.Shutdown(int(there), unix.SHUT_WR)
	if c := take(t, r); c.Result != 0 || c.Flags&More != 0 {
		t.Errorf("end of the stream: completion %+v", c)
	}
}

func TestReceiveWithoutBuffersSaysSo(t *testing.T) {
	r, buffers := open(t)
	here, there := pair(t)
	defer unix.Close(int(here))
	r.Receive(here, 1, true)
	if _, err := unix.Write(int(there), make([]byte, 5*8)); err != nil { // one buffer too few
		t.Fatal(err)
	}
	var last Completion
	for range 5 {
		last = take(t, r)
		if last.Flags&HasBuffer != 0 {
			defer buffers.Return(last.Buffer())
		}
	}
	if last.Errno() != unix.ENOBUFS || last.Flags&More != 0 {
		t.Errorf("completion %+v, want ENOBUFS and no more", last)
	}
}

func TestQuietSendOnlyReportsFailure(t *testing.T) {
	r, _ := open(t)
	here, there := pair(t)
	defer unix.Close(int(here))
	r.Send(here, []byte("ping"), 1, true)
	r.Send(here, []byte("pong"), 2, false)
	if c := take(t, r); c.UserData != 2 || c.Result != 4 {
		t.Fatalf("completion %+v, want that of the second send", c)
	}
	buf := make([]byte, 16)
	if n, _ := unix.Read(int(there), buf); string(buf[:n]) != "pingpong" {
		t.Fatalf("sent %q", buf[:n])
	}
	unix.Close(int(there))
	r.Send(here, []byte("ping"), 3, true)
	if c := take(t, r); c.UserData != 3 || c.Errno() != unix.EPIPE {
		t.Errorf("completion %+v, want EPIPE", c)
	}
}

func TestCloseEndsAnOperationUnderWay(t *testing.T) {
	r, _ := open(t)
	here, there := pair(t)
	r.Receive(here, 1, true)
	r.CloseCancelled(here, 2, 3)
	if c := take(t, r); c.UserData != 1 || c.Errno() != unix.ECANCELED {
		t.Fatalf("completion %+v, want the read cancelled", c)
	}
	if c := take(t, r); c.UserData != 2 || c.Result != 0 {
		t.Fatalf("completion %+v, want the closing", c)
	}
	buf := make([]byte, 1)
	if n, err := unix.Read(int(there), buf); n != 0 || err != nil {
		t.Errorf("the other end reads %d, %v; want the end of the stream", n, err)
	}
}

func TestEnterWaitsNoLongerThanAsked(t *testing.T) {
	r, _ := open(t)
	here, _ := pair(t)
	defer unix.Close(int(here))
	r.Receive(here, 1, true)
	if err := r.Enter(time.Millisecond); err != nil || r.Ready() != 0 {
		t.Errorf("error %v, %d completions", err, r.Ready())
	}
}

// TestMoreCompletionsThanRoom: what does not fit the queue comes later.
func TestMoreCompletionsThanRoom(t *testing.T) {
	r, _ := open(t) // room for 16
	here, _ := pair(t)
	defer unix.Close(int(here))
	const all = 100
	for i := range all {
		r.AwaitWritable(here, uint64(i))
		if err := r.Enter(0); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(map[uint64]bool)
	for range all {
		seen[take(t, r).UserData] = true
	}
	if len(seen) != all {
		t.Errorf("%d of %d completions came", len(seen), all)
	}
}

func TestMostCompletions(t *testing.T) {
	r, err := Open(8, MostCompletions)
	if errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EPERM) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
}
