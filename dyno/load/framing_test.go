package load

import (
	"strings"
	"testing"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// Headers that say where the body ends are held to it: a server would wait for the
// rest for ever.
func TestFraming(t *testing.T) {
	for _, c := range []struct {
		request request.Request
		want    string
	}{
		{request.Request{Path: "/", Body: "abcdef", Headers: []request.Header{{Name: "content-length", Value: "3"}}}, "the header Content-Length says 3, but the body has 6 bytes"},
		{request.Request{Path: "/", Body: "abc", Headers: []request.Header{{Name: "Transfer-Encoding", Value: "Chunked"}}}, "the body is not in chunks"},
		{request.Request{Path: "/", Body: "3\r\nabc\r\n", Headers: []request.Header{{Name: "Transfer-Encoding", Value: "chunked"}}}, "the body is not in chunks"},
		{request.Request{Path: "/", Headers: []request.Header{{Name: "Transfer-Encoding", Value: "chunked"}, {Name: "Content-Length", Value: "0"}}}, "both Content-Length and Transfer-Encoding"},
		{request.Request{Path: "/", Body: "abc", Headers: []request.Header{{Name: "Content-Length", Value: "3"}}}, ""},
		{request.Request{Path: "/", Body: "{{int 1 9}}", Headers: []request.Header{{Name: "Content-Length", Value: "1"}}}, ""},
		{request.Request{Path: "/", Body: "3;x=y\r\nabc\r\n0\r\n\r\n", Headers: []request.Header{{Name: "Transfer-Encoding", Value: "chunked"}}}, ""},
		{request.Request{Path: "/", Body: "3\r\nabc\r\n0\r\nX: y\r\n\r\n", Headers: []request.Header{{Name: "Transfer-Encoding", Value: "chunked"}}}, ""},
		{request.Request{Path: "/", Body: "3\r\nabcd\r\n0\r\n\r\n", Headers: []request.Header{{Name: "Transfer-Encoding", Value: "chunked"}}}, "the body is not in chunks"},
	} {
		s := Spec{Target: "http://h", Requests: []request.Request{c.request}, Profile: profile.Profile{Mode: profile.Closed, Connections: 1}, MaxRequests: 1}
		if err := s.Check(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.request, err, c.want)
		}
	}
}
