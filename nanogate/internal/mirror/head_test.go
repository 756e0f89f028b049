package mirror

import (
	"testing"

	"dyno.example/nano/wire/http1"
)

// What the shadow is sent is what the first endpoint was, but for what the mirror says, and how
// the body ends.
func TestHead(t *testing.T) {
	for name, c := range map[string]struct{ fields, head, body, want string }{
		"as it was": {"", "GET /a//%2f?b=c&d HTTP/1.1\r\nHost: h\r\nCookie: a=b\r\nCookie: c\r\nX-Empty:\r\n\r\n", "",
			"GET /a//%2f?b=c&d HTTP/1.1\r\nHost: h\r\nCookie: a=b\r\nCookie: c\r\nX-Empty: \r\nX-Mirrored: nanogate\r\n\r\n"},
		"a body": {"", "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", "hello",
			"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-Mirrored: nanogate\r\n\r\nhello"},
		"chunks": {"", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "hello",
			"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-Mirrored: nanogate\r\n\r\nhello"},
		"no chunks": {"", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "",
			"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nX-Mirrored: nanogate\r\n\r\n"},
		"another host": {", host: other", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "",
			"GET / HTTP/1.1\r\nHost: other\r\nX-Mirrored: nanogate\r\n\r\n"},
		"its own": {", host: upstream", "GET / HTTP/1.1\r\nhOST: h\r\n\r\n", "",
			"GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX-Mirrored: nanogate\r\n\r\n"},
		"fields": {", request-headers: {remove: [Cookie], set: {X-A: one}, add: {x-b: two}}", "OPTIONS * HTTP/1.1\r\nHost: h\r\nCOOKIE: a\r\nx-a: b\r\nX-B: c\r\n\r\n", "",
			"OPTIONS * HTTP/1.1\r\nHost: h\r\nX-B: c\r\nX-A: one\r\nx-b: two\r\nX-Mirrored: nanogate\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mirrorOf(t, c.fields+", methods: [GET, POST, OPTIONS]")
			l := newLoop()
			copied := m.Take(requestOf(t, c.head), &l.local)
			copied.head, copied.body = []byte(c.head), []byte(c.body)
			var q http1.Request
			if n, err := q.Parse(copied.Head(), nil); n == 0 || err != nil {
				t.Fatal(n, err)
			}
			got := copied.AppendHead(nil, &q)
			if got = append(got, copied.Body(nil)...); string(got) != c.want {
				t.Errorf("%q, want\n%q", got, c.want)
			}
			q.Reset()
			if n, err := q.Parse(got, nil); n != len(got)-len(c.body) || err != nil || q.Chunked || max(q.ContentLength, 0) != int64(len(c.body)) {
				t.Errorf("it is read as %d bytes, %v, with a body of %d", n, err, q.ContentLength)
			}
		})
	}
}
