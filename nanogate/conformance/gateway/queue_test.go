//go:build linux

package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/metrics"
)

// gated is an upstream that responds to each request when it is let.
func gated(t *testing.T) (address string, arrived chan string, let chan bool) {
	arrived, let = make(chan string, 100), make(chan bool)
	address = scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			arrived <- r.URL.Path + r.body
			<-let
			if _, err := io.WriteString(p, ok); err != nil {
				return
			}
		}
	})
	return address, arrived, let
}

// waits are the queue's of the first route, or of the first upstream.
func waits(g *gateway.Gateway) limit.Waits {
	s := g.Snapshot()
	all := s.Routes[0].Limits()
	for _, u := range s.Upstreams {
		all = append(all[:len(all):len(all)], u.Limits...)
	}
	for _, l := range all {
		if w, ok := l.(limit.Queued).Waits(); ok {
			return w
		}
	}
	return limit.Waits{}
}

func until(t *testing.T, g *gateway.Gateway, what string, is func(w limit.Waits) bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(waits(g)); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %+v", what, waits(g))
		}
	}
}

// What finds no place waits for one, in its order, with all that it was sent with; what
// finds no room to wait, or waits for too long, is refused. It is the same for a route's
// queue and for an upstream's.
func TestQueue(t *testing.T) {
	const rules = "concurrency: {most: 1, queue: {size: 2, wait: 20s}}"
	for name, text := range map[string]string{
		"route":    "routes: [{match: {path: \"/{x}\"}, rewrite: \"/of/{x}\", " + rules + ", to: u}]\nupstreams: {u: [\"%s\"]}\n",
		"upstream": "routes: [{match: {path: \"/{x}\"}, rewrite: \"/of/{x}\", to: u}]\nupstreams: {u: {endpoints: [\"%s\"], " + rules + "}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			upstream, arrived, let := gated(t)
			g, at := start(t, fmt.Sprintf(text, upstream))
			send := func(request string) *peer {
				c := dial(t, at)
				c.send("%s", request)
				return c
			}
			first := send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
			if got := <-arrived; got != "/of/a" {
				t.Fatal(got)
			}
			second := send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello")
			until(t, g, "the second waits", func(w limit.Waits) bool { return w.Waiting == 1 })
			gone := send("GET /gone HTTP/1.1\r\nHost: h\r\n\r\n")
			until(t, g, "the third waits", func(w limit.Waits) bool { return w.Waiting == 2 })
			if resp, _ := ask(t, at, "GET /d HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
				t.Errorf("the fourth gets %s", resp.Status)
			}
			gone.Close()
			until(t, g, "the third has left", func(w limit.Waits) bool { return w.Gone == 1 && w.Waiting == 1 })
			last := send("GET /e HTTP/1.1\r\nHost: h\r\n\r\nGET /f HTTP/1.1\r\nHost: h\r\n\r\n")
			until(t, g, "the fifth waits", func(w limit.Waits) bool { return w.Waiting == 2 })
			for i, want := range []string{"/of/bhello", "/of/e", "/of/f"} {
				let <- true
				if got := <-arrived; got != want {
					t.Errorf("%d: %s arrives, want %s", i, got, want)
				}
			}
			let <- true
			for i, c := range []*peer{first, second, last, last} {
				if resp, _ := c.response(t, "GET"); resp.StatusCode != 200 {
					t.Errorf("%d: %s", i, resp.Status)
				}
			}
			if w := waits(g); w.Admitted < 2 || w.Full != 1 || w.Gone != 1 || w.Late != 0 || w.Waiting != 0 {
				t.Errorf("%+v", w)
			}
			series := "nanogate_queue_requests_total{" + map[string]string{"route": "route=\"route-1\"", "upstream": "upstream=\"u\""}[name] + ",result=\"gone\"} 1\n"
			if text := string(metrics.Text(g, false)); !strings.Contains(text, series) {
				t.Errorf("the metrics don't have %s", series)
			}
		})
	}
}

// Who waits for as long as one may is refused then, over HTTP/2 too, and the place isn't
// lost.
func TestQueueLate(t *testing.T) {
	upstream, arrived, let := gated(t)
	g, at := start(t, "routes: [{concurrency: {most: 1, queue: {wait: 20ms}}, to: http://"+upstream+"}]\n")
	first := dial(t, at)
	first.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	<-arrived
	if resp, _ := ask(t, at, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 503 {
		t.Errorf("the second gets %s", resp.Status)
	}
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+at+"/c", nil)
	resp, err := transport.RoundTrip(r)
	if err != nil || resp.StatusCode != 503 {
		t.Errorf("the third gets %v, %v", resp, err)
	}
	if err == nil {
		resp.Body.Close()
	}
	if w := waits(g); w.Late != 2 {
		t.Errorf("%+v", w)
	}
	let <- true
	first.response(t, "GET")
	go func() { let <- true }()
	if resp, _ := ask(t, at, "GET /d HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
		t.Errorf("with a place it gets %s", resp.Status)
	}
}

// A request that waits for its place allocates nothing either.
func TestQueueDoesNotAllocate(t *testing.T) {
	let := make(chan bool)
	upstream := scripted(t, func(p *peer) {
		buf, response := make([]byte, 64<<10), []byte(ok)
		for {
			if _, err := p.Read(buf); err != nil {
				return
			}
			<-let
			p.Write(response)
		}
	})
	g, at := startLoops(t, 1, "routes: [{limit: {rate: 1000000/s}, concurrency: {most: 1, queue: {wait: 20s}}, to: http://"+upstream+"}]\n")
	var queue limit.Queued
	for _, l := range g.Snapshot().Routes[0].Limits() {
		if q, is := l.(limit.Queued); is {
			if _, ok := q.Waits(); ok {
				queue = q
			}
		}
	}
	first, second := dial(t, at), dial(t, at)
	request, got := []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), make([]byte, len(ok))
	cycle := func() {
		first.Conn.Write(request)
		second.Conn.Write(request)
		for {
			if w, _ := queue.Waits(); w.Waiting == 1 {
				break
			}
			time.Sleep(10 * time.Microsecond)
		}
		for range 2 {
			let <- true
		}
		for _, c := range [...]*peer{first, second} {
			if _, err := io.ReadFull(c.Conn, got); err != nil || string(got[:15]) != "HTTP/1.1 200 OK" {
				t.Fatalf("%v, %s", err, got)
			}
		}
	}
	noAllocations(t, "two requests", cycle)
}
