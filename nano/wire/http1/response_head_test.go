package http1

import (
	"errors"
	"strings"
	"testing"
)

func TestResponseHead(t *testing.T) {
	tests := []struct {
		name, wire string
		toHead     bool
		want       ResponseHead // but for Fields and Reason
		reason     string
		fields     int
		content    string // of the body that follows, in wire
	}{
		{"length", "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\nhelloHTTP/", false, ResponseHead{Status: 200, Minor: 1, ContentLength: 5, KeepAlive: true}, "OK", 2, "hello"},
		{"chunked", "HTTP/1.1 200 All is well\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nHTTP/", false, ResponseHead{Status: 200, Minor: 1, ContentLength: -1, Chunked: true, KeepAlive: true}, "All is well", 1, "hello"},
		{"until the close", "HTTP/1.1 200 \r\n\r\nhelloHTTP/", false, ResponseHead{Status: 200, Minor: 1, ContentLength: -1, UntilClose: true}, "", 0, "helloHTTP/"},
		{"no reason", "HTTP/1.0 404\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", false, ResponseHead{Status: 404, KeepAlive: true}, "", 2, ""},
		{"to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, ResponseHead{Status: 200, Minor: 1, ContentLength: 5, KeepAlive: true}, "OK", 1, ""},
		{"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nHTTP/", false, ResponseHead{Status: 304, Minor: 1, ContentLength: 5, KeepAlive: true}, "Not Modified", 1, ""},
		{"interim", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK", false, ResponseHead{Status: 103, Minor: 1, ContentLength: -1, KeepAlive: true}, "Early Hints", 1, ""},
	}
	for _, tt := range tests {
		size := strings.Index(tt.wire, "\r\n\r\n") + 4
		var h ResponseHead
		for k := range size {
			if n, err := h.Parse([]byte(tt.wire[:k]), tt.toHead, nil); n != 0 || err != nil {
				t.Errorf("%s: %d bytes of %d: n %d, error %v", tt.name, k, size, n, err)
			}
		}
		b := []byte(tt.wire)
		if n, err := h.Parse(b, tt.toHead, nil); n != size || err != nil {
			t.Errorf("%s: n %d, error %v", tt.name, n, err)
			continue
		}
		if string(h.Reason.Of(b)) != tt.reason || len(h.Fields) != tt.fields {
			t.Errorf("%s: reason %q, %d fields", tt.name, h.Reason.Of(b), len(h.Fields))
		}
		got := h
		got.Fields, got.Reason, got.framing = nil, Span{}, 0
		if got.ContentLength != tt.want.ContentLength || got.Status != tt.want.Status || got.Minor != tt.want.Minor ||
			got.Chunked != tt.want.Chunked || got.UntilClose != tt.want.UntilClose || got.KeepAlive != tt.want.KeepAlive {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		var d Body
		d.StartResponse(&h)
		content, _, err := feedBody(&d, tt.wire[size:], 3)
		if content != tt.content || err != nil || d.Done() == h.UntilClose {
			t.Errorf("%s: content %q, done %v, error %v", tt.name, content, d.Done(), err)
		}
	}
}

func TestResponseHeadRefusals(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name, wire string
		want       *Error
	}{
		{"no response", "GET / HTTP/1.1\r\n\r\n", errStatusLine},
		{"bare LF", "HTTP/1.1 200 OK\n\n", errStatusLine},
		{"control in the reason", "HTTP/1.1 200 O\x00K\r\n\r\n", errStatusLine},
		{"reason without its space", "HTTP/1.1 200OK\r\n\r\n", errStatusLine},
		{"two framings", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", errLengthAndTE},
		{"fold", ok + "A: b\r\n c\r\n\r\n", errFold},
		{"too many fields", ok + strings.Repeat("a: b\r\n", 4) + "\r\n", errManyFields},
		{"too long", ok + "a: " + strings.Repeat("b", 200), errHeadLong},
	} {
		var h ResponseHead
		if n, err := h.Parse([]byte(tt.wire), false, &Limits{Head: 100, Fields: 3}); n != 0 || !errors.Is(err, tt.want) {
			t.Errorf("%s: n %d, error %v, want %v", tt.name, n, err, tt.want)
		}
	}
}

// FuzzResponseHead holds the two readers of responses against each other.
func FuzzResponseHead(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	f.Add("HTTP/1.0 404\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n")
	f.Add("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n")
	f.Fuzz(func(t *testing.T, wire string) {
		var h ResponseHead
		n, err := h.Parse([]byte(wire), false, &Limits{Head: MaxHead, Fields: MaxHead})
		if n == 0 || err != nil || h.Status < 200 {
			return
		}
		var r Response
		used, err := r.Feed([]byte(wire))
		if used < n || r.Status != h.Status || r.KeepAlive != h.KeepAlive || err != nil && r.framing != byChunks {
			t.Fatalf("%+v after %d bytes; followed: %+v after %d, error %v", h, n, r, used, err)
		}
		var d Body
		d.StartResponse(&h)
		content, _, err2 := feedBody(&d, wire[n:], len(wire))
		if err != err2 || err == nil && (d.Done() != r.Done() || int64(len(content)) != r.BodyBytes) {
			t.Fatalf("content %q, done %v, error %v; followed: %+v, error %v", content, d.Done(), err2, r, err)
		}
	})
}

func TestResponseHeadDoesNotAllocate(t *testing.T) {
	wire := []byte("HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 07:00:00 GMT\r\nContent-Length: 0\r\n\r\n")
	var h ResponseHead
	if n := testing.AllocsPerRun(100, func() {
		if n, err := h.Parse(wire, false, nil); err != nil || n != len(wire) {
			t.Fatal(n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per head, want 0", n)
	}
}
