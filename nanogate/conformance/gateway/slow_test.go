//go:build linux

package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A client that sends its head byte by byte has no more time than one that sends nothing.
func TestDrippingClient(t *testing.T) {
	upstream, requests := respondingWith(t, ok)
	_, at := start(t, "client: {read-head: 150ms}\nroutes: [{to: http://"+upstream+"}]\n")
	c := dial(t, at)
	go func() {
		for { // longer than any test: it ends with the connection
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\nX: "); err != nil {
				return
			}
			for range 1000 {
				time.Sleep(10 * time.Millisecond)
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
			}
		}
	}()
	if resp, _ := c.response(t, "GET"); resp.StatusCode != 408 || !resp.Close || requests.Load() != 0 {
		t.Errorf("%d, close %v, %d requests arrived", resp.StatusCode, resp.Close, requests.Load())
	}
}

// What a slow upstream drips arrives as it was sent, as it comes.
func TestDrippingUpstream(t *testing.T) {
	const response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-End: yes\r\n\r\n"
	upstream := scripted(t, func(p *peer) {
		for {
			if _, err := p.request(); err != nil {
				return
			}
			for i := range response {
				if _, err := io.WriteString(p, response[i:i+1]); err != nil {
					return
				}
				if i%16 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
		}
	})
	c := dial(t, proxying(t, upstream))
	for range 2 { // over the same connections: what ended in pieces has ended
		c.send("GET / HTTP/1.1\r\nHost: h\r\nTE: trailers\r\nConnection: TE\r\n\r\n")
		if resp, body := c.response(t, "GET"); resp.StatusCode != 200 || body != "hello world" {
			t.Errorf("%d %q", resp.StatusCode, body)
		}
	}
}

// A connection that is reset in the middle of a response ends the client's in such a way
// that the part isn't taken for the whole; the next client notices nothing.
func TestResetInTheMiddle(t *testing.T) {
	var asked atomic.Int32
	upstream := scripted(t, func(p *peer) {
		for {
			if _, err := p.request(); err != nil {
				return
			}
			if asked.Add(1)%2 == 0 {
				p.send(ok)
				continue
			}
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n%s", strings.Repeat("x", 10_000))
			reset(p.Conn)
			return
		}
	})
	_, at := startLoops(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	for range 3 {
		c := dial(t, at)
		c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, err := http.ReadResponse(c.r, nil); err == nil && resp.StatusCode == 200 {
			if body, err := io.ReadAll(resp.Body); err == nil {
				t.Errorf("%d bytes came as if they were all", len(body))
			}
		}
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 || body != "OK" {
			t.Errorf("the next one got %d %q", resp.StatusCode, body)
		}
	}
}

// A client that is gone in the middle of its upload takes the request with it, and what the
// upstream has of it isn't completed.
func TestClientResetsUpload(t *testing.T) {
	begun, ended := make(chan bool), make(chan error, 1)
	upstream := scripted(t, func(p *peer) {
		r, err := http.ReadRequest(p.r)
		begun <- true
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
		}
		ended <- err
	})
	c := dial(t, proxying(t, upstream))
	c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n%s", strings.Repeat("x", 10_000))
	<-begun
	reset(c.Conn)
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the upstream read a whole request")
		}
	case <-time.After(patience):
		t.Error("the upstream waits for the rest")
	}
}

// An upstream that responds before the request has ended, and keeps its connection, may have
// the rest of the body on it or not: nobody else's request goes there.
func TestEarlyResponseKeepsRequestsApart(t *testing.T) {
	var mixed atomic.Int32
	upstream := scripted(t, func(p *peer) {
		for {
			h, err := p.head()
			if err != nil {
				return
			}
			switch {
			case strings.HasPrefix(h, "POST "):
				p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly") // the body is not read
			case strings.HasPrefix(h, "GET "):
				p.send(ok)
			default:
				mixed.Add(1)
				return
			}
		}
	})
	_, at := startLoops(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	for range 5 {
		c := dial(t, at)
		c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n%s", strings.Repeat("x", 1000))
		if resp, body := c.response(t, "POST"); resp.StatusCode != 200 || body != "early" {
			t.Errorf("%d %q", resp.StatusCode, body)
		}
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 || body != "OK" {
			t.Errorf("then %d %q", resp.StatusCode, body)
		}
		c.Close()
	}
	if n := mixed.Load(); n > 0 {
		t.Errorf("%d times a body was read as a request", n)
	}
}

// An upstream that lies about its length: what comes beyond it reaches nobody.
func TestLongerThanItSaid(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		for {
			if _, err := p.request(); err != nil {
				return
			}
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOKHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
		}
	})
	_, at := startLoops(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	c := dial(t, at)
	for i := range 10 {
		c.send("GET /%d HTTP/1.1\r\nHost: h\r\n\r\n", i)
		if resp, body := c.response(t, "GET"); body != "OK" {
			t.Fatalf("request %d got %d %q", i, resp.StatusCode, body)
		}
	}
}
