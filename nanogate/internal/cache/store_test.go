package cache

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// wall is a time of the tests, which know no other clock.
var wall = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// began is the same moment on the clock of the loops.
const began = int64(1e15)

// requested parses a request.
func requested(t testing.TB, text string) *request.Request {
	t.Helper()
	r := &request.Request{}
	head := &http1.Request{}
	head.Reset()
	b := []byte(strings.ReplaceAll(text, "\n", "\r\n") + "\r\n\r\n")
	if n, err := head.Parse(b, nil); n != len(b) || err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	r.Begin(head, b)
	r.Path = r.RawPath()
	return r
}

// stored stores the response to a request at the time that both clocks begin with, and returns
// it; nil if it isn't stored.
func stored(t testing.TB, s *Store, p *Policy, question, response, body string) *Response {
	t.Helper()
	r := requested(t, question)
	var head http1.ResponseHead
	b := []byte(strings.ReplaceAll(response, "\n", "\r\n") + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n")
	if n, err := head.Parse(b, false, nil); n != len(b) || err != nil {
		t.Fatalf("%q: %v", response, err)
	}
	var a RequestFields
	a.Read(r, true)
	var named translate.Named
	named.Read(head.Fields, b)
	url := AppendURL(nil, r)
	f := s.Begin(p, s.KeyOf(url), url, s.Epoch(), &UpstreamResponse{Head: &head, Buf: b, Named: &named, Sent: &UpstreamRequest{Request: r}, Authorized: a.Authorized, Requested: began, Now: began, Wall: wall.Unix()})
	if f == nil {
		return nil
	}
	f.Write([]byte(body))
	return f.Finish()
}

// found looks for a request.
func found(t testing.TB, s *Store, question string) *Response {
	t.Helper()
	r := requested(t, question)
	url := AppendURL(nil, r)
	var chosen []byte
	v, _ := s.Find(s.KeyOf(url), url, Key{}, &UpstreamRequest{Request: r}, &chosen, 0)
	return v
}

const get = "GET / HTTP/1.1\nHost: h"

// What a response and the next request say decides what is done with it after a time.
func TestJudge(t *testing.T) {
	date := func(after time.Duration) string { return wall.Add(after).Format(http.TimeFormat) }
	route := &Policy{Obey: true, WhileRevalidate: 20 * time.Second, IfError: 40 * time.Second}
	type at map[time.Duration]Decision
	for _, c := range []struct {
		name, response, request string
		policy                  *Policy
		want                    at
	}{
		{"max-age", "Cache-Control: max-age=10", "", nil, at{0: Give, 9 * time.Second: Give, 10 * time.Second: Validate}},
		{"s-maxage counts more", "Cache-Control: max-age=1, s-maxage=10", "", nil, at{9 * time.Second: Give, 10 * time.Second: Validate}},
		{"age counts", "Cache-Control: max-age=10\nAge: 4", "", nil, at{5 * time.Second: Give, 6 * time.Second: Validate}},
		{"the first of two ages", "Cache-Control: max-age=10\nAge: 4, 8", "", nil, at{5 * time.Second: Give, 6 * time.Second: Validate}},
		{"so does the date", "Cache-Control: max-age=10\nDate: " + date(-4*time.Second), "", nil, at{5 * time.Second: Give, 6 * time.Second: Validate}},
		{"a date to come doesn't", "Cache-Control: max-age=10\nDate: " + date(time.Hour), "", nil, at{9 * time.Second: Give, 10 * time.Second: Validate}},
		{"the first of two lines of ages", "Cache-Control: max-age=10\nAge: 0\nAge: 8", "", nil, at{9 * time.Second: Give, 10 * time.Second: Validate}},
		{"expires with a digit too few", "ETag: \"e\"\nExpires: Thu, 18 Aug 2050 2:01:18 GMT", "", nil, at{0: Validate}},
		{"expires with a space too many", "ETag: \"e\"\nExpires: Thu, 18  Aug 2050 02:01:18 GMT", "", nil, at{0: Validate}},
		{"expires by RFC 850", "Expires: Thursday, 18-Aug-50 02:01:18 GMT", "", nil, at{0: Give}},
		{"expires as C has it", "Expires: Thu Aug 18 02:01:18 2050", "", nil, at{0: Give}},
		{"expires", "Date: " + date(0) + "\nExpires: " + date(10*time.Second), "", nil, at{9 * time.Second: Give, 10 * time.Second: Validate}},
		{"max-age counts more", "Cache-Control: max-age=10\nDate: " + date(0) + "\nExpires: " + date(-time.Hour), "", nil, at{9 * time.Second: Give}},
		{"heuristic", "Last-Modified: " + date(-100*time.Second), "", &Policy{Heuristic: time.Minute}, at{9 * time.Second: Give, 10 * time.Second: Validate}},
		{"heuristic, bounded", "Last-Modified: " + date(-100*time.Hour), "", &Policy{Heuristic: time.Minute}, at{59 * time.Second: Give, 60 * time.Second: Validate}},
		{"no heuristic", "Last-Modified: " + date(-100*time.Second), "", nil, at{0: Validate}},
		{"no-cache", "Cache-Control: no-cache, max-age=10\nETag: \"a\"", "", route, at{0: Validate, 15 * time.Second: Validate}},
		{"the client's no-cache", "Cache-Control: max-age=10", "Cache-Control: no-cache", nil, at{0: Validate}},
		{"that is ignored", "Cache-Control: max-age=10", "Cache-Control: no-cache\nPragma: no-cache", &Policy{}, at{0: Give}},
		{"the client's max-age", "Cache-Control: max-age=10", "Cache-Control: max-age=5", nil, at{5 * time.Second: Give, 6 * time.Second: Validate}},
		{"min-fresh", "Cache-Control: max-age=10", "Cache-Control: min-fresh=4", nil, at{6 * time.Second: Give, 7 * time.Second: Validate}},
		{"max-stale", "Cache-Control: max-age=10", "Cache-Control: max-stale=5", nil, at{15 * time.Second: GiveStale, 16 * time.Second: Validate}},
		{"max-stale, any", "Cache-Control: max-age=10", "Cache-Control: max-stale", nil, at{1000 * time.Hour: GiveStale}},
		{"max-stale, not of that", "Cache-Control: max-age=10, must-revalidate", "Cache-Control: max-stale=5", nil, at{9 * time.Second: Give, 11 * time.Second: Validate}},
		{"stale-while-revalidate", "Cache-Control: max-age=10, stale-while-revalidate=5", "", nil, at{9 * time.Second: Give, 14 * time.Second: GiveAndRefresh, 15 * time.Second: Validate}},
		{"it counts more than the route's", "Cache-Control: max-age=10, stale-while-revalidate=5", "", route, at{15 * time.Second: Validate}},
		{"the route's", "Cache-Control: max-age=10", "", route, at{29 * time.Second: GiveAndRefresh, 30 * time.Second: Validate}},
		{"not of s-maxage", "Cache-Control: s-maxage=10", "", route, at{9 * time.Second: Give, 11 * time.Second: Validate}},
		{"unless it says so", "Cache-Control: s-maxage=10, stale-while-revalidate=5", "", route, at{11 * time.Second: GiveAndRefresh, 16 * time.Second: Validate}},
		{"must-revalidate", "Cache-Control: max-age=10, must-revalidate, stale-while-revalidate=5", "", route, at{11 * time.Second: Validate}},
		{"proxy-revalidate", "Cache-Control: max-age=10, proxy-revalidate", "", route, at{11 * time.Second: Validate}},
	} {
		p := c.policy
		if p == nil {
			p = &Policy{Obey: true}
		}
		v := stored(t, New(1<<20, 1<<16), p, get, "HTTP/1.1 200 OK\n"+c.response, "body")
		if v == nil {
			// It is worth no room, unless it can be asked about.
			v = stored(t, New(1<<20, 1<<16), p, get, "HTTP/1.1 200 OK\nETag: \"a\"\n"+c.response, "body")
		}
		if v == nil {
			t.Errorf("%s: it isn't stored", c.name)
			continue
		}
		var a RequestFields
		question := get
		if c.request != "" {
			question += "\n" + c.request
		}
		a.Read(requested(t, question), p.Obey)
		for after, want := range c.want {
			if got := p.Judge(v, &a, began+int64(after)); got != want {
				t.Errorf("%s, after %v: %d, want %d", c.name, after, got, want)
			}
		}
	}
}

func TestInPlace(t *testing.T) {
	for _, c := range []struct {
		control, request string
		route, within    time.Duration // the route's stale-if-error, and up to when it is given
	}{
		{"max-age=10", "", 0, 10 * time.Second},
		{"max-age=10", "", time.Minute, 70 * time.Second},
		{"max-age=10, stale-if-error=5", "", time.Minute, 15 * time.Second},
		{"max-age=10", "stale-if-error=7", 0, 17 * time.Second},
		{"s-maxage=10", "stale-if-error=7", time.Minute, 10 * time.Second},
		{"s-maxage=10, stale-if-error=5", "", 0, 15 * time.Second},
		{"max-age=10, must-revalidate, stale-if-error=5", "", time.Minute, 0},
		{"no-cache, max-age=10, stale-if-error=5", "", time.Minute, 0},
	} {
		p := &Policy{Obey: true, IfError: c.route}
		v := stored(t, New(1<<20, 1<<16), p, get, "HTTP/1.1 200 OK\nETag: \"a\"\nCache-Control: "+c.control, "")
		var a RequestFields
		a.Read(requested(t, get+"\nCache-Control: "+c.request), true)
		for _, at := range []time.Duration{c.within - time.Second, c.within} {
			if got, want := p.InPlace(v, &a.Control, began+int64(at)), at < c.within && c.within > 0; got != want {
				t.Errorf("%s, %s, %v: %v after %v", c.control, c.request, c.route, got, at)
			}
		}
	}
}

func TestStored(t *testing.T) {
	const fresh = "\nCache-Control: max-age=60"
	for _, c := range []struct {
		name, request, response string
		want                    bool
	}{
		{"fresh", get, "HTTP/1.1 200 OK" + fresh, true},
		{"any status that says so", get, "HTTP/1.1 299 Whatever" + fresh, true},
		{"an error that says so", get, "HTTP/1.1 503 Service Unavailable" + fresh, true},
		{"with a validator", get, "HTTP/1.1 200 OK\nETag: \"a\"", true},
		{"nothing said", get, "HTTP/1.1 200 OK", false},
		{"nothing said, not by itself", get, "HTTP/1.1 302 Found\nETag: \"a\"", false},
		{"part", get, "HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-3/9" + fresh, false},
		{"not modified", get, "HTTP/1.1 304 Not Modified" + fresh, false},
		{"no-store", get, "HTTP/1.1 200 OK\nCache-Control: No-Store, max-age=60", false},
		{"must-understand", get, "HTTP/1.1 200 OK\nCache-Control: no-store, must-understand, max-age=60", true},
		{"must-understand what nobody does", get, "HTTP/1.1 299 Whatever\nCache-Control: must-understand, max-age=60", false},
		{"private", get, "HTTP/1.1 200 OK\nCache-Control: private, max-age=60", false},
		{"cookie", get, "HTTP/1.1 200 OK\nSet-Cookie: a=b" + fresh, false},
		{"credentials", get + "\nAuthorization: a", "HTTP/1.1 200 OK" + fresh, false},
		{"credentials, public", get + "\nAuthorization: a", "HTTP/1.1 200 OK\nCache-Control: public, max-age=60", true},
		{"credentials, s-maxage", get + "\nAuthorization: a", "HTTP/1.1 200 OK\nCache-Control: s-maxage=60", true},
		{"credentials, must-revalidate", get + "\nAuthorization: a", "HTTP/1.1 200 OK\nCache-Control: must-revalidate, max-age=60", true},
		{"vary", get, "HTTP/1.1 200 OK\nVary: Accept, Origin" + fresh, true},
		{"vary by anything", get, "HTTP/1.1 200 OK\nVary: Accept, *" + fresh, false},
		{"vary by what the gateway writes", get, "HTTP/1.1 200 OK\nVary: X-Forwarded-For" + fresh, false},
		{"vary by what the URL says", get, "HTTP/1.1 200 OK\nVary: X-Forwarded-Proto, Host" + fresh, true},
		{"vary by too much", get, "HTTP/1.1 200 OK\nVary: a,b,c,d,e,f,g,h,i" + fresh, false},
		{"tags", get, "HTTP/1.1 200 OK\nCache-Tag: a, b\nSurrogate-Key: c d" + fresh, true},
		{"too many tags", get, "HTTP/1.1 200 OK\nSurrogate-Key: " + strings.Repeat("a ", mostTags+1) + fresh, false},
		{"too large", get, "HTTP/1.1 200 OK\nX-A: " + strings.Repeat("a", 7000) + fresh, false},
	} {
		s := New(1<<20, 6<<10)
		v := stored(t, s, &Policy{}, c.request, c.response, "body")
		if got := v != nil; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := found(t, s, c.request) != nil; got != c.want {
			t.Errorf("%s: found: %v", c.name, got)
		}
	}
}

// A store that is full lets go of what is asked for least, and holds no more than it may.
func TestFull(t *testing.T) {
	const size = 1 << 20
	s := New(size, 64<<10)
	body := strings.Repeat("x", 10_000)
	for i := range 500 {
		if stored(t, s, &Policy{}, fmt.Sprintf("GET /%d HTTP/1.1\nHost: h", i), "HTTP/1.1 200 OK\nCache-Control: max-age=60", body) == nil {
			t.Fatal("a response wasn't taken")
		}
	}
	s.urls.CleanUp()
	f := s.Read()
	if f.Bytes > size || f.Bytes < size/2 || f.Evicted < 350 || f.URLs > size/10_000 {
		t.Errorf("%+v", f)
	}
	s.Resize(size/4, 64<<10)
	if f := s.Read(); f.Bytes > size/4 {
		t.Errorf("made smaller: %+v", f)
	}
}

// No more bytes than a quarter of the store are on their way into it, and what doesn't get
// there gives its room back.
func TestFilling(t *testing.T) {
	s := New(1<<20, 200<<10)
	begin := func(length string) *Fill {
		var head http1.ResponseHead
		b := []byte("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + length + "\r\n\r\n")
		if _, err := head.Parse(b, false, nil); err != nil {
			t.Fatal(err)
		}
		r := requested(t, get)
		url := AppendURL(nil, r)
		return s.Begin(&Policy{}, s.KeyOf(url), url, s.Epoch(), &UpstreamResponse{Head: &head, Buf: b, Named: &translate.Named{}, Sent: &UpstreamRequest{Request: r}, Requested: began, Now: began, Wall: wall.Unix()})
	}
	first, second := begin("Content-Length: 150000"), begin("Content-Length: 150000")
	if first == nil || second != nil {
		t.Fatalf("%v, %v: one has room beside it", first, second)
	}
	unsized := begin("Transfer-Encoding: chunked")
	if unsized == nil || !unsized.Write(make([]byte, 50_000)) || unsized.Write(make([]byte, 100_000)) {
		t.Error("a response whose length isn't told has the room that there is")
	}
	if first.Write(make([]byte, 150_001)) {
		t.Error("there is more than was told")
	}
	short := begin("Content-Length: 10")
	if !short.Write(make([]byte, 9)) || short.Finish() != nil {
		t.Error("a response that is cut is stored")
	}
	if left := s.filling.Load(); left != 0 {
		t.Errorf("%d bytes are taken still", left)
	}
	if f := begin("Content-Length: 250000"); f != nil {
		t.Error("it is larger than may be")
	}
}

func TestPurge(t *testing.T) {
	s := New(1<<20, 1<<16)
	store := func(path, tags string) {
		stored(t, s, &Policy{}, "GET "+path+" HTTP/1.1\nHost: h", "HTTP/1.1 200 OK\nCache-Control: max-age=60\n"+tags, "")
	}
	is := func(path string) bool { return found(t, s, "GET "+path+" HTTP/1.1\nHost: h") != nil }
	store("/a", "Cache-Tag: one, two")
	store("/b", "Surrogate-Key: two three")
	store("/c", "X-A: a")
	if n := s.PurgeTag("tw"); n != 0 {
		t.Errorf("%d have a tag that begins so", n)
	}
	if n := s.PurgeTag("two"); n != 2 || is("/a") || is("/b") || !is("/c") {
		t.Errorf("%d, %v, %v, %v", n, is("/a"), is("/b"), is("/c"))
	}
	url, err := ParseURL("HTTP://H:80/x/../c", request.Keeps{})
	if err != nil || !s.Invalidate(s.KeyOf(url)) || is("/c") {
		t.Errorf("%s, %v", url, err)
	}
	store("/a", "X-A: a")
	if n := s.PurgeAll(); n != 1 || is("/a") {
		t.Errorf("%d", n)
	}
}

// What was asked for before a purge and comes after it isn't stored.
func TestPurgedOnTheWay(t *testing.T) {
	for name, purge := range map[string]func(s *Store, key Key){
		"url": func(s *Store, key Key) { s.Invalidate(key) },
		"tag": func(s *Store, _ Key) { s.PurgeTag("one") },
		"all": func(s *Store, _ Key) { s.PurgeAll() },
		"too many to know": func(s *Store, _ Key) {
			for i := range len(s.purges.last) + 1 {
				s.Invalidate(Key{uint64(i)})
			}
		},
		"": func(s *Store, _ Key) { s.PurgeTag("other") },
	} {
		s := New(1<<20, 1<<16)
		key := s.KeyOf([]byte("u"))
		epoch := s.Epoch()
		purge(s, key)
		v := &Response{tags: []byte("\none\n")}
		if got := s.put(key, []byte("u"), v, epoch); got != (name == "") {
			t.Errorf("%s: %v", name, got)
		}
		if !s.put(key, []byte("u"), v, s.Epoch()) {
			t.Errorf("%s: what came later isn't stored", name)
		}
	}
}

// Responses of one URL are told apart by what their requests had, and are no more than so
// many.
func TestVariants(t *testing.T) {
	s := New(1<<20, 1<<16)
	of := func(i int) string { return fmt.Sprintf("%s\nX-Lang: %d", get, i) }
	for i := range mostVariants + 5 {
		stored(t, s, &Policy{}, of(i), "HTTP/1.1 200 OK\nCache-Control: max-age=60\nVary: X-Lang", strconv.Itoa(i))
	}
	if found(t, s, of(0)) != nil || found(t, s, get) != nil {
		t.Error("the oldest is there, or one for a request without the field")
	}
	for i := 5; i < mostVariants+5; i++ {
		if v := found(t, s, of(i)); v == nil || string(v.Body) != strconv.Itoa(i) {
			t.Fatalf("%d: %v", i, v)
		}
	}
	for _, c := range []struct {
		name, was, is string
		same          bool
	}{
		{"Accept-Language", "a, b", "a,b", true},
		{"Accept-Language", "a, b", "a\nAccept-Language: b", true},
		{"Accept-Language", "a, b", "b, a", false},
		{"X-Other", "a, b", "a,b", false},
		{"X-Other", "a", "A", false},
		{"X-Other", "", "a", false},
	} {
		s := New(1<<20, 1<<16)
		stored(t, s, &Policy{}, get+"\n"+c.name+": "+c.was, "HTTP/1.1 200 OK\nCache-Control: max-age=60\nVary: "+c.name, "")
		if got := found(t, s, get+"\n"+c.name+": "+c.is) != nil; got != c.same {
			t.Errorf("%s: %q and %q are the same: %v", c.name, c.was, c.is, got)
		}
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	s := New(1<<20, 1<<16)
	question := get + "\nAccept-Language: de, en\nCache-Control: max-age=3600"
	stored(t, s, &Policy{}, question, "HTTP/1.1 200 OK\nCache-Control: max-age=60\nVary: Accept-Language", "body")
	r := requested(t, question)
	p := &Policy{Obey: true}
	var a RequestFields
	var url, chosen, out []byte
	sent := &UpstreamRequest{Request: r}
	turn := uint64(0)
	if n := testing.AllocsPerRun(1000, func() {
		a.Read(r, true)
		url = AppendURL(url[:0], r)
		v, _ := s.Find(s.KeyOf(url), url, Key{}, sent, &chosen, turn)
		if turn++; v == nil || p.Judge(v, &a, began) != Give {
			t.Fatal("it isn't found")
		}
		out = AppendStatus(v.AppendFields(out[:0], began), Hit, v.Left(began), 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
