//go:build linux

package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
)

// A host name that comes with a change is resolved before the change is served.
func TestApplyAwaitsNames(t *testing.T) {
	upstream, _ := respondingWith(t, ok)
	g, at := start(t, "routes: [{to: u}]\nupstreams: {u: [\""+upstream+"\"]}\n")
	c, err := config.Parse("test.yaml", []byte("listen: "+at+"\nroutes: [{to: u}]\nupstreams: {u: [\""+strings.Replace(upstream, "127.0.0.1", "localhost", 1)+"\"]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	g.Apply(c)
	if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
		t.Errorf("after the change: %s", resp.Status)
	}
}

// While configurations and endpoints come and go under load, no request fails and no
// client's connection is closed.
func TestApplyUnderLoad(t *testing.T) {
	var upstreams []string
	for range 4 {
		at, _ := respondingWith(t, ok)
		upstreams = append(upstreams, at)
	}
	text := func(i int) string {
		return fmt.Sprintf("routes:\n  - {match: {path: \"/a/*\"}, to: u, timeout: %ds}\n  - {match: {path: \"/*\"}, to: {u: 1, v: 1}}\nupstreams: {u: {endpoints: [%q, %q], balance: round-robin}, v: [%q]}\n",
			60+i%2, upstreams[i%4], upstreams[(i+1)%4], upstreams[i%3])
	}
	g, at := start(t, text(0))
	var stop atomic.Bool
	var served atomic.Int64
	var clients sync.WaitGroup
	for i := range 4 {
		client := dial(t, at)
		clients.Go(func() {
			request := fmt.Appendf(nil, "%s /%s HTTP/1.1\r\nHost: h\r\n\r\n", []string{"GET", "DELETE"}[i%2], []string{"a/b", "c"}[i/2])
			got := make([]byte, len(ok))
			for !stop.Load() {
				client.Write(request)
				if _, err := io.ReadFull(client.r, got); err != nil || !bytes.HasSuffix(got, []byte("\r\n\r\nOK")) {
					t.Errorf("%q, %v", got, err)
					return
				}
				served.Add(1)
			}
		})
	}
	for i := range 60 {
		c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+text(i)))
		if err != nil {
			t.Fatal(err)
		}
		for before := served.Load(); served.Load() < before+5 && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
		g.Apply(c)
	}
	stop.Store(true)
	clients.Wait()
}

// Endpoints that come and go do so without a failed request too, and without what was
// known of those that stay being lost.
func TestEndpointsComeAndGo(t *testing.T) {
	one, first := respondingWith(t, ok)
	two, second := respondingWith(t, ok)
	g, at := startLoops(t, 1, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+one+"\"], balance: round-robin}}\n")
	client := dial(t, at)
	for _, have := range [][]string{{one}, {one, two}, {two}, {two, one}, {one}} {
		c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{to: u}]\nupstreams: {u: {endpoints: ["+quoted(have)+"], balance: round-robin}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		g.Apply(c)
		a, b := first.Load(), second.Load()
		for range 4 {
			client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			if resp, body := client.response(t, "GET"); body != "OK" {
				t.Fatalf("with %v: %d %s", have, resp.StatusCode, body)
			}
		}
		got := [2]int32{first.Load() - a, second.Load() - b}
		want := [2]int32{4, 0}
		if len(have) == 2 {
			want = [2]int32{2, 2}
		} else if have[0] == two {
			want = [2]int32{0, 4}
		}
		if got != want {
			t.Errorf("with %v they were asked %v times", have, got)
		}
	}
}

func quoted(list []string) (text string) {
	for i, s := range list {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", s)
	}
	return text
}
