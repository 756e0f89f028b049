//go:build linux

package storm

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// connection2 is a client's connection over HTTP/2.
type connection2 struct {
	*h2conn
	s    *Storm
	gone atomic.Bool // the client has closed it
}

// client2 sends requests over one connection, several at once.
func (s *Storm) client2(rng *rand.Rand, kind string, end time.Time) {
	secured := kind == "c2tls" || kind == "grpc" && s.on["c2tls"] && rng.IntN(2) == 0
	nc, err := s.dial(secured, "h2")
	if err != nil {
		s.noConnection(kind, err)
		return
	}
	defer nc.Close()
	nc.SetReadDeadline(time.Now().Add(connTime))
	window := 65535
	if s.on["windows"] && rng.IntN(3) == 0 {
		window = []int{500, 5000, 20000, 1 << 20}[rng.IntN(4)]
	}
	k := &connection2{h2conn: newH2(nc, false, window), s: s}
	k.complain = func(kind, what string) { s.violate(kind, "by the gateway to a client: %s", what) }
	if k.greet() != nil {
		s.count(kind + " no-connection")
		return
	}
	go k.frames()
	var under sync.WaitGroup
	for range 1 + rng.IntN(8) {
		seed := rng.Uint64()
		under.Add(1)
		go func() {
			defer under.Done()
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 1 + rng.IntN(6) {
				if time.Now().After(end) || s.child.ended() || k.gone.Load() || k.isGoing() {
					return
				}
				if r := s.draw(rng, kind); r != nil {
					k.roundTrip(rng, r)
				}
			}
		}()
	}
	under.Wait()
}

func (c *h2conn) isGoing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.going || c.err != nil
}

// head2 is the request's head.
func (r *request) head2() []field {
	list := []field{{":method", r.method}, {":scheme", "http"}, {":path", r.path}, {":authority", "storm.example"}, {"x-token", r.token}, {"te", "trailers"}}
	if r.client == "c2tls" {
		list[1].value = "https"
	}
	switch {
	case r.client == "grpc":
		list = append(list, field{"content-type", "application/grpc"})
	case !r.chunked && len(r.body) > 0:
		list = append(list, field{"content-length", fmt.Sprint(len(r.body))})
	}
	return list
}

// roundTrip sends a request and takes its response.
func (k *connection2) roundTrip(rng *rand.Rand, r *request) {
	r.expect = false
	j := &judge{s: k.s, r: r, bare: r.method == "HEAD"}
	bodiless := len(r.body) == 0 && len(r.asked) == 0 && r.client != "grpc"
	if bodiless {
		r.allSent.Store(true)
	}
	if bodiless && r.abort == "body" {
		r.abort = "response"
	}
	s, err := k.open(r.head2(), bodiless)
	if s == nil {
		r.gone.Store(true) // never sent
		return
	}
	if err != nil {
		k.cut(j, err)
		return
	}
	if r.abort == "head" {
		r.gone.Store(true)
		s.reset(http2.ErrCodeCancel)
		k.s.count(r.client + " gone")
		return
	}
	sent := make(chan bool, 1)
	go func() { sent <- bodiless || k.send(rng, r, s) }()
	switch r.abort {
	case "body", "response":
		<-sent
		s.reset(http2.ErrCodeCancel)
		k.s.count(r.client + " gone")
		return
	case "end":
		<-sent
		k.gone.Store(true)
		r.gone.Store(true)
		closeConn(k.nc, r.hard)
		k.s.count(r.client + " gone")
		return
	}
	k.take(j, s)
	<-sent
}

// send sends the body, or half of it if the client gives up then.
func (k *connection2) send(rng *rand.Rand, r *request, s *h2stream) bool {
	body := r.body
	switch r.abort {
	case "body":
		r.gone.Store(true)
		s.Write(body[:len(body)/2])
		return false
	case "response":
		r.gone.Store(true)
	}
	for len(body) > 0 {
		n := min(len(body), 1+rng.IntN(60000))
		if _, err := s.Write(body[:n]); err != nil {
			return false
		}
		body = body[n:]
		pause(r.slow)
	}
	r.allSent.Store(true)
	return s.end(r.asked) == nil
}

// cut notes that a response is incomplete.
func (k *connection2) cut(j *judge, err error) {
	if k.gone.Load() {
		j.r.gone.Store(true)
	}
	j.cut(err)
}

// take reads the response.
func (k *connection2) take(j *judge, s *h2stream) {
	k.mu.Lock()
	err := s.wait(func() bool { return s.head != nil })
	k.mu.Unlock()
	if err != nil {
		k.cut(j, err)
		return
	}
	j.head(number(value(s.head, ":status")), func(name string) string { return value(s.head, name) })
	p := make([]byte, 8<<10)
	for got := 0; ; {
		n, err := s.Read(p)
		j.Write(p[:n])
		got += n
		if err == io.EOF {
			break
		}
		if err != nil {
			k.cut(j, err)
			return
		}
		if j.r.abort == "content" && got > j.r.want/2 {
			j.r.gone.Store(true)
			s.reset(http2.ErrCodeCancel)
			k.s.count(j.r.client + " gone")
			return
		}
		pause(j.r.slow)
	}
	k.mu.Lock()
	trailers := fieldsOf(s.trailers)
	k.mu.Unlock()
	j.ended(trailers)
}

// number is a status as a number; 0: it is none.
func number(status string) int {
	n, err := strconv.Atoi(status)
	if err != nil {
		return 0
	}
	return n
}

func fieldsOf(list []hpack.HeaderField) (fields []field) {
	for _, f := range list {
		fields = append(fields, field{f.Name, f.Value})
	}
	return fields
}
