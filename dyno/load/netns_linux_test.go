package load

import (
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// inNamespace runs the test that calls it in a network namespace of its own,
// with the loopback interface up and the given settings below
// /proc/sys/net/ipv4. It reports whether this is the process in there.
func inNamespace(t *testing.T, settings map[string]string) bool {
	t.Helper()
	const inside = "DYNO_TEST_NAMESPACE"
	if os.Getenv(inside) == "" {
		t.Parallel()
		runtime.LockOSThread() // the child is killed when the thread ends that starts it
		defer runtime.UnlockOSThread()
		cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.timeout", "5m")
		cmd.Env = append(os.Environ(), inside+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
		out, err := cmd.CombinedOutput()
		if err != nil && os.Geteuid() != 0 {
			t.Skipf("needs root: %v", err)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return false
	}
	loopbackUp(t)
	for name, value := range settings {
		if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

func loopbackUp(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		t.Fatal(err)
	}
}

// TestNoReuseOutlivesItsPorts opens many times more connections than there are
// ports: none may stay behind in TIME_WAIT on our side.
func TestNoReuseOutlivesItsPorts(t *testing.T) {
	if !inNamespace(t, map[string]string{"ip_local_port_range": "20001 20064", "tcp_tw_reuse": "0"}) {
		return
	}
	for _, engine := range []string{"uring", "epoll", "portable"} {
		_, target := visited(t, nil)
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 8})
		s.Engine, s.MaxRequests, s.Duration, s.Link.Reuse = engine, 1000, 0, request.NoReuse
		r := ran(t, s)
		if all := everything(r); all.Completed != 1000 || all.Errors.Total() != 0 {
			t.Errorf("%s: completed %d, errors %+v (%v)", engine, all.Completed, all.Errors, r.FirstErrors)
		}
	}
}

func TestOutOfPortsSaysSo(t *testing.T) {
	if !inNamespace(t, map[string]string{"ip_local_port_range": "20001 20032", "tcp_max_tw_buckets": "0"}) {
		return
	}
	ln, err := net.Listen("tcp", "127.0.0.1:19999") // outside the range
	if err != nil {
		t.Fatal(err)
	}
	_, target := visited(t, ln)
	for _, engine := range []string{"uring", "epoll", "portable"} {
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 64})
		s.Engine = engine
		eventually(t, func(wrong func(string, ...any)) {
			r := ran(t, s)
			if all := everything(r); all.Completed+all.Drained == 0 || !strings.Contains(r.FirstErrors["connect"].String(), "no local port is free") {
				wrong("%s: completed %d, errors %+v (%v)", engine, all.Completed, all.Errors, r.FirstErrors)
			}
		})
		// More addresses are more ports.
		for i := range 8 {
			s.Link.Sources = append(s.Link.Sources, netip.AddrFrom4([4]byte{127, 0, 1, byte(i + 1)}))
		}
		r := ran(t, s)
		if all := everything(r); all.Errors.Connect != 0 {
			t.Errorf("%s with more addresses: errors %+v (%v)", engine, all.Errors, r.FirstErrors)
		}
	}
}

// TestUnreachable: a network without a route to the target.
func TestUnreachable(t *testing.T) {
	if !inNamespace(t, nil) {
		return
	}
	for _, engine := range []string{"uring", "epoll", "portable"} {
		s := spec("http://192.0.2.1:80", profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.Timeout = engine, time.Second
		if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "connecting to 192.0.2.1:80") || !strings.Contains(err.Error(), "network is unreachable") {
			t.Errorf("%s: error %v, want one that says unreachable", engine, err)
		}
	}
}

func TestSourceThatIsNotOurs(t *testing.T) {
	_, target := visited(t, nil)
	s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 1})
	s.Link.Sources = []netip.Addr{netip.MustParseAddr("192.0.2.1")}
	s.Timeout = 200 * time.Millisecond
	if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "from 192.0.2.1") {
		t.Errorf("error %v, want one that names the address", err)
	}
}

func TestFastOpen(t *testing.T) {
	if !inNamespace(t, map[string]string{"tcp_fastopen": "3"}) {
		return
	}
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		_ = c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_FASTOPEN, 64) })
		return err
	}}
	for _, engine := range []string{"uring", "epoll"} {
		ln, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, target := visited(t, ln)
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.MaxRequests, s.Duration = engine, 100, 0
		s.Link = request.Link{Reuse: request.NoReuse, FastOpen: true}
		before := fastOpens(t)
		r := ran(t, s)
		if all := everything(r); all.Completed != 100 || all.Errors.Total() != 0 {
			t.Errorf("%s: completed %d, errors %+v (%v)", engine, all.Completed, all.Errors, r.FirstErrors)
		}
		if n := fastOpens(t) - before; n < 50 {
			t.Errorf("%s: %d of 100 connections were opened with data in the SYN", engine, n)
		}
	}
}

// fastOpens is how many connections of this namespace were opened with data.
func fastOpens(t *testing.T) int {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b, err := os.ReadFile("/proc/thread-self/net/netstat")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	names, values := strings.Fields(lines[0]), strings.Fields(lines[1])
	for i, name := range names {
		if name == "TCPFastOpenActive" {
			n, err := strconv.Atoi(values[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the kernel does not count fast opens")
	return 0
}

// TestServersWillOutlivesItsPorts: nor may they stay behind where it is the server
// that lets no connection carry a second request, and leaves the closing to us.
func TestServersWillOutlivesItsPorts(t *testing.T) {
	if !inNamespace(t, map[string]string{"ip_local_port_range": "20001 20064", "tcp_tw_reuse": "0"}) {
		return
	}
	for _, engine := range []string{"uring", "epoll", "portable"} {
		s := spec(server(t, func(c net.Conn) {
			c.Read(make([]byte, 4096))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
			io.Copy(io.Discard, c)
		}), profile.Profile{Mode: profile.Closed, Connections: 8})
		s.Engine, s.MaxRequests, s.Duration = engine, 1000, 0
		r := ran(t, s)
		if all := everything(r); all.Completed != 1000 || all.Errors.Total() != 0 {
			t.Errorf("%s: completed %d, errors %+v (%v)", engine, all.Completed, all.Errors, r.FirstErrors)
		}
	}
}
