//go:build linux

package simulated

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
)

// ends are both ends of a connection on some system, each with a poller of its own.
type ends struct {
	sys     loop.System
	fds     [2]int
	pollers [2]loop.Poller
}

// onKernel connects over loopback.
func onKernel(t *testing.T) *ends {
	t.Helper()
	e := &ends{sys: loop.Kernel{}}
	ln, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ln)
	if err := unix.Bind(ln, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(ln, 1); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(ln)
	if err != nil {
		t.Fatal(err)
	}
	if e.fds[0], _, err = e.sys.Dial(at); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		fd, _, errno := e.sys.Accept(ln)
		if errno == 0 {
			e.fds[1] = fd
			break
		}
		if time.Now().After(end) {
			t.Fatal(errno)
		}
	}
	for _, fd := range e.fds { // so that the kernel doesn't move its bounds meanwhile
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20)
	}
	e.watch(t)
	return e
}

// onSimulated connects on a simulated system.
func onSimulated(t *testing.T) *ends {
	t.Helper()
	s := New(1, 100)
	at := netip.MustParseAddrPort("127.0.0.1:80")
	ln, err := s.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	k := s.Connect(netip.MustParseAddrPort("127.0.0.1:81"), at, Line{Capacity: 1 << 20})
	for s.Next(1 << 62) {
	}
	e := &ends{sys: s}
	if e.fds[0], err = s.describe(k); err != nil {
		t.Fatal(err)
	}
	errno := unix.Errno(0)
	if e.fds[1], _, errno = s.Accept(ln); errno != 0 {
		t.Fatal(errno)
	}
	e.watch(t)
	return e
}

func (e *ends) watch(t *testing.T) {
	for i, fd := range e.fds {
		p, err := e.sys.NewPoller(16, func() bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Add(fd, int32(i)); err != nil {
			t.Fatal(err)
		}
		e.pollers[i] = p
	}
}

func (e *ends) end() {
	for i, fd := range e.fds {
		if fd >= 0 {
			e.sys.Close(fd)
		}
		e.pollers[i].Close()
	}
}

// settle lets what is under way arrive.
func (e *ends) settle() {
	if s, ok := e.sys.(*System); ok {
		for s.Next(s.now + 1) {
		}
		return
	}
	time.Sleep(200 * time.Microsecond)
}

// do does what a word says at one of the ends, and says what came of it.
func (e *ends) do(word string, n, end int) string {
	fd := e.fds[end]
	if fd < 0 {
		return "closed"
	}
	said := func(n int, errno unix.Errno) string { return fmt.Sprint(n, " ", int(errno)) }
	b := make([]byte, n)
	switch word {
	case "read":
		return said(e.sys.Read(fd, b))
	case "write":
		return said(e.sys.Write(fd, b))
	case "write2":
		return said(e.sys.Write2(fd, b, b))
	case "shut":
		e.sys.CloseWrite(fd)
	case "abort":
		e.sys.Abort(fd)
	case "close":
		e.sys.Close(fd)
		e.fds[end] = -1
	case "reset":
		e.sys.Reset(fd)
		e.sys.Close(fd)
		e.fds[end] = -1
	case "peek":
		return fmt.Sprint(e.sys.Ended(fd))
	case "error":
		return fmt.Sprint(e.sys.ConnectError(fd))
	case "poll":
		events, err := e.pollers[end].Wait(0)
		if err != nil {
			return err.Error()
		}
		out := ""
		for i := range events {
			out += names(&events[i])
		}
		return out
	}
	return ""
}

func names(e *reactor.Event) string {
	var list []string
	for _, one := range []struct {
		bit  uint32
		name string
	}{{unix.EPOLLIN, "in"}, {unix.EPOLLOUT, "out"}, {unix.EPOLLRDHUP, "rdhup"}, {unix.EPOLLHUP, "hup"}, {unix.EPOLLERR, "err"}} {
		if e.Events&one.bit != 0 {
			list = append(list, one.name)
		}
	}
	return "[" + strings.Join(list, " ") + "]"
}

// The same scripts give the same on the kernel's sockets and on simulated ones: what is read
// and written, which errors are told and how often, what epoll says and when it says nothing.
func TestAgainstTheKernel(t *testing.T) {
	t.Parallel()
	againstTheKernel(t, "read", "write", "write2", "poll", "poll", "poll", "read", "write", "shut", "close", "reset", "peek", "error")
}

// So they do when a connection is reset by who still has the socket.
func TestAbortAgainstTheKernel(t *testing.T) {
	t.Parallel()
	againstTheKernel(t, "read", "write", "poll", "poll", "abort", "abort", "peek", "error", "close", "shut")
}

func againstTheKernel(t *testing.T, words ...string) {
	random := Seeded(3)
	scripts := 200
	if testing.Short() {
		scripts = 50
	}
	for script := range scripts {
		real, model := onKernel(t), onSimulated(t)
		var did []string
		shut := [2]bool{}
		for range 14 {
			word, n, end := words[random.Below(len(words))], 1+random.Below(50), random.Below(2)
			want := real.do(word, n, end)
			got := model.do(word, n, end)
			real.settle()
			model.settle()
			did = append(did, fmt.Sprintf("%s(%d)@%d=%s", word, n, end, want))
			if word == "shut" {
				shut[end] = true
			}
			if word == "poll" && shut[end] && (got == "" || want == "") {
				continue // that its own end was acknowledged the kernel tells sooner or later
			}
			if got != want {
				t.Errorf("script %d: %v: simulated %q", script, did, got)
				break
			}
		}
		real.end()
		model.end()
	}
}

// A socket that has no room tells when it has again, as the kernel does: once.
func TestRoom(t *testing.T) {
	for name, e := range map[string]*ends{"kernel": onKernel(t), "simulated": onSimulated(t)} {
		t.Run(name, func(t *testing.T) {
			e.do("poll", 0, 0)
			b, sent := make([]byte, 64<<10), 0
			for {
				n, errno := e.sys.Write(e.fds[0], b)
				if errno == unix.EAGAIN {
					break
				}
				if errno != 0 {
					t.Fatal(errno)
				}
				sent += n
				e.settle()
			}
			if got := e.do("poll", 0, 0); got != "" {
				t.Errorf("without room: %s", got)
			}
			var told []string
			for got := 0; got < sent; {
				n, errno := e.sys.Read(e.fds[1], b)
				if errno != 0 && errno != unix.EAGAIN {
					t.Fatal(errno)
				}
				got += n
				e.settle()
				if said := e.do("poll", 0, 0); said != "" {
					told = append(told, said)
				}
			}
			if !slices.Equal(told, []string{"[out]"}) {
				t.Errorf("while it is read: %v", told)
			}
			e.end()
		})
	}
}
