//go:build linux

package gateway_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
)

// ungreeted is an upstream over HTTP/2 that doesn't say its settings before the test does.
func ungreeted(t testing.TB, do func(f *framed)) (address string) {
	return scripted(t, func(p *peer) {
		if _, err := io.ReadFull(p.Conn, make([]byte, len(xhttp2.ClientPreface))); err != nil {
			return
		}
		f := newFramed(t, p.Conn)
		f.TB = quiet{t}
		do(f)
	})
}

// A hedge whose connection isn't up yet is all there is when the first try ends: the request
// waits for it, and is sent there by that endpoint's own name.
func TestHedgeThatIsLeftAlone(t *testing.T) {
	for name, end := range map[string]func(f *framed, id uint32){
		"GOAWAY":  func(f *framed, id uint32) { f.WriteGoAway(0, xhttp2.ErrCodeNo, nil) },
		"refused": func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream) },
		"reset":   func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeInternal) },
		"closed":  func(f *framed, id uint32) { f.Conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int32
			var once sync.Once
			hedged, ended := make(chan struct{}), make(chan struct{})
			upstream := func() string {
				return "h2c://" + ungreeted(t, func(f *framed) {
					if connections.Add(1) == 1 {
						f.WriteSettings()
						f.requests(func(h *xhttp2.MetaHeadersFrame) {
							<-hedged
							end(f, h.StreamID)
							time.Sleep(50 * time.Millisecond) // for the gateway to hear of it
							close(ended)
						})
						return
					}
					once.Do(func() { close(hedged) })
					<-ended
					f.WriteSettings()
					f.requests(func(h *xhttp2.MetaHeadersFrame) {
						f.head(h.StreamID, true, ":status", "200", "x-asked", h.PseudoValue("authority"), "x-by", f.LocalAddr().String())
					})
				})
			}
			_, at := startLoops(t, 1, fmt.Sprintf("routes: [{to: u, host: upstream, hedge: {after: 1ms, budget: 100%%}}]\nupstreams: {u: [%q, %q]}\n", upstream(), upstream()))
			resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			if resp.StatusCode != 200 || resp.Header.Get("X-Asked") != resp.Header.Get("X-By") {
				t.Errorf("%d, %s was asked for %q", resp.StatusCode, resp.Header.Get("X-By"), resp.Header.Get("X-Asked"))
			}
		})
	}
}

// Requests that follow each other on a connection to an endpoint over HTTP/2 have nothing of
// each other: the way that the first one ended says nothing of the second.
func TestCallsHaveNothingOfEachOther(t *testing.T) {
	full := func(f *framed, id uint32) {
		f.head(id, false, ":status", "200", "content-length", "2")
		f.WriteData(id, true, []byte("ok"))
	}
	for name, c := range map[string]struct {
		first, second func(f *framed, id uint32)
		allowed       string
	}{
		"trailers": {func(f *framed, id uint32) {
			f.head(id, false, ":status", "200", "content-length", "2")
			f.WriteData(id, false, []byte("ok"))
			f.head(id, true, "x-secret", "of the first")
		}, full, "200"},
		"the second is reset":    {full, func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeInternal) }, "200 502"},
		"the second is refused":  {full, func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream) }, "200"},
		"the second isn't taken": {full, func(f *framed, id uint32) { f.WriteGoAway(id-2, xhttp2.ErrCodeNo, nil) }, "200"},
		"the second is closed":   {full, func(f *framed, id uint32) { f.Conn.Close() }, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			url := framedServer(t, func(f *framed) {
				f.TB = quiet{t}
				f.requests(func(h *xhttp2.MetaHeadersFrame) {
					switch n.Add(1) {
					case 1:
						c.first(f, h.StreamID)
					case 2:
						c.second(f, h.StreamID)
					default:
						full(f, h.StreamID)
					}
				})
			})
			_, at := startLoops(t, 1, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+url+"\"], response: 10s}}\n")
			for i := range 3 {
				f := dialFramed(t, at)
				f.get(1, "/")
				status, head := f.responseHead()
				for ended := head.StreamEnded(); !ended; {
					frame := f.until("the end", func(frame xhttp2.Frame) bool { return frame.Header().StreamID == 1 })
					if trailers, ok := frame.(*xhttp2.MetaHeadersFrame); ok && i > 0 {
						t.Errorf("request %d has trailers: %v", i+1, trailers.Fields)
					}
					ended = frame.Header().Flags&xhttp2.FlagDataEndStream != 0 // which is HEADERS' too
				}
				if i != 1 && status != "200" || !strings.Contains(c.allowed, status) {
					t.Errorf("request %d: %s", i+1, status)
				}
			}
		})
	}
}

// The bound of interim responses is one of each request.
func TestInterimsOfManyRequests(t *testing.T) {
	url := framedServer(t, func(f *framed) {
		f.requests(func(h *xhttp2.MetaHeadersFrame) {
			f.head(h.StreamID, false, ":status", "103", "link", "</a>; rel=preload")
			f.head(h.StreamID, false, ":status", "200", "content-length", "2")
			f.WriteData(h.StreamID, true, []byte("ok"))
		})
	})
	_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
	for i := range 40 {
		c := dial(t, at)
		c.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		if all := c.rest(); !strings.Contains(all, "\r\n\r\nHTTP/1.1 200 OK\r\n") {
			t.Fatalf("request %d: %q", i+1, all)
		}
	}
}

