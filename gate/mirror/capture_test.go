package mirror

import (
	"strings"
	"testing"
	"time"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/gate/upstream"
	"dyno/nano/wire/http1"
)

// mirrorOf makes a mirror of a file's first route, whose shadow is nowhere.
func mirrorOf(t *testing.T, fields string) *Mirror {
	t.Helper()
	c, err := config.Parse("f", []byte("listen: 127.0.0.1:1\nroutes: [{to: u, mirror: {to: u"+fields+"}}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := upstream.Registry{Loops: 1}
	u := r.New(c.Upstreams[0], upstream.Parts{})
	t.Cleanup(u.Close)
	m, err := New(c.Routes[0].Mirror, u, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func requestOf(t *testing.T, text string) *request.Request {
	t.Helper()
	head, r := &http1.Request{}, &request.Request{}
	if n, err := head.Parse([]byte(text), nil); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	r.Begin(head, []byte(text))
	r.Path = r.RawPath()
	return r
}

// What a loop does for a request that is mirrored allocates nothing, whether the shadow's
// queue has room or not; nor does a request that isn't mirrored.
func TestCapturesDoNotAllocate(t *testing.T) {
	text := "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
	content, now := make([]byte, 1000), time.Now().UnixNano()
	for name, fields := range map[string]string{"none": ", share: 0", "all": ", queue: 1, concurrency: 1, timeout: 1ms, compare: {body: true}", "another method": ", methods: [PUT]"} {
		m := mirrorOf(t, fields)
		m.Close() // nothing is sent: what goes on on other goroutines allocates
		r, local, o := requestOf(t, text), upstream.Local{Seed: 1}, request.Outcome{Status: 200, Upstream: true, Asked: now}
		once := func() {
			if c := m.Take(r, &local); c != nil {
				c.Response(200, answer)
				c.Content(content)
				c.End([]byte(text), &o, true, now)
			}
		}
		for range 10 {
			once()
		}
		least := testing.AllocsPerRun(1000, once)
		for range 5 { // a collection takes what is spare
			least = min(least, testing.AllocsPerRun(1000, once))
		}
		if least > 0.05 {
			t.Errorf("%s: %v allocations", name, least)
		}
		if held := m.held.Load(); held != 0 {
			t.Errorf("%s: %d bytes are held by nobody", name, held)
		}
	}
}

// The share is the share, and the bounds of bytes hold whatever comes.
func TestTake(t *testing.T) {
	m := mirrorOf(t, ", share: 25%")
	r, local, taken := requestOf(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), upstream.Local{Seed: 7}, 0
	for range 4000 {
		if c := m.Take(r, &local); c != nil {
			taken++
			c.drop(Closed)
			m.recycle(c)
		}
	}
	if taken < 850 || taken > 1150 { // more than five standard deviations
		t.Errorf("%d of 4000 requests, expected a quarter", taken)
	}
	bounded := mirrorOf(t, ", memory: 64KiB, methods: [POST], body: 1MiB")
	post := requestOf(t, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
	var all []*Capture
	for range 10 {
		c := bounded.Take(post, &local)
		for range 20 {
			c.Request([]byte(strings.Repeat("x", 1000)))
			if held := bounded.held.Load(); held > 64<<10 {
				t.Fatalf("%d bytes are held", held)
			}
		}
		all = append(all, c)
	}
	whole := 0
	for _, c := range all {
		if !c.dropped {
			whole++
		}
		bounded.recycle(c)
	}
	if dropped := bounded.Record.Read().Dropped[Memory]; whole != 3 || dropped != 7 || bounded.held.Load() != 0 {
		t.Errorf("%d whole, %d dropped, %d bytes held in the end", whole, dropped, bounded.held.Load())
	}
}
