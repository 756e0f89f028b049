package reactor

import (
	"bytes"
	"net"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
)

// message is a control message as the kernel writes it.
func message(level, kind int32, data ...unix.Timespec) []byte {
	h := unix.Cmsghdr{Level: level, Type: kind}
	h.SetLen(unix.SizeofCmsghdr + len(data)*sizeofTimespec)
	b := bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unix.SizeofCmsghdr))
	for i := range data {
		b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(&data[i])), sizeofTimespec)...)
	}
	return append(b, make([]byte, int(aligned(uint64(len(b))))-len(b))...)
}

func TestReceivedAt(t *testing.T) {
	at, none := unix.NsecToTimespec(1_700_000_000_123_456_789), unix.Timespec{}
	stamping := message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPING, at, none, none)
	other := message(unix.SOL_SOCKET, unix.SCM_RIGHTS)
	for name, c := range map[string]struct {
		control []byte
		want    int64
	}{
		"nothing":              {nil, 0},
		"SCM_TIMESTAMPING":     {stamping, at.Nano()},
		"SCM_TIMESTAMPNS":      {message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPNS, at), at.Nano()},
		"behind another":       {append(bytes.Clone(other), stamping...), at.Nano()},
		"of another level":     {message(unix.IPPROTO_IP, unix.SCM_TIMESTAMPNS, at), 0},
		"hardware only":        {message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPING, none, none, at), 0},
		"cut off":              {stamping[:len(stamping)-8], 0},
		"a head that is short": {stamping[:7], 0},
		"a length of nothing":  {make([]byte, 64), 0},
		"without its time":     {message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPING), 0},
	} {
		if got := receivedAt(c.control); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func FuzzReceivedAt(f *testing.F) {
	f.Add([]byte{})
	f.Add(message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPING, unix.Timespec{Sec: 1}, unix.Timespec{}, unix.Timespec{}))
	f.Fuzz(func(t *testing.T, control []byte) { receivedAt(control) })
}

// pair is a TCP connection over the loopback, one end as a descriptor.
func pair(t *testing.T) (peer net.Conn, fd int) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	address := ln.Addr().(*net.TCPAddr)
	if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte(address.IP.To4()), Port: address.Port}); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	if peer, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	return peer, fd
}

// readStamped sends a message until one comes with a timestamp: the kernel
// begins to stamp a little after it is asked to.
func readStamped(t *testing.T, peer net.Conn, fd int, r *Receiver, buf []byte) (sent, received int64) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		sent = clock.Now()
		peer.Write([]byte("hello"))
		for {
			n, stamp, errno := r.Read(fd, buf)
			if errno == unix.EAGAIN {
				time.Sleep(100 * time.Microsecond)
				continue
			}
			if errno != 0 || string(buf[:n]) != "hello" {
				t.Fatalf("read %q, %v", buf[:n], errno)
			}
			if stamp != 0 {
				return sent, stamp
			}
			break
		}
	}
	t.Skip("this kernel does not stamp what comes over the loopback")
	return 0, 0
}

func TestReceiver(t *testing.T) {
	peer, fd := pair(t)
	if err := Timestamps(fd); err != nil {
		t.Fatal(err)
	}
	r, buf := NewReceiver(), make([]byte, 64)
	sent, stamp := readStamped(t, peer, fd, r, buf)
	now := clock.Now()
	wall := ReadWallClock()
	slack := 1_000_000 + int64(wall.Bound()) // ns; the clocks' own error is some µs
	if got := wall.Monotonic(stamp); got < sent-slack || got > now+slack {
		t.Errorf("received at %d, but sent at %d and read by %d", got, sent, now)
	}
	peer.Close()
	for deadline := time.Now().Add(30 * time.Second); ; {
		n, _, errno := r.Read(fd, buf)
		if errno == 0 && n == 0 {
			break
		}
		if errno != unix.EAGAIN || time.Now().After(deadline) {
			t.Fatalf("at the end: %d, %v", n, errno)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestReceiverDoesNotAllocate(t *testing.T) {
	_, fd := pair(t)
	r, buf := NewReceiver(), make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() { r.Read(fd, buf) }); n != 0 {
		t.Errorf("%v allocations per read", n)
	}
	if err := Timestamps(-1); err == nil {
		t.Error("a socket that there is not is stamped")
	}
}

func TestWallClock(t *testing.T) {
	w := ReadWallClock()
	if w.Bound() <= 0 {
		t.Errorf("bound %v", w.Bound())
	}
	var wall unix.Timespec
	before := clock.Now()
	unix.ClockGettime(unix.CLOCK_REALTIME, &wall)
	after := clock.Now()
	slack := int64(w.Bound()) + 20_000 // ns that Go's clock was found to be off at the start
	if got := w.Monotonic(wall.Nano()); got < before-slack || got > after+slack {
		t.Errorf("%d is not from %d to %d", got, before, after)
	}
}

func BenchmarkReceiver(b *testing.B) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	buf := make([]byte, 64)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			Write(fds[1], buf)
			Read(fds[0], buf)
		}
	})
	b.Run("recvmsg", func(b *testing.B) {
		r := NewReceiver()
		for b.Loop() {
			Write(fds[1], buf)
			r.Read(fds[0], buf)
		}
	})
}
