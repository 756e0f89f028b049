package mirror

import (
	"strings"
	"testing"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
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
	m, err := New(c.Routes[0].Mirror, u, Options{Host: c.Routes[0].Mirror.Host})
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

// responseOf is a response as it is captured.
func responseOf(t testing.TB, head, content string) (a capturedResponse) {
	t.Helper()
	a.head = []byte(head)
	if n, err := a.parsed.Parse(a.head, false, nil); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	a.status, a.content, a.length = a.parsed.Status, []byte(content), int64(len(content))
	return a
}

// loop is what an event loop does for mirrored requests, all of which get the response that
// they got first.
type loop struct {
	local             upstream.Local
	head              http1.Request
	out, body         []byte // that were sent last
	response, content []byte
}

func newLoop() *loop {
	return &loop{local: upstream.Local{Seed: 1}, response: []byte("HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 1000\r\n\r\n"), content: make([]byte, 1000)}
}

// ask has a request's own endpoint respond to it. It reports whether its copy waits.
func (l *loop) ask(m *Mirror, r *request.Request, now int64) bool {
	c := m.Take(r, &l.local)
	if c == nil {
		return false
	}
	c.Request(l.content)
	c.Response(200, l.response)
	c.Content(l.content)
	return c.End(r.Buf, &request.Outcome{Status: 200, Upstream: true, Forwarded: now}, true, now)
}

// send sends what waits, and has the shadow respond.
func (l *loop) send(m *Mirror, now int64) {
	for c := m.Next(); c != nil; c = m.Next() {
		l.head.Reset()
		l.head.Parse(c.Head(), nil)
		l.out, l.body = c.AppendHead(l.out[:0], &l.head), c.Body(l.body)
		c.Response(200, l.response)
		c.Content(l.content)
		c.ShadowDone(c.Endpoint(), &request.Outcome{Status: 200, Upstream: true, Forwarded: now}, now)
	}
}

// Mirroring a request allocates nothing, whether the queue has room or not, as long as the
// responses are the same and no documents; nor does a request that isn't mirrored.
func TestMirroringDoesNotAllocate(t *testing.T) {
	text := "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n"
	now := time.Now().UnixNano()
	for name, c := range map[string]struct {
		fields  string
		sends   bool
		isSame  bool
		dropped bool
	}{
		"sent":           {", methods: [POST], host: other, request-headers: {set: {x-a: b}}, compare: {headers: [server], body: true}", true, true, false},
		"dropped":        {", methods: [POST], queue: 1", false, false, true},
		"none":           {", methods: [POST], share: 0", true, false, false},
		"another method": {", methods: [PUT]", true, false, false},
	} {
		m, l, r := mirrorOf(t, c.fields), newLoop(), requestOf(t, text)
		once := func() {
			if l.ask(m, r, now); c.sends {
				l.send(m, now)
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
		counts := m.Record.Read()
		if (counts.Same > 0) != c.isSame || (counts.Dropped[Queue] > 0) != c.dropped || counts.Different+counts.Failed+counts.Unread > 0 {
			t.Errorf("%s: %+v", name, counts)
		}
		if m.Close(); m.held.Load() != 0 {
			t.Errorf("%s: %d bytes are held by nobody", name, m.held.Load())
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
			c.Drop(Closed)
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
