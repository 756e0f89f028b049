package cache

import (
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// notModified is a 304 with fields.
func notModified(t *testing.T, s *Store, fields string) (m *UpstreamResponse, url []byte, key Key) {
	t.Helper()
	head, named := &http1.ResponseHead{}, &translate.Named{}
	b := []byte("HTTP/1.1 304 Not Modified\r\n" + fields + "\r\n")
	if _, err := head.Parse(b, false, nil); err != nil {
		t.Fatal(err)
	}
	named.Read(head.Fields, b)
	r := requested(t, get)
	url = AppendURL(nil, r)
	return &UpstreamResponse{Head: head, Buf: b, Named: named, Sent: &UpstreamRequest{Request: r}, Requested: began, Now: began, Wall: wall.Unix()}, url, s.KeyOf(url)
}

func TestURL(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"http://h/", "http://h/"}, {"http://h", "http://h/"}, {"HTTP://EXAMPLE.com:80/A/../b?q=1", "http://example.com/b?q=1"},
		{"https://h:443/%7ea", "https://h/~a"}, {"https://h:80/", "https://h:80/"}, {"http://[::1]:80/", "http://[::1]/"}, {"http://h/?", "http://h/"},
		{"/path", ""}, {"ftp://h/", ""}, {"http:///a", ""}, {"http://h/%2F", ""}, {"http://h/%zz", ""},
	} {
		got, err := ParseURL(c.text, request.Keeps{})
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ reference, want string }{
		{"c", "http://h/a/c"}, {"/c?d", "http://h/c?d"}, {"http://h:80/c", "http://h/c"}, {"//h/c", "http://h/c"},
		{"https://h/c", ""}, {"http://g/c", ""}, {"http://h:81/c", ""}, {":", ""},
	} {
		got, err := resolve([]byte("http://h/a/b"), []byte(c.reference), request.Keeps{})
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s, %v; want %s", c.reference, got, err, c.want)
		}
	}
}

func TestRange(t *testing.T) {
	v := &Response{Status: 200, Body: []byte("0123456789"), ETag: []byte(`"a"`), Modified: []byte("Sun, 06 Nov 1994 08:49:37 GMT"), modified: 784111777, date: 784111877}
	for _, c := range []struct {
		wanted, ifRange, part string
		how                   Ranged
	}{
		{"bytes=0-0", "", "0", Partial}, {"bytes=2-4", "", "234", Partial}, {"bytes=8-", "", "89", Partial}, {"bytes=8-99", "", "89", Partial},
		{"bytes=-3", "", "789", Partial}, {"bytes=-99", "", "0123456789", Partial},
		{"bytes=10-", "", "", Unsatisfiable}, {"bytes=10-12", "", "", Unsatisfiable}, {"bytes=-0", "", "", Unsatisfiable},
		{"bytes=4-2", "", "", Whole}, {"bytes=-", "", "", Whole}, {"bytes=a-b", "", "", Whole}, {"bytes=1-b", "", "", Whole}, {"bytes=1", "", "", Whole},
		{"bytes=1-2,4-5", "", "", Whole}, {"lines=1-2", "", "", Whole}, {"bytes=99999999999999999999-", "", "", Whole}, {"", "", "", Whole},
		{"bytes=2-4", `"a"`, "234", Partial}, {"bytes=2-4", `"b"`, "", Whole}, {"bytes=2-4", `W/"a"`, "", Whole},
		{"bytes=2-4", "Sun, 06 Nov 1994 08:49:37 GMT", "234", Partial}, {"bytes=2-4", "Sun, 06 Nov 1994 08:49:38 GMT", "", Whole},
	} {
		var wanted, ifRange []byte
		if c.wanted != "" {
			wanted = []byte(c.wanted)
		}
		if c.ifRange != "" {
			ifRange = []byte(c.ifRange)
		}
		part, how := v.Range(wanted, ifRange)
		if got := string(v.Body[part.From:part.To]); how != c.how || got != c.part {
			t.Errorf("%s, %s: %q, %d; want %q, %d", c.wanted, c.ifRange, got, how, c.part, c.how)
		}
	}
}

