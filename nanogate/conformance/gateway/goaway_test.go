//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// ledger is what upstreams have really done: how often each request was acted upon.
type ledger struct {
	mu    sync.Mutex
	done  map[string]int
	total atomic.Int32
}

func (l *ledger) note(request string) {
	l.mu.Lock()
	l.done[request]++
	l.mu.Unlock()
	l.total.Add(1)
}

// restarting is an upstream over HTTP/2 that goes down again and again: each time it says
// which request was the last that it acts upon, acts upon no other, and isn't there for a
// while.
type restarting struct {
	*ledger
	each   int32 // requests until it goes down; 0: never
	abrupt bool  // it closes its connection with what it has not read, else it waits for its client
	refuse int   // each so-many-th stream is refused; 0: none
	downs  atomic.Int32
}

// listen serves until the test ends.
func (s *restarting) listen(t *testing.T) (url string) {
	at := freeport.Address(t)
	ln, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	stopped := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		ln.Close()
	})
	var up func(net.Listener)
	up = func(ln net.Listener) {
		var served atomic.Int32
		down := func() {
			ln.Close()
			s.downs.Add(1)
			back := s.total.Load() + 10
			go func() {
				for s.total.Load() < back && t.Context().Err() == nil {
					time.Sleep(time.Millisecond)
				}
				mu.Lock()
				defer mu.Unlock()
				if next, err := net.Listen("tcp", at); err == nil && !stopped {
					ln = next
					go up(next)
				}
			}()
		}
		serve(ln, func(p *peer) {
			preface := make([]byte, len(xhttp2.ClientPreface))
			if _, err := io.ReadFull(p.Conn, preface); err != nil {
				return
			}
			f := newFramed(t, p.Conn)
			f.TB = quiet{t}
			f.WriteSettings()
			s.connection(f, &served, down)
		})
	}
	go up(ln)
	return "h2c://" + at
}

// connection serves one.
func (s *restarting) connection(f *framed, served *atomic.Int32, down func()) {
	paths := map[uint32]string{} // of requests that are not all in
	last, streams := uint32(0), 0
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		id := frame.Header().StreamID
		if last != 0 && id > last {
			continue // nobody looks at it
		}
		switch frame := frame.(type) {
		case *xhttp2.SettingsFrame:
			if !frame.IsAck() {
				f.WriteSettingsAck()
			}
		case *xhttp2.MetaHeadersFrame:
			if streams++; s.refuse > 0 && streams%s.refuse == 0 {
				f.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream)
				continue
			}
			paths[id] = frame.PseudoValue("path")
		case *xhttp2.DataFrame:
			path, ok := paths[id]
			if !ok || !frame.StreamEnded() {
				continue
			}
			delete(paths, id)
			s.note(path)
			f.head(id, false, ":status", "200")
			f.WriteData(id, true, []byte(path))
			if last == 0 && s.each > 0 && served.Add(1) == s.each {
				last = id
				for other := range paths {
					if other > last {
						delete(paths, other)
					}
				}
				down()
				f.WriteGoAway(last, xhttp2.ErrCodeNo, nil)
			}
			if last != 0 && len(paths) == 0 && s.abrupt {
				reset(f.Conn)
				return
			}
		}
	}
}

// One of two endpoints restarts again and again under requests that may not be sent twice.
// Nobody has a budget for retries, and every request is acted upon exactly once.
func TestRestartsLoseNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first *restarting
	}{
		{"waits", &restarting{each: 25}},
		{"abrupt", &restarting{each: 25, abrupt: true}},
		{"refuses", &restarting{each: 40, abrupt: true, refuse: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book := &ledger{done: map[string]int{}}
			first, second := tt.first, &restarting{ledger: book}
			first.ledger = book
			_, at := startLoops(t, 1, "routes: [{to: u, retry: {budget: 0%}}]\nupstreams: {u: {endpoints: [\""+first.listen(t)+"\", \""+second.listen(t)+"\"], balance: round-robin}}\n")
			const askers, each = 8, 80
			client := clientOver(t, 2)
			var asking sync.WaitGroup
			for a := range askers {
				asking.Go(func() {
					for i := range each {
						path := fmt.Sprintf("/%d/%d", a, i)
						resp, err := client.Post("http://"+at+path, "text/plain", strings.NewReader("body"))
						if err != nil {
							t.Error(err)
							return
						}
						body, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						if err != nil || resp.StatusCode != 200 || string(body) != path {
							t.Errorf("%s: %d %q, %v", path, resp.StatusCode, body, err)
							return
						}
					}
				})
			}
			asking.Wait()
			book.mu.Lock()
			defer book.mu.Unlock()
			for path, n := range book.done {
				if n != 1 {
					t.Errorf("%s was acted upon %d times", path, n)
				}
			}
			if len(book.done) != askers*each || first.downs.Load() < 3 {
				t.Errorf("%d requests were acted upon, and the endpoint went down %d times", len(book.done), first.downs.Load())
			}
		})
	}
}

