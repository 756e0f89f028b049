package sockets

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOpenEachIsAlone: a program that is started a second time must not share the
// first one's connections without a word.
func TestOpenEachIsAlone(t *testing.T) {
	v6 := true
	if ln, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		v6 = false
	} else {
		ln.Close()
	}
	for name, c := range map[string]struct {
		first, second string // with port 0: the second gets the first one's
		shared        bool   // the second
		refused       bool
	}{
		"same address":             {"127.0.0.1:0", "127.0.0.1:0", false, true},
		"same address, shared":     {"127.0.0.1:0", "127.0.0.1:0", true, false},
		"wildcard, then specific":  {"0.0.0.0:0", "127.0.0.1:0", false, true},
		"specific, then wildcard":  {"127.0.0.1:0", "0.0.0.0:0", false, true},
		"both families, then IPv4": {"[::]:0", "127.0.0.1:0", false, true},
		"IPv4, then both families": {"127.0.0.1:0", "[::]:0", false, true},
		"IPv6 twice":               {"[::1]:0", "[::1]:0", false, true},
		"IPv4 beside IPv6":         {"127.0.0.1:0", "[::1]:0", false, false},
		"other address":            {"127.0.0.1:0", "127.0.0.2:0", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(c.first+c.second, "[::") && !v6 {
				t.Skip("without IPv6")
			}
			first, err := OpenEach(c.first, 2, false)
			if err != nil {
				t.Fatal(err)
			}
			defer CloseAll(first)
			at, err := Bound(first[0])
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(at.String())
			second, err := OpenEach(strings.TrimSuffix(c.second, "0")+port, 2, c.shared)
			if err == nil {
				CloseAll(second)
			}
			if refused := errors.Is(err, syscall.EADDRINUSE); refused != c.refused || err != nil && !refused {
				t.Errorf("error %v, want it refused: %v", err, c.refused)
			}
		})
	}
}

// TestOpenEachAtOnce: of several that start at the same moment one gets the address. (Or
// none: the kernel refuses two that begin to listen in the same instant.)
func TestOpenEachAtOnce(t *testing.T) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := probe.Addr().String()
	probe.Close()
	got := make(chan []int, 8)
	for range cap(got) {
		go func() {
			fds, err := OpenEach(address, 2, false)
			if err != nil && !errors.Is(err, syscall.EADDRINUSE) {
				t.Error(err)
			}
			got <- fds
		}()
	}
	all := 0
	for range cap(got) {
		if fds := <-got; fds != nil {
			all++
			defer CloseAll(fds)
		}
	}
	if all > 1 {
		t.Errorf("%d have the address", all)
	}
}

// TestOpenEachSpreads: connections come to all of the sockets.
func TestOpenEachSpreads(t *testing.T) {
	fds, err := OpenEach("127.0.0.1:0", 2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer CloseAll(fds)
	at, _ := Bound(fds[0])
	for range 64 { // by a hash: all to one of two once in 2^63
		c, err := net.Dial("tcp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for i, fd := range fds {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(poll, 0); n != 1 {
			t.Errorf("socket %d: nobody waits there, %v", i, err)
		}
	}
}

// TestOpenEachAfterConnections: an address can be listened on again at once, while its
// connections are closed (TIME_WAIT) or still open, as after a crash.
func TestOpenEachAfterConnections(t *testing.T) {
	fds, err := OpenEach("127.0.0.1:0", 2, false)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := Bound(fds[0])
	for _, open := range []bool{false, true} {
		c, err := net.DialTimeout("tcp", at.String(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		accepted := -1
		poll := []unix.PollFd{{Fd: int32(fds[0]), Events: unix.POLLIN}, {Fd: int32(fds[1]), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, 10_000); err != nil {
			t.Fatal(err)
		}
		for i := range poll {
			if poll[i].Revents != 0 {
				accepted, _, err = unix.Accept(fds[i])
			}
		}
		if err != nil || accepted < 0 {
			t.Fatal(accepted, err)
		}
		if open {
			defer unix.Close(accepted)
		} else {
			unix.Close(accepted) // the server's end first: TIME_WAIT is on its side
		}
	}
	CloseAll(fds)
	fds, err = OpenEach(at.String(), 2, false)
	if err != nil {
		t.Fatal(err)
	}
	CloseAll(fds)
}
