package grpcweb

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"dyno.example/nano/wire/grpc"
)

func TestBegin(t *testing.T) {
	for _, tt := range []struct {
		kind, accept   string
		ok, text, back bool
		sent           string
	}{
		{"application/grpc-web", "", true, false, false, "application/grpc"},
		{"application/grpc-web+proto", "*/*", true, false, false, "application/grpc+proto"},
		{"Application/gRPC-Web+json; a=b", "", true, false, false, "application/grpc+json; a=b"},
		{"application/grpc-web-text", "", true, true, true, "application/grpc"},
		{"application/grpc-web-text+proto", "application/grpc-web-text", true, true, true, "application/grpc+proto"},
		{"application/grpc-web+proto", "application/grpc-web-text", true, false, true, "application/grpc+proto"},
		{"application/grpc-web;charset=utf-8", "", true, false, false, "application/grpc;charset=utf-8"},
		{kind: "application/grpc-webs"}, {kind: "application/grpc"}, {kind: "application/grpc+proto"}, {kind: ""}, {kind: "text/plain"}, {kind: "application/grpc-web-texts"},
	} {
		c := Begin([]byte(tt.kind), []byte(tt.accept))
		if (c != nil) != tt.ok {
			t.Errorf("%q: %v", tt.kind, c)
		}
		if c == nil {
			continue
		}
		if c.Text != tt.text || c.textBack != tt.back {
			t.Errorf("%q: %+v", tt.kind, c)
		}
		if sent := string(AppendContentType(nil, []byte(tt.kind))); sent != tt.sent {
			t.Errorf("%q is sent as %q", tt.kind, sent)
		}
	}
}

// A body in base64 comes in parts of any length, and may have been written in parts, each
// with its padding.
func TestRequestInBase64(t *testing.T) {
	parts := []string{"", "a", "bc", "def", "ghij", strings.Repeat("klmno", 20)}
	var sent, want string
	for _, p := range parts {
		sent += base64.StdEncoding.EncodeToString([]byte(p))
		want += p
	}
	for cut := range len(sent) + 1 {
		for _, step := range []int{1, 3, 1000} {
			c := Begin([]byte("application/grpc-web-text"), nil)
			got, err := c.Request(nil, []byte(sent[:cut]), cut == len(sent))
			for rest := sent[cut:]; len(rest) > 0 && err == nil; {
				n := min(step, len(rest))
				got, err = c.Request(got, []byte(rest[:n]), n == len(rest))
				rest = rest[n:]
			}
			if err != nil || string(got) != want {
				t.Fatalf("cut at %d, then by %d: %q, %v", cut, step, got, err)
			}
		}
	}
	for _, wrong := range []string{"A", "AB", "ABC", "AB=C", "A===", "====", "AB!D", "ABCD=", "AAAAA"} {
		c := Begin([]byte("application/grpc-web-text"), nil)
		if got, err := c.Request(nil, []byte(wrong), true); !errors.Is(err, ErrText) {
			t.Errorf("%q: %q, %v", wrong, got, err)
		}
	}
	c := Begin([]byte("application/grpc-web"), nil)
	if got, err := c.Request([]byte("x"), []byte("\x00=!"), true); err != nil || string(got) != "x\x00=!" {
		t.Errorf("binary: %q, %v", got, err)
	}
}

// frame is a message, or with a flag what else a body holds.
func frame(flag byte, content string) string {
	b := grpc.AppendPrefix(nil, len(content), false)
	b[0] = flag
	return string(b) + content
}

func TestResponse(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name, kind, head, want string
		last                   bool
		body, trailers, whole  string
	}{
		{
			"binary", "application/grpc-web+proto", ok + "content-type: application/grpc+proto\r\nTrailer: grpc-status\r\nContent-Length: 8\r\nx-a: b\r\n\r\n",
			ok + "content-type: application/grpc-web+proto\r\nx-a: b\r\n\r\n", false,
			frame(0, "abc"), "grpc-status: 0\r\nx-t: u\r\n", frame(0, "abc") + frame(0x80, "grpc-status: 0\r\nx-t: u\r\n"),
		},
		{
			"base64", "application/grpc-web-text", ok + "Content-Type: application/grpc\r\n\r\n", ok + "content-type: application/grpc-web-text\r\n\r\n", false,
			frame(0, "ab"), "grpc-status: 5\r\n", b64(frame(0, "ab")) + b64(frame(0x80, "grpc-status: 5\r\n")),
		},
		{
			"only a status", "application/grpc-web", ok + "content-type: application/grpc\r\ngrpc-status: 5\r\ncontent-length: 0\r\n\r\n",
			ok + "content-type: application/grpc-web\r\ngrpc-status: 5\r\ncontent-length: 0\r\n\r\n", true, "", "", "",
		},
		{
			"no status", "application/grpc-web", ok + "content-type: application/grpc\r\n\r\n", ok + "content-type: application/grpc-web\r\n\r\n", false,
			"", "x-t: u\r\n", frame(0x80, "x-t: u\r\ngrpc-status: 2\r\ngrpc-message: the server ended the call without a status\r\n"),
		},
		{
			"not gRPC", "application/grpc-web-text", "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n",
			"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n", false, "<br>", "", "<br>",
		},
	} {
		c := Begin([]byte(tt.kind), nil)
		if got := string(c.Response(nil, []byte(tt.head), tt.last)); got != tt.want {
			t.Errorf("%s: the head is %q", tt.name, got)
		}
		var got []byte
		if tt.body != "" {
			got = c.Part(got, []byte(tt.body))
		}
		if got = c.End(got, []byte(tt.trailers)); string(got) != tt.whole {
			t.Errorf("%s: the body is %q", tt.name, got)
		}
	}
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// A response can be ended by a frame only where no message has begun.
func TestBetween(t *testing.T) {
	body := frame(0, "") + frame(0, "abc") + frame(1, strings.Repeat("x", 300))
	ends := map[int]bool{0: true, 5: true, 13: true, 318: true}
	for cut := range len(body) + 1 {
		c := Begin([]byte("application/grpc-web"), nil)
		c.Response(nil, []byte("HTTP/1.1 200 OK\r\ncontent-type: application/grpc\r\n\r\n"), false)
		c.Part(nil, []byte(body[:cut/2]))
		c.Part(nil, []byte(body[cut/2:cut]))
		if c.Between() != ends[cut] {
			t.Errorf("after %d bytes: %v", cut, c.Between())
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte("YWJjZA==YWJj"), 3)
	f.Add([]byte("YW Jj"), 1)
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		step = max(1, step&63)
		whole, parts := Begin([]byte("application/grpc-web-text"), nil), Begin([]byte("application/grpc-web-text"), nil)
		want, err1 := whole.Request(nil, b, true)
		var got []byte
		var err2 error
		for rest := b; err2 == nil; {
			n := min(step, len(rest))
			got, err2 = parts.Request(got, rest[:n], n == len(rest))
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
		if bytes.ContainsAny(b, "\r\n") { // which the decoder skips, so that it matters where it is cut
			return
		}
		if (err1 == nil) != (err2 == nil) || err1 == nil && !bytes.Equal(got, want) {
			t.Errorf("%q, %v in one, %q, %v in parts of %d", want, err1, got, err2, step)
		}
	})
}