// What an endpoint says before it resets its connection counts, though the gateway comes to
// read it only when that has happened, or finds by writing that it has: what hasn't been
// looked at is sent again.
func TestLastWords(t *testing.T) {
	arrived, goes := make(chan struct{}), make(chan struct{})
	held, free := make(chan struct{}), make(chan struct{})
	var connections atomic.Int32
	url := framedServer(t, func(f *framed) {
		f.TB = quiet{t}
		first := connections.Add(1) == 1
		f.requests(func(h *xhttp2.MetaHeadersFrame) {
			if !first {
				f.head(h.StreamID, true, ":status", "204")
				return
			}
			close(arrived)
			<-goes
			f.WriteGoAway(0, xhttp2.ErrCodeNo, nil)
			reset(f.Conn)
			free <- struct{}{}
		})
	})
	_, at := startUsing(t, 1, "routes: [{match: {path: /hold}, use: hold, to: u}, {to: u}]\nupstreams: {u: [\""+url+"\"]}\n",
		offer("hold", middleware.Middleware{Request: func(*request.Request) *request.Reply { // on the only loop
			held <- struct{}{}
			<-free
			return request.Refuse(418, "held", "")
		}}))
	const hold = "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"
	asks, holder, another, writes := dial(t, at), dial(t, at), dial(t, at), dial(t, at)
	asks.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody") // which may not be sent twice
	<-arrived
	holder.send(hold)
	<-held
	another.send(hold) // the loop hears of these two at once
	writes.send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody")
	free <- struct{}{}
	<-held
	close(goes)
	for name, c := range map[string]*peer{"the first": asks, "who makes it write": writes} {
		if resp, body := c.response(t, "POST"); resp.StatusCode != 204 {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
	for _, c := range []*peer{holder, another} {
		c.response(t, "GET")
	}
}

// A connection may be lost when a request is gathered for it and nothing of it is written yet:
// nobody can have acted upon it, so it is sent on another one, though it may not be sent twice.
func TestLostBeforeAnythingIsWritten(t *testing.T) {
	goes, gone := make(chan struct{}), make(chan struct{})
	held, free := make(chan struct{}), make(chan struct{})
	var connections atomic.Int32
	url := framedServer(t, func(f *framed) {
		f.TB = quiet{t}
		first := connections.Add(1) == 1
		f.requests(func(h *xhttp2.MetaHeadersFrame) {
			f.head(h.StreamID, true, ":status", "204")
			if first {
				<-goes
				reset(f.Conn)
				close(gone)
			}
		})
	})
	_, at := startUsing(t, 1, "routes: [{match: {path: /hold}, use: hold, to: u}, {to: u}]\nupstreams: {u: [\""+url+"\"]}\n",
		offer("hold", middleware.Middleware{Request: func(*request.Request) *request.Reply { // on the only loop
			held <- struct{}{}
			<-free
			return request.Refuse(418, "held", "")
		}}))
	holder, asks := dial(t, at), dial(t, at)
	asks.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	asks.response(t, "GET")
	holder.send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n")
	<-held
	asks.send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody") // the loop hears of this first,
	close(goes)                                                               // and of that in the same batch
	<-gone
	free <- struct{}{}
	holder.response(t, "GET")
	if resp, body := asks.response(t, "POST"); resp.StatusCode != 204 || connections.Load() != 2 {
		t.Errorf("%d %s, on %d connections", resp.StatusCode, body, connections.Load())
	}
}