// Whatever range is asked for, what is given lies within the body.
func FuzzRange(f *testing.F) {
	f.Add("bytes=1-2")
	f.Add("bytes=-5")
	f.Fuzz(func(t *testing.T, wanted string) {
		v := &Response{Status: 200, Body: []byte("0123456789")}
		if part, how := v.Range([]byte(wanted), nil); how == Partial && (part.From < 0 || part.To > 10 || part.From >= part.To) {
			t.Fatalf("%q: %+v", wanted, part)
		}
	})
}

func TestUnchanged(t *testing.T) {
	const modified = "Sun, 06 Nov 1994 08:49:37 GMT"
	v := &Response{Status: 200, ETag: []byte(`W/"a"`), Modified: []byte(modified), modified: 784111777}
	for _, c := range []struct {
		noneMatch, since string
		want             bool
	}{
		{"", "", false}, {`"a"`, "", true}, {`W/"a"`, "", true}, {`"b", "a"`, "", true}, {`"b,\"a\""`, "", false}, {"*", "", true}, {`"b"`, modified, false},
		{"", modified, true}, {"", "Sun, 06 Nov 1994 08:49:36 GMT", false}, {"", "Sunday, 06-Nov-94 08:49:38 GMT", true}, {"", "yesterday", false},
	} {
		var noneMatch, since []byte
		if c.noneMatch != "" {
			noneMatch = []byte(c.noneMatch)
		}
		if c.since != "" {
			since = []byte(c.since)
		}
		if got := v.Unchanged(noneMatch, since); got != c.want {
			t.Errorf("%q, %q: %v", c.noneMatch, c.since, got)
		}
	}
	missing := *v
	if missing.Status = 404; missing.Unchanged([]byte("*"), nil) {
		t.Error("a 304 in place of a 404")
	}
}

// A 304 updates what is stored, but for what is about the content.
func TestFreshen(t *testing.T) {
	s := New(1<<20, 1<<16)
	p := &Policy{}
	old := stored(t, s, p, get, "HTTP/1.1 200 OK\nCache-Control: max-age=0\nETag: \"a\"\nX-Kept: 1\nX-Changed: 1\nX-Changed: 2\nContent-Encoding: gzip", "body")
	m, url, key := notModified(t, s, "ETag: \"a\"\r\nCache-Control: max-age=60\r\nX-Changed: 3\r\nX-New: 4\r\nContent-Encoding: none\r\nContent-Length: 99\r\nConnection: X-Hop\r\nX-Hop: 5\r\n")
	v := s.Freshen(p, key, url, s.Epoch(), old, m)
	if v == nil || string(v.Body) != "body" || p.Judge(v, &RequestFields{Control: NoDirectives}, began) != Give {
		t.Fatalf("%+v", v)
	}
	head := string(v.Head)
	for line, n := range map[string]int{"X-Kept: 1\r\n": 1, "X-Changed: 3\r\n": 1, "X-Changed:": 1, "X-New: 4\r\n": 1, "Content-Encoding: gzip\r\n": 1, "Content-Length: 4\r\n": 1, "Content-Length:": 1, "X-Hop": 0, "Connection": 0, "Date:": 1, "HTTP/1.1 200 OK\r\n": 1} {
		if strings.Count(head, line) != n {
			t.Errorf("%q is there %d times, want %d, in\n%s", line, strings.Count(head, line), n, head)
		}
	}
	if found(t, s, get) != v {
		t.Error("it isn't stored")
	}
	m, _, _ = notModified(t, s, "ETag: \"b\"\r\n")
	if s.Freshen(p, key, url, s.Epoch(), old, m) != nil {
		t.Error("a 304 about another response")
	}
	m, _, _ = notModified(t, s, "Cache-Control: no-store\r\n")
	if s.Freshen(p, key, url, s.Epoch(), old, m) != old || found(t, s, get) != nil {
		t.Error("what isn't to be stored any more is")
	}
}
