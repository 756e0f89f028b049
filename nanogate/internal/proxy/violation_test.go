//go:build linux

package proxy_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// panics is a guard, a limit and an observer that panic when they are told to: before the
// request is sent on, when it has ended, or both.
type panics struct{}

func (panics) Check(r *request.Request) *request.Reply {
	if _, asked := r.Header("x-panic"); asked {
		panic("as was asked for")
	}
	return nil
}

func (panics) Seen(r *request.Request, note []byte) []byte {
	value, _ := r.Header("x-panic")
	return append(note, value...)
}

func (panics) Ended(o *request.Outcome, note []byte) {
	if string(note) == "twice" {
		panic("again")
	}
}

func (panics) Done(o *request.Outcome) {
	if o.Received == 13 { // bytes of a body
		panic("at the end")
	}
}

// A panic in one request costs its connection. Others on the same loop don't notice.
func TestPanicsCostAConnection(t *testing.T) {
	address := serve(t, "", func(r *snapshot.Route) {
		r.Chain.Insert(filter.Identity, "panics", panics{})
		r.Observers = append(r.Observers, panics{})
	})
	kept := connect(t, address)
	ask := func(c *conn) string {
		fmt.Fprint(c, "GET /n/x HTTP/1.1\r\nHost: h\r\n\r\n")
		return c.response()
	}
	if got := ask(kept); got != "GET /v2/n/x   0 " {
		t.Fatal(got)
	}
	body := strings.Repeat("x", 13)
	for name, text := range map[string]string{
		"a guard":             "GET /n/x HTTP/1.1\r\nHost: h\r\nX-Panic: check\r\n\r\n",
		"the end":             "POST /n/x HTTP/1.1\r\nHost: h\r\nContent-Length: 13\r\n\r\n" + body,
		"pipelined":           "GET /n/x HTTP/1.1\r\nHost: h\r\nX-Panic: check\r\n\r\nGET /n/x HTTP/1.1\r\nHost: h\r\n\r\n",
		"when it is given up": "POST /n/x HTTP/1.1\r\nHost: h\r\nX-Panic: twice\r\nContent-Length: 13\r\n\r\n" + body,
	} {
		for range 3 {
			c := connect(t, address)
			fmt.Fprint(c, text)
			if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil && name != "the end" {
				t.Errorf("%s: %s", name, resp.Status)
			}
			ended(t, c)
		}
		if got := ask(kept); got != "GET /v2/n/x   0 " {
			t.Errorf("after %s: %s", name, got)
		}
	}
	if got := ask(connect(t, address)); got != "GET /v2/n/x   0 " {
		t.Error(got)
	}
}

// ended waits for a connection's end.
func ended(t *testing.T, c net.Conn) {
	t.Helper()
	c.SetDeadline(time.Now().Add(patience))
	for b := make([]byte, 1000); ; {
		if _, err := c.Read(b); err != nil {
			if wait, ok := err.(net.Error); ok && wait.Timeout() {
				t.Error("the connection goes on")
			}
			return
		}
	}
}
