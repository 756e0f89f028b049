//go:build linux

package gateway_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// What a client was given whole stays its own when the next response on its connection is
// broken off: a reset would take from it what it hasn't read of both. That the second one isn't
// whole its framing says.
func TestWholeResponsesStayWhenTheNextBreaksOff(t *testing.T) {
	whole := strings.Repeat("0123456789", 1200) // more than the client's kernel takes, less than the gateway's keeps
	for name, head := range map[string]string{"in chunks": "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "by its length": "Content-Length: 10\r\n\r\nhello"} {
		for more, after := range map[string]string{"": "", ", and asked for more": "GET /more HTTP/1.1\r\nHost: h\r\n\r\n"} {
			t.Run(name+more, func(t *testing.T) {
				t.Parallel()
				at, over := breakingOff(t, whole, head)
				c := narrow(t, at)
				c.send("GET /whole HTTP/1.1\r\nHost: h\r\n\r\nGET /broken HTTP/1.1\r\nHost: h\r\n\r\n%s", after)
				select {
				case <-over:
				case <-time.After(patience):
					t.Fatal("the second request doesn't end")
				}
				ask(t, at, "GET /more HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") // on the same loop, which has done what it does then
				if _, body := c.response(t, "GET"); body != whole {
					t.Errorf("the first response has %d bytes of %d", len(body), len(whole))
				}
				b, err := io.ReadAll(c.r)
				if err != nil {
					t.Errorf("%v, after %q", err, b)
				}
				if rest := string(b); !strings.Contains(rest, "\r\n\r\n") || strings.HasSuffix(rest, "0\r\n\r\n") || strings.Count(rest, "HTTP/1.1") != 1 {
					t.Errorf("the broken one is %q", rest)
				}
			})
		}
	}
}

// A response that ends with its connection is broken off by a reset: its client has nothing
// else to tell a part from the whole by.
func TestResetOfWhatEndsWithItsConnection(t *testing.T) {
	at, _ := breakingOff(t, "", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
	c := dial(t, at)
	c.send("GET /broken HTTP/1.0\r\nHost: h\r\n\r\n")
	if b, err := io.ReadAll(c.r); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%v, after %q", err, b)
	}
}

// breakingOff serves, on one loop, an upstream that breaks off its response to /broken. over
// gets something when the gateway is done with such a request.
func breakingOff(t *testing.T, whole, head string) (at string, over chan struct{}) {
	over = make(chan struct{}, 1)
	up := scripted(t, func(c *peer) {
		for {
			req, err := c.request()
			if err != nil {
				return
			}
			if req.URL.Path == "/broken" {
				c.send("HTTP/1.1 200 OK\r\n%s", head)
				return
			}
			c.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(whole), whole)
		}
	})
	_, at = startUsing(t, 1, "routes: [{match: {path: /broken}, use: tell, to: http://"+up+"}, {to: http://"+up+"}]\n",
		offer("tell", middleware.Middleware{Request: func(r *request.Request) *request.Reply {
			r.AtEnd(func(*request.Outcome) { over <- struct{}{} })
			return nil
		}}))
	return at, over
}

// narrow connects with a receive buffer that holds little.
func narrow(t *testing.T, at string) *peer {
	t.Helper()
	d := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<10) })
		return err
	}}
	c, err := d.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(lifetime))
	return &peer{Conn: c, r: bufio.NewReader(c)}
}