// An endpoint that lets go of its connection after a request, and keeps it open until the
// gateway closes it, gets no other one on it: what clients have pipelined goes on.
func TestPipeliningAndGoAway(t *testing.T) {
	url := framedServer(t, func(f *framed) {
		f.TB = quiet{t}
		n := 0
		f.requests(func(h *xhttp2.MetaHeadersFrame) {
			if n++; n > 1 {
				return // nobody looks at it
			}
			f.head(h.StreamID, false, ":status", "200", "content-length", "2")
			f.WriteData(h.StreamID, true, []byte("ok"))
			f.WriteGoAway(h.StreamID, xhttp2.ErrCodeNo, nil)
		})
	})
	_, at := startLoops(t, 1, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+url+"\"], response: 10s}}\n")
	for range 5 {
		c := dial(t, at)
		c.send("%s", strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 4))
		for i := range 4 {
			if resp, body := c.response(t, "GET"); resp.StatusCode != 200 || body != "ok" {
				t.Errorf("request %d: %d %q", i+1, resp.StatusCode, body)
			}
		}
	}
}

// A connection that an endpoint has ended after a whole response is nobody's: a request of one
// route never goes to the upstream of another.
func TestRequestsStayWithTheirUpstream(t *testing.T) {
	upstream := func(name string, closes bool) string {
		return framedServer(t, func(f *framed) {
			f.TB = quiet{t}
			f.requests(func(h *xhttp2.MetaHeadersFrame) {
				f.head(h.StreamID, false, ":status", "200", "content-length", "1")
				f.WriteData(h.StreamID, true, []byte(name))
				if closes {
					f.Conn.Close()
				}
			})
		})
	}
	_, at := startLoops(t, 1, fmt.Sprintf("routes: [{match: {path: /a}, to: a}, {match: {path: /b}, to: b}]\nupstreams: {a: {endpoints: [%q], response: 10s}, b: {endpoints: [%q], response: 10s}}\n", upstream("a", true), upstream("b", false)))
	for i := range 10 {
		for _, name := range []string{"a", "b", "a"} {
			resp, body := ask(t, at, "GET /"+name+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
			if resp.StatusCode != 200 || body != name {
				t.Fatalf("round %d: /%s: %d by %q", i, name, resp.StatusCode, body)
			}
			time.Sleep(5 * time.Millisecond) // for the gateway to see the connection's end
		}
	}
}

// A client over HTTP/1.1 that has all of a response, as its head says, goes on with its next
// request, though the upstream's stream hasn't come to its end and is lost.
func TestResponsesThatOnlyLackTheirEnd(t *testing.T) {
	ends := map[string]func(f *framed, id uint32){
		"closed": func(f *framed, _ uint32) { f.Conn.Close() },
		"reset":  func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeInternal) },
		"wrong":  func(f *framed, id uint32) { f.WriteRawFrame(xhttp2.FrameWindowUpdate, 0, 0, []byte{0, 0, 0, 0}) },
	}
	for name, first := range map[string]struct {
		head    []string
		content string
	}{
		"its length": {[]string{":status", "200", "content-length", "5"}, "whole"},
		"none":       {[]string{":status", "200", "content-length", "0"}, ""},
		"204":        {[]string{":status", "204"}, ""},
	} {
		for how, end := range ends {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				given := make(chan struct{})
				url := framedServer(t, func(f *framed) {
					f.TB = quiet{t}
					f.requests(func(h *xhttp2.MetaHeadersFrame) {
						if h.PseudoValue("path") != "/first" {
							f.head(h.StreamID, true, ":status", "200", "content-length", "0")
							return
						}
						f.head(h.StreamID, false, first.head...)
						if first.content != "" {
							f.WriteData(h.StreamID, false, []byte(first.content))
						}
						<-given
						end(f, h.StreamID)
					})
				})
				_, at := startLoops(t, 1, "routes: [{to: u}]\nupstreams: {u: [\""+url+"\"]}\n")
				c := dial(t, at)
				c.send("GET /first HTTP/1.1\r\nHost: h\r\n\r\nGET /second HTTP/1.1\r\nHost: h\r\n\r\n")
				resp, body := c.response(t, "GET")
				if resp.StatusCode/100 != 2 || body != first.content {
					t.Fatalf("the first: %s %q", resp.Status, body)
				}
				close(given)
				if resp, body := c.response(t, "GET"); resp.StatusCode != 200 {
					t.Errorf("the second: %s %s", resp.Status, body)
				}
			})
		}
	}
}

// What is shorter than its head says is no whole response, however it ends.
func TestResponsesThatAreShort(t *testing.T) {
	url := framedServer(t, func(f *framed) {
		f.TB = quiet{t}
		f.requests(func(h *xhttp2.MetaHeadersFrame) {
			f.head(h.StreamID, false, ":status", "200", "content-length", "5")
			f.WriteRawFrame(xhttp2.FrameData, 0, h.StreamID, []byte("shor"))
			f.Conn.Write([]byte{0, 0, 1, byte(xhttp2.FrameData), 0, 0, 0, 0, byte(h.StreamID)}) // and nothing behind it
			f.Conn.Close()
		})
	})
	_, at := startLoops(t, 1, "routes: [{to: u}]\nupstreams: {u: [\""+url+"\"]}\n")
	c := dial(t, at)
	c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
	if got, err := c.broken(t); err == nil || errors.Is(err, os.ErrDeadlineExceeded) || got == "short" {
		t.Errorf("%q, %v", got, err)
	}
}
