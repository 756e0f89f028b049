//go:build linux

package gate_test

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A request that one endpoint doesn't answer is answered by another, and the first
// connection is closed.
func TestHedge(t *testing.T) {
	gone := make(chan bool, 100)
	var asked atomic.Int32
	silent := scripted(t, func(p *peer) {
		if r, err := p.request(); err == nil {
			asked.Add(1)
			if r.Method == "POST" {
				p.send(ok)
			}
		}
		io.Copy(io.Discard, p)
		gone <- true
	})
	quick, _ := answering(t, ok)
	g, at := start(t, "routes: [{hedge: {after: 5ms, budget: 100%}, to: u}]\nupstreams: {u: {endpoints: [\""+silent+"\", \""+quick+"\"], balance: round-robin}}\n")
	for range 10 {
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); body != "OK" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
	if asked.Load() == 0 {
		t.Fatal("the silent one was never asked")
	}
	for range asked.Load() {
		<-gone
	}
	if under := g.Snapshot().Upstream("u").Set().All[0].Under(); under != 0 {
		t.Errorf("%d requests are still counted there", under)
	}
}

// When one of the two fails the other one's response is taken; when both do the client
// hears of it once.
func TestHedgeFails(t *testing.T) {
	var asked atomic.Int32
	second := make(chan bool, 2)
	failing := func(answer string) string {
		return scripted(t, func(p *peer) {
			if _, err := p.request(); err != nil {
				return
			}
			if asked.Add(1)%2 == 1 { // the first of the two closes when the second was asked
				select {
				case <-second:
				case <-time.After(patience):
				}
				return
			}
			second <- true
			p.send("%s", answer)
		})
	}
	for want, answers := range map[int][2]string{200: {ok, ok}, 502: {"nonsense\r\n\r\n", "nonsense\r\n\r\n"}} {
		asked.Store(0)
		_, at := start(t, "routes: [{hedge: {after: 2ms, budget: 100%}, retry: {attempts: 1}, to: u}]\nupstreams: {u: {endpoints: [\""+failing(answers[0])+"\", \""+failing(answers[1])+"\"], balance: round-robin}}\n")
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != want {
			t.Errorf("%d %s, want %d", resp.StatusCode, body, want)
		}
	}
}

// A host that is the endpoint's own is that of the endpoint that is asked in the end.
func TestRetryHost(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := ln.Addr().String()
	ln.Close()
	a := echoing(t, "a")
	_, at := start(t, "routes: [{host: upstream, to: u}]\nupstreams: {u: {endpoints: [\""+nobody+"\", \""+a+"\"], balance: round-robin}}\n")
	for range 4 {
		if _, body := get(t, at, "/"); !strings.Contains(body, "host="+a+" ") {
			t.Errorf("%s", body)
		}
	}
}
