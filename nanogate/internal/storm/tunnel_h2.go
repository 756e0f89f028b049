//go:build linux

package storm

import (
	"io"
	"math/rand/v2"
	"time"

	"golang.org/x/net/http2"
)

// roundTripWS2 has a tunnel made over HTTP/2 (RFC 8441), sends through it and reads from it.
func (s *Storm) roundTripWS2(rng *rand.Rand, r *request) {
	j := &judge{s: s, r: r}
	secured := s.on["c2tls"] && rng.IntN(2) == 0
	nc, err := s.dial(secured, "h2")
	if err != nil {
		s.noConnection(r.client, err)
		return
	}
	defer nc.Close()
	nc.SetReadDeadline(time.Now().Add(connTime))
	c := newH2(nc, false, 65535)
	c.complain = func(kind, what string) { s.violate(kind, "by the gateway to a client: %s", what) }
	if c.greet() != nil {
		s.count(r.client + " no-connection")
		return
	}
	go c.frames()
	scheme := "http"
	if secured {
		scheme = "https"
	}
	t, err := c.open([]field{{":method", "CONNECT"}, {":protocol", "websocket"}, {":scheme", scheme}, {":path", r.path},
		{":authority", "storm.example"}, {"sec-websocket-version", "13"}, {"x-token", r.token}}, false)
	if err != nil {
		j.cut(err)
		return
	}
	s.through(j, t)
}

// through opens the tunnel and is this end of it.
func (s *Storm) through(j *judge, t *h2stream) {
	r, c := j.r, t.c
	c.mu.Lock()
	err := t.wait(func() bool { return t.head != nil })
	c.mu.Unlock()
	if err != nil {
		j.cut(err)
		return
	}
	get := func(name string) string { return value(t.head, name) }
	if status := get(":status"); status != "200" {
		j.head(number(status), get)
		io.Copy(j, t)
		j.ended(nil)
		return
	}
	if j.head(200, get); j.of == nil {
		return
	}
	if r.abort != "" {
		r.gone.Store(true)
		t.Write(r.body[:len(r.body)/2])
		t.reset(http2.ErrCodeCancel)
		s.count(r.client + " gone")
		return
	}
	written := make(chan bool)
	go func() {
		defer close(written)
		r.allSent.Store(true)
		t.Write(r.body)
		if r.tail == "client" { // the end follows the last byte at once
			t.end(nil)
		}
	}()
	if _, err := io.Copy(j, t); err != nil {
		j.cut(err)
		c.nc.Close()
		<-written
		return
	}
	<-written
	if r.tail == "upstream" {
		t.end(nil)
	}
	if wrong := j.content.Ended(); wrong != "" && (j.content.Wrong != "" || !j.excused()) {
		s.violate("ws-body", "the client got %s, by %s: %s", wrong, j.by, r)
	}
	s.tunnelEnds(j)
}
