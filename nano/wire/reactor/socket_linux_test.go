package reactor

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestResent: a listener that accepts nobody lets the kernel drop what would connect
// beyond its queue, and that is sent again.
func TestResent(t *testing.T) {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(listener, 0); err != nil {
		t.Fatal(err)
	}
	to, err := unix.Getsockname(listener)
	if err != nil {
		t.Fatal(err)
	}
	var fds []int
	for range 6 {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.Connect(fd, to); err != nil && err != unix.EINPROGRESS {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	if n, ok := Resent(fds[0]); n != 0 || !ok {
		t.Errorf("%d sent again by the first, %v", n, ok)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		for _, fd := range fds[1:] {
			if n, ok := Resent(fd); n > 0 && ok {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("nothing was sent again")
}

func TestResentElsewhere(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	if n, ok := Resent(fds[0]); ok {
		t.Errorf("%d sent again on a Unix socket", n)
	}
}
