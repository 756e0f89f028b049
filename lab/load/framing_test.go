package load

import (
	"strings"
	"testing"
)

// Headers that say where the body ends are held to it: a server would wait for the
// rest for ever.
func TestFraming(t *testing.T) {
	for _, c := range []struct {
		request Request
		want    string
	}{
		{Request{Path: "/", Body: "abcdef", Headers: []Header{{"content-length", "3"}}}, "the header Content-Length says 3, but the body has 6 bytes"},
		{Request{Path: "/", Body: "abc", Headers: []Header{{"Transfer-Encoding", "Chunked"}}}, "the body is not in chunks"},
		{Request{Path: "/", Body: "3\r\nabc\r\n", Headers: []Header{{"Transfer-Encoding", "chunked"}}}, "the body is not in chunks"},
		{Request{Path: "/", Headers: []Header{{"Transfer-Encoding", "chunked"}, {"Content-Length", "0"}}}, "both Content-Length and Transfer-Encoding"},
		{Request{Path: "/", Body: "abc", Headers: []Header{{"Content-Length", "3"}}}, ""},
		{Request{Path: "/", Body: "{{int 1 9}}", Headers: []Header{{"Content-Length", "1"}}}, ""},
		{Request{Path: "/", Body: "3;x=y\r\nabc\r\n0\r\n\r\n", Headers: []Header{{"Transfer-Encoding", "chunked"}}}, ""},
		{Request{Path: "/", Body: "3\r\nabc\r\n0\r\nX: y\r\n\r\n", Headers: []Header{{"Transfer-Encoding", "chunked"}}}, ""},
		{Request{Path: "/", Body: "3\r\nabcd\r\n0\r\n\r\n", Headers: []Header{{"Transfer-Encoding", "chunked"}}}, "the body is not in chunks"},
	} {
		s := Spec{Target: "http://h", Requests: []Request{c.request}, Profile: Profile{Mode: Closed, Connections: 1}, MaxRequests: 1}
		if err := s.Check(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.request, err, c.want)
		}
	}
}
