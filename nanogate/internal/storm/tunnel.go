//go:build linux

package storm

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http2"

	"dyno.example/nanogate/internal/payload"
)

// tunnel1 accepts a WebSocket over HTTP/1.1 and is its other end. What passes isn't framed:
// the gateway doesn't read it.
func (e *endpoint) tunnel1(c net.Conn, in *bufio.Reader, r *http.Request, req *request, one *run) {
	fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nX-Token: %s\r\nX-By: %s\r\n\r\n", accept(r.Header.Get("Sec-WebSocket-Key")), req.token, e.name)
	e.tunnel(in, c, req, one)
	c.Close()
}

// tunnel2 is one over HTTP/2.
func (e *endpoint) tunnel2(s *h2stream, req *request, one *run) {
	s.c.write(func() error {
		return s.c.headersFrame(s.id, []field{{":status", "200"}, {"x-token", req.token}, {"x-by", e.name}}, false)
	})
	e.tunnel(s, s, req, one)
	if s.end(nil) != nil {
		s.reset(http2.ErrCodeCancel)
	}
}

// tunnel sends its bytes and reads to the end, or until it has all if it is the side that
// ends.
func (e *endpoint) tunnel(in io.Reader, out io.Writer, r *request, one *run) {
	defer close(one.done)
	written := make(chan bool)
	go func() {
		defer close(written)
		out.Write(content(r.token+e.name, r.want))
	}()
	follow := &payload.Follower{Want: r.body}
	p := make([]byte, 16<<10)
	for r.tail != "upstream" || follow.At < len(r.body) {
		n, err := in.Read(p)
		follow.Take(p[:n])
		one.got = follow.At
		if follow.Wrong != "" {
			e.s.violate("ws-body", "%s got %s: %s", e.name, follow.Wrong, r)
			break
		}
		if err != nil {
			one.whole = err == io.EOF
			break
		}
	}
	<-written
}

func accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// roundTripWS has a tunnel made and sends through it, over a connection of its own.
func (s *Storm) roundTripWS(r *request) {
	j := &judge{s: s, r: r}
	c, err := s.dial(r.client == "wstls", "http/1.1")
	if err != nil {
		s.count(r.client + " no-connection")
		return
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: storm.example\r\nX-Token: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n", r.path, r.token, key)
	in := bufio.NewReader(c)
	resp, err := http.ReadResponse(in, &http.Request{Method: "GET"})
	if err != nil {
		j.cut(err)
		return
	}
	if resp.StatusCode != 101 {
		j.head(resp.StatusCode, resp.Header.Get)
		io.Copy(j, resp.Body)
		j.ended(nil)
		return
	}
	if resp.Header.Get("Sec-WebSocket-Accept") != accept(key) {
		s.violate("foreign-response", "another Sec-WebSocket-Accept for %s", r)
	}
	j.head(200, resp.Header.Get)
	if j.of == nil {
		return
	}
	written := make(chan bool)
	go func() {
		defer close(written)
		if r.tail == "client" { // bytes and end in one event, as likely as can be
			first := len(r.body) / 2
			c.Write(r.body[:first])
			r.allSent.Store(true)
			c.Write(r.body[first:])
			if r.want == 0 {
				closeConn(c, false)
			}
			return
		}
		r.allSent.Store(true)
		c.Write(r.body)
	}()
	if r.tail == "client" && r.want == 0 {
		<-written
		s.tunnelEnds(j)
		return
	}
	p := make([]byte, 16<<10)
	for r.tail == "upstream" || j.content.At < r.want {
		n, err := in.Read(p)
		j.Write(p[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			j.cut(err)
			return
		}
	}
	<-written
	closeConn(c, false)
	if wrong := j.content.Ended(); wrong != "" && (j.content.Wrong != "" || !j.excused()) {
		s.violate("ws-body", "the client got %s, by %s: %s", wrong, j.by, r)
	}
	s.tunnelEnds(j)
}

// tunnelEnds waits until the upstream has heard of the end, with all before it.
func (s *Storm) tunnelEnds(j *judge) {
	r := j.r
	r.mu.Lock()
	if len(r.runs) == 0 {
		r.mu.Unlock()
		return
	}
	one := r.runs[len(r.runs)-1]
	r.mu.Unlock()
	select {
	case <-one.done:
	case <-time.After(patience):
		if !j.excused() {
			s.violate("ws-end-lost", "the client has gone for %v: %s", patience, r)
		}
		s.count(r.client + " hung")
		return
	}
	if one.got != len(r.body) && !j.excused() {
		s.violate("ws-bytes-lost", "%d of %d bytes came before the end: %s", one.got, len(r.body), r)
	}
	s.count(r.client + " 101")
}
