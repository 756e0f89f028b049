package http1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// feedAll feeds wire in pieces of the given size, as an engine would: bytes not
// consumed are fed again with what follows.
func feedAll(r *Response, wire string, piece int) (rest string, err error) {
	pending := ""
	for len(wire) > 0 && !r.Done() {
		k := min(piece, len(wire))
		pending, wire = pending+wire[:k], wire[k:]
		n, err := r.Feed([]byte(pending))
		pending = pending[n:]
		if err != nil {
			return pending + wire, err
		}
	}
	return pending + wire, nil
}

func TestResponse(t *testing.T) {
	tests := []struct {
		name, wire string
		head       bool
		status     int
		body       int64
		keep       bool
		rest       string
	}{
		{name: "length", wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, body: 5, keep: true},
		{name: "no reason and no space", wire: "HTTP/1.1 200\r\ncontent-length:0\r\n\r\n", status: 200, keep: true},
		{name: "pipelined rest is left", wire: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 ", status: 200, body: 1, keep: true, rest: "HTTP/1.1 "},
		{name: "connection close", wire: "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 0\r\n\r\n", status: 200},
		{name: "1.0 closes", wire: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab", status: 200, body: 2},
		{name: "1.0 kept alive", wire: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", status: 200, keep: true},
		{name: "chunked", wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nWiki\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nT: v\r\n\r\nrest", status: 200, body: 14, keep: true, rest: "rest"},
		{name: "response to HEAD has no body", head: true, wire: "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", status: 200, keep: true},
		{name: "204", wire: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, keep: true},
		{name: "304 with length", wire: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", status: 304, keep: true},
		{name: "interim", wire: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", status: 201, keep: true},
	}
	for _, tt := range tests {
		for _, piece := range []int{1, 2, 3, 7, 1 << 16} {
			var r Response
			r.Reset(tt.head)
			rest, err := feedAll(&r, tt.wire, piece)
			if err != nil || !r.Done() {
				t.Errorf("%s in pieces of %d: done %v, error %v", tt.name, piece, r.Done(), err)
				continue
			}
			if r.Status != tt.status || r.BodyBytes != tt.body || r.KeepAlive != tt.keep || rest != tt.rest {
				t.Errorf("%s in pieces of %d: status %d body %d keep %v rest %q, want %d %d %v %q", tt.name, piece,
					r.Status, r.BodyBytes, r.KeepAlive, rest, tt.status, tt.body, tt.keep, tt.rest)
			}
		}
	}
}

func TestResponseUntilClose(t *testing.T) {
	var r Response
	if rest, err := feedAll(&r, "HTTP/1.1 200 OK\r\n\r\nhello", 4); err != nil || rest != "" || r.Done() {
		t.Fatalf("before the close: rest %q done %v error %v", rest, r.Done(), err)
	}
	if !r.EOF() || r.BodyBytes != 5 || r.KeepAlive {
		t.Fatalf("after the close: done %v body %d keep %v", r.Done(), r.BodyBytes, r.KeepAlive)
	}
	r.Reset(false)
	if _, err := feedAll(&r, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", 99); err != nil || r.EOF() {
		t.Fatal("a body shorter than its Content-Length counted as complete")
	}
}

func TestResponseRefusals(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name, wire string
		want       *Error
	}{
		{"garbage", "SSH-2.0-OpenSSH_9.2\r\n", errStatusLine},
		{"short garbage", "<ht", errStatusLine},
		{"HTTP/2 in clear", "HTTP/2.0 200 OK\r\n\r\n", errStatusLine},
		{"two digits", "HTTP/1.1 20 OK  \r\n\r\n", errStatusLine},
		{"four digits", "HTTP/1.1 2000 OK\r\n\r\n", errStatusLine},
		{"below 100", "HTTP/1.1 099 OK\r\n\r\n", errStatusLine},
		{"bare LF after status", "HTTP/1.1 200 OK\nA: b\r\n\r\n", errStatusLine},
		{"bare LF after field", ok + "A: b\n\r\n", errBareLF},
		{"bare CR in value", ok + "A: b\rc\r\n\r\n", errBareCR},
		{"NUL in value", ok + "A: b\x00c\r\n\r\n", errControl},
		{"DEL in long value", ok + "A: 0123456789\x7f456789\r\n\r\n", errControl},
		{"fold", ok + "A: b\r\n c\r\n\r\n", errFold},
		{"space before colon", ok + "Content-Length : 1\r\n\r\n", errFieldName},
		{"empty name", ok + ": 1\r\n\r\n", errFieldName},
		{"no colon", ok + "abc\r\n\r\n", errFieldName},
		{"signed length", ok + "Content-Length: +1\r\n\r\n", errLength},
		{"negative length", ok + "Content-Length: -1\r\n\r\n", errLength},
		{"length list", ok + "Content-Length: 1, 1\r\n\r\n", errLength},
		{"overflowing length", ok + "Content-Length: 9999999999999999999\r\n\r\n", errLength},
		{"empty length", ok + "Content-Length: \r\n\r\n", errLength},
		{"two lengths", ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", errLengths},
		{"length and chunked", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", errLengthAndTE},
		{"chunked and length", ok + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", errLengthAndTE},
		{"unknown coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", errCodingUnknown},
		{"chunked twice", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", errCodings},
		{"coding on 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", errCodingOn10},
	}
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	tests = append(tests, []struct {
		name, wire string
		want       *Error
	}{
		{"chunk size 0x", chunked + "0x5\r\n", errChunkSize},
		{"chunk size signed", chunked + "-5\r\n", errChunkSize},
		{"chunk size empty", chunked + "\r\n", errChunkSize},
		{"chunk size too long", chunked + "1000000000000000\r\n", errChunkSize},
		{"bare LF after size", chunked + "5\nhello", errChunkSize},
		{"bare LF in extension", chunked + "5;a\nb\r\nhello", errChunkExt},
		{"bare CR in extension", chunked + "5;a\rb\r\nhello", errChunkLine},
		{"data longer than size", chunked + "3\r\nhello\r\n", errChunkEnd},
		{"LF for CRLF after data", chunked + "5\r\nhello\n0\r\n\r\n", errChunkEnd},
		{"endless extension", chunked + "5;" + strings.Repeat("a", 5000), errChunkLong},
		{"endless trailer", chunked + "0\r\nT: " + strings.Repeat("a", 20000), errTrailerLen},
		{"bad trailer", chunked + "0\r\n x\r\n\r\n", errFold},
		{"endless head", ok + strings.Repeat("A: b\r\n", 20000), errHeadTooLong},
	}...)
	for _, tt := range tests {
		for _, piece := range []int{1, 5, 1 << 20} {
			if piece < 100 && len(tt.wire) > 30000 {
				continue // quadratic by design: an incomplete head is fed again
			}
			var r Response
			_, err := feedAll(&r, tt.wire, piece)
			if !errors.Is(err, tt.want) {
				t.Errorf("%s in pieces of %d: error %v, want %v", tt.name, piece, err, tt.want)
			}
		}
	}
}

func TestFeedDoesNotAllocate(t *testing.T) {
	wire := []byte("HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 07:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nHello, World!")
	var r Response
	if n := testing.AllocsPerRun(100, func() {
		r.Reset(false)
		if n, err := r.Feed(wire); err != nil || n != len(wire) || !r.Done() {
			t.Fatal(n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per response, want 0", n)
	}
}

// FuzzResponse holds the parser against net/http's: what we accept, it accepts
// with the same status and body length. We may refuse more than it does.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\nWiki\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.0 404 Not Found\r\nConnection: close\r\n\r\nbody",
		"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200\n\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length:0\r\n\r\n",
	} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, wire string, piece uint8) {
		var whole, pieces Response
		rest, err := feedAll(&whole, wire, len(wire)+1)
		rest2, err2 := feedAll(&pieces, wire, int(piece)+1)
		if (err == nil) != (err2 == nil) || err == nil && (whole != pieces || rest != rest2) {
			t.Fatalf("split input parsed otherwise: %+v %v, %+v %v", whole, err, pieces, err2)
		}
		if err != nil || !whole.EOF() || whole.Status == 101 {
			return
		}
		std, err := http.ReadResponse(bufio.NewReader(strings.NewReader(final(wire))), &http.Request{Method: "GET"})
		if err != nil {
			// net/http limits or refuses some heads for reasons of its own
			// (invalid UTF-8 keys, malformed Connection); only framing counts here.
			return
		}
		body, err := io.ReadAll(std.Body)
		if err != nil || std.StatusCode != whole.Status || int64(len(body)) != whole.BodyBytes {
			t.Fatalf("net/http: status %d, body %d, error %v; here: status %d, body %d", std.StatusCode, len(body), err, whole.Status, whole.BodyBytes)
		}
	})
}

// final drops interim responses, which http.ReadResponse returns as they come.
func final(wire string) string {
	for strings.HasPrefix(wire, "HTTP/1.1 1") || strings.HasPrefix(wire, "HTTP/1.0 1") {
		end := strings.Index(wire, "\r\n\r\n")
		if end < 0 {
			break
		}
		wire = wire[end+4:]
	}
	return wire
}

func BenchmarkResponse(b *testing.B) {
	wire := []byte("HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 07:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nHello, World!")
	b.SetBytes(int64(len(wire)))
	b.ReportAllocs()
	var r Response
	for b.Loop() {
		r.Reset(false)
		if _, err := r.Feed(wire); err != nil {
			b.Fatal(err)
		}
	}
	if !bytes.HasSuffix(wire, []byte("!")) || !r.Done() {
		b.Fatal("not done")
	}
}
