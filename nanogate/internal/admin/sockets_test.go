//go:build linux

package admin

import (
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Another process may have the port of a connection of the gateway's, to an upstream: its connection is taken.
func TestOutsideTakesWhoSharesAPort(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		upstream, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("SKIPPED %s: %v", address, err)
			continue
		}
		defer upstream.Close()
		own, err := sharing(upstream.Addr().String(), "").Dial("tcp", upstream.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		ln, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		var log strings.Builder
		accepting := Outside(ln, slog.New(slog.NewTextHandler(&log, nil)))
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), "ADMIN_TEST_FROM="+own.LocalAddr().String(), "ADMIN_TEST_TO="+ln.Addr().String())
		stdin, err := other.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		if err := accepting.(*outside).SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Error(err)
		}
		if c, err := accepting.Accept(); err != nil {
			t.Errorf("%s: %v; it logs %s", address, err, &log)
		} else {
			if c.RemoteAddr().String() != own.LocalAddr().String() {
				t.Errorf("the port is not shared: %v and %v", c.RemoteAddr(), own.LocalAddr())
			}
			c.Close()
		}
		stdin.Close()
		if err := other.Wait(); err != nil {
			t.Errorf("the other process: %v", err)
		}
	}
}

// sharing connects from an address that others may have too, if one is given.
func sharing(to, from string) *net.Dialer {
	d := &net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) })
		if failed != nil {
			return failed
		}
		return err
	}}
	if host, _, _ := net.SplitHostPort(to); from == "" {
		from = net.JoinHostPort(host, "0")
	}
	d.LocalAddr = net.TCPAddrFromAddrPort(netip.MustParseAddrPort(from))
	return d
}

// TestMain is the other process where it is told to: connected until it has nothing more to read.
func TestMain(m *testing.M) {
	from, to := os.Getenv("ADMIN_TEST_FROM"), os.Getenv("ADMIN_TEST_TO")
	if from == "" {
		os.Exit(m.Run())
	}
	c, err := sharing(to, from).Dial("tcp", to)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	c.Close()
}

// A connection from an address of the process' own that no socket has the other end of is the process': addresses are
// translated on the way.
func TestFromHere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, to := range map[string]netip.AddrPort{"itself": of(ln.Addr()), "translated": netip.MustParseAddrPort("127.0.0.1:9")} {
		if own, err := fromHere(-1, ends{of(c.LocalAddr()), to}); !own || err != nil {
			t.Errorf("%s: %v, %v", name, own, err)
		}
	}
}

const sockets = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 19 1 000000008ef4888e 100 0 0 10 0
   1: 0100007F:B0D9 0100007F:C854 06 00000000:00000000 03:00001750 00000000     0        0 0 3 00000000bf1c2c79
   2: 0100007F:B0D9 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 20 4 30 10 -1
   3: 0000000000000000FFFF00000100007F:B0DA 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1
   4: 00000000000000000000000001000000:B0DB 00000000000000000000000001000000:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 20 4 30 10 -1
`

func TestFindSocket(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the list is one of a little-endian machine")
	}
	for _, c := range []struct {
		list, local, remote string
		inode               uint64
		failed              string
	}{
		{sockets, "127.0.0.1:45273", "127.0.0.1:8080", 4711, ""},
		{sockets, "127.0.0.1:45274", "127.0.0.1:8080", 4712, ""}, // as IPv6 has it
		{sockets, "[::1]:45275", "[::1]:8080", 4713, ""},
		{sockets, "127.0.0.1:45273", "127.0.0.1:51284", 0, ""}, // nobody's any more
		{sockets, "127.0.0.1:45273", "127.0.0.1:9901", 0, ""},
		{sockets, "127.0.0.2:45273", "127.0.0.1:8080", 0, ""},
		{"", "127.0.0.1:45273", "127.0.0.1:8080", 0, ""},
		{"heading\n", "127.0.0.1:45273", "127.0.0.1:8080", 0, ""},
		{"heading\n 0: 0100007F:B0D9\n", "127.0.0.1:45273", "127.0.0.1:8080", 0, "has no inode"},
		{"heading\n" + strings.Repeat("x ", 12), "127.0.0.1:45273", "127.0.0.1:8080", 0, "the port of"},
		{"heading\n 0: 01:B0D9 " + strings.Repeat("x ", 12), "127.0.0.1:45273", "127.0.0.1:8080", 0, "has 1 bytes"},
		{"heading\n 0: 0X00007F:B0D9 " + strings.Repeat("x ", 12), "127.0.0.1:45273", "127.0.0.1:8080", 0, "the address of"},
	} {
		got, err := findSocket(strings.NewReader(c.list), ends{netip.MustParseAddrPort(c.local), netip.MustParseAddrPort(c.remote)})
		if got != c.inode || (err != nil) != (c.failed != "") || err != nil && !strings.Contains(err.Error(), c.failed) {
			t.Errorf("%s to %s: %d, %v", c.local, c.remote, got, err)
		}
	}
}

// FuzzFindSocket: whatever a list is, looking in it ends.
func FuzzFindSocket(f *testing.F) {
	f.Add(sockets)
	at := ends{netip.MustParseAddrPort("127.0.0.1:45273"), netip.MustParseAddrPort("127.0.0.1:8080")}
	f.Fuzz(func(t *testing.T, list string) {
		if inode, err := findSocket(strings.NewReader(list), at); err != nil && inode != 0 {
			t.Errorf("%d, %v", inode, err)
		}
	})
}
