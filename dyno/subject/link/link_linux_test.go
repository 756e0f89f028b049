package link

import (
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// needs skips a test where a link can't be made.
func needs(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a network for a subject takes root")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip("no TUN devices here: ", err)
	}
}

// behind runs do with a link to a namespace in which a TCP server sends back what it gets.
func behind(t *testing.T, l Link, do func(address string)) {
	t.Helper()
	needs(t)
	type entered struct {
		o        *Open
		listener net.Listener
		err      error
	}
	up, end := make(chan entered), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		// Never unlocked: the thread ends with the goroutine, wherever it is by then.
		runtime.LockOSThread()
		o, err := Enter(l)
		if err != nil {
			up <- entered{err: err}
			return
		}
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		err2 := o.Leave()
		if err == nil {
			err = err2
		}
		up <- entered{o, listener, err}
		<-end
		o.Close()
		ended <- nil
	}()
	e := <-up
	if e.err != nil {
		t.Fatal(e.err)
	}
	go func() {
		for {
			c, err := e.listener.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	_, port, _ := net.SplitHostPort(e.listener.Addr().String())
	do(net.JoinHostPort(e.o.Address.String(), port))
	e.listener.Close()
	close(end)
	<-ended
}

// A round trip takes what was asked for and no less; how much longer is the machine's to say.
func TestRoundTrip(t *testing.T) {
	const rtt = 40 * time.Millisecond
	behind(t, Link{RTT: rtt}, func(address string) {
		began := time.Now()
		c, err := net.Dial("tcp4", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if took := time.Since(began); took < rtt {
			t.Errorf("a handshake took %v over a link of %v", took, rtt)
		}
		began = time.Now()
		if _, err := c.Write([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		back := make([]byte, 5)
		if _, err := io.ReadFull(c, back); err != nil || string(back) != "hello" {
			t.Fatalf("%q, %v came back", back, err)
		}
		if took := time.Since(began); took < rtt {
			t.Errorf("an echo took %v over a link of %v", took, rtt)
		}
	})
}

// A link that pauses for nearly all of the time holds back what is sent then, and loses none of it.
func TestPauses(t *testing.T) {
	l := Link{RTT: time.Millisecond, Pause: 190 * time.Millisecond, Every: 200 * time.Millisecond}
	behind(t, l, func(address string) {
		c, err := net.Dial("tcp4", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		held := false
		for range 20 {
			began := time.Now()
			if _, err := c.Write([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			back := make([]byte, 5)
			if _, err := io.ReadFull(c, back); err != nil || string(back) != "hello" {
				t.Fatalf("%q, %v came back", back, err)
			}
			// Without pauses each takes 1 ms; whatever follows one that was held falls into the
			// next pause sooner or later.
			if held = held || time.Since(began) > l.Pause/4; held {
				break
			}
		}
		if !held {
			t.Errorf("20 echoes in turns, and no pause was met")
		}
	})
}

// Many bytes, in packets of several sizes, arrive as they were sent.
func TestBytes(t *testing.T) {
	for _, mtu := range []int{0, LeastMTU, 9000, MostMTU} {
		behind(t, Link{MTU: mtu}, func(address string) {
			c, err := net.Dial("tcp4", address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			sent := strings.Repeat("0123456789abcdef", 1<<15)
			go func() {
				io.WriteString(c, sent)
				c.(*net.TCPConn).CloseWrite()
			}()
			if back, err := io.ReadAll(c); err != nil || string(back) != sent {
				t.Errorf("MTU %d: %d of %d bytes came back as they were sent, %v", mtu, len(back), len(sent), err)
			}
		})
	}
}

// Two links at once have addresses of their own, and nothing is left of either.
func TestNothingIsLeft(t *testing.T) {
	devices := func() (n int) {
		all, err := net.Interfaces()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			if strings.HasPrefix(i.Name, "dyno") {
				n++
			}
		}
		return n
	}
	before := devices()
	behind(t, Link{RTT: time.Millisecond}, func(first string) {
		behind(t, Link{RTT: time.Millisecond}, func(second string) {
			a, b := netip.MustParseAddrPort(first), netip.MustParseAddrPort(second)
			if a.Addr() == b.Addr() {
				t.Errorf("both links lead to %s", a.Addr())
			}
			if n := devices(); n != before+2 {
				t.Errorf("%d devices, %d before two links were made", n, before)
			}
		})
	})
	if n := devices(); n != before {
		t.Errorf("%d devices are left, of %d before", n, before)
	}
}

// The namespace lets a server accept TCP Fast Open.
func TestFastOpenIsAllowed(t *testing.T) {
	if _, err := os.Stat("/proc/sys/net/ipv4/tcp_fastopen"); err != nil {
		t.Skip("this kernel has no TCP Fast Open")
	}
	needs(t)
	got := make(chan string, 1)
	go func() {
		runtime.LockOSThread()
		o, err := Enter(Link{})
		if err != nil {
			got <- err.Error()
			return
		}
		text, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_fastopen")
		o.Close()
		got <- strings.TrimSpace(string(text))
	}()
	if text := <-got; text != "3" {
		t.Errorf("tcp_fastopen is %s there", text)
	}
}
