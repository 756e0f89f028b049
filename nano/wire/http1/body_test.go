package http1

import (
	"errors"
	"strings"
	"testing"
)

// feedBody feeds wire to d in pieces and collects the content. Bytes that the
// body does not consume are the rest.
func feedBody(d *Body, wire string, piece int) (content, rest string, err error) {
	for len(wire) > 0 && !d.Done() {
		b := []byte(wire[:min(piece, len(wire))])
		n, data, err := d.Feed(b)
		content += string(b[:data])
		if err != nil {
			return content, wire[n:], err
		}
		if string(b[n:]) != wire[n:len(b)] {
			return content, "", errors.New("bytes after the body were changed")
		}
		wire = wire[n:]
	}
	return content, wire, nil
}

func chunkedBody() *Body {
	d := new(Body)
	d.Start(&Request{Chunked: true, ContentLength: -1})
	return d
}

func TestBodyChunked(t *testing.T) {
	tests := []struct{ name, wire, content, trailers string }{
		{"one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello", ""},
		{"empty", "0\r\n\r\n", "", ""},
		{"several zeros", "000\r\n\r\n", "", ""},
		{"several chunks", "5\r\nhello\r\n1\r\n,\r\n006\r\n world\r\n0\r\n\r\n", "hello, world", ""},
		{"hexadecimal in both cases", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", ""},
		{"extensions are ignored (RFC 9112 7.1.1)", "5;a=b;c=\"d;\\\"e\"\r\nhello\r\n0;last\r\n\r\n", "hello", ""},
		{"white space in extensions", "5 ; a\t= b ;c ; d =\"\\\" \x80\";e=\"\"\r\nhello\r\n0\r\n\r\n", "hello", ""},
		{"white space before an extension", "5 \t;a\r\nhello\r\n0\r\n\r\n", "hello", ""},
		{"line ends in the content", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n", ""},
		{"trailers", "1\r\nx\r\n0\r\nA: b\r\nC-d:e \r\nE:\r\n\r\n", "x", "A=b|C-d=e|E=|"},
		{"trailers that must not be (RFC 9110 6.5.1)", "0\r\nContent-Length: 5\r\nHost: x\r\nA: b\r\ntransfer-encoding: chunked\r\nIf-Match: x\r\n\r\n", "", "A=b|"},
	}
	for _, tt := range tests {
		for piece := 1; piece <= len(tt.wire)+4; piece++ {
			d := chunkedBody()
			content, rest, err := feedBody(d, tt.wire+"GET ", piece)
			if err != nil || !d.Done() || content != tt.content || rest != "GET " {
				t.Errorf("%s in pieces of %d: content %q, rest %q, done %v, error %v", tt.name, piece, content, rest, d.Done(), err)
				break
			}
			got := ""
			text, fields := d.Trailers()
			for _, f := range fields {
				got += string(f.Name.Of(text)) + "=" + string(f.Value.Of(text)) + "|"
			}
			if got != tt.trailers {
				t.Errorf("%s in pieces of %d: trailers %q, want %q", tt.name, piece, got, tt.trailers)
				break
			}
		}
	}
}

func TestBodyRefusals(t *testing.T) {
	tests := []struct {
		name, wire string
		want       *Error
	}{
		{"no size", "\r\n", errChunkSize},
		{"no size before an extension", ";a\r\n", errChunkSize},
		{"size with 0x", "0x5\r\nhello\r\n", errChunkSize},
		{"size with underscore", "1_0\r\n", errChunkSize},
		{"signed size", "+5\r\nhello\r\n", errChunkSize},
		{"negative size", "-5\r\nhello\r\n", errChunkSize},
		{"space before the size", " 5\r\nhello\r\n", errChunkSize},
		{"space after the size", "5 \r\nhello\r\n", errChunkSize},
		{"size of 16 digits", "fffffffffffffff1\r\n", errChunkSize},
		{"zeros without end", strings.Repeat("0", 16), errChunkSize},
		{"bare LF after the size", "5\nhello\r\n", errChunkSize},
		{"bare CR after the size", "5\rhello\r\n", errChunkLine},
		{"bare LF in an extension", "5;a\nb\r\nhello\r\n", errChunkExt},
		{"bare CR in an extension", "5;a\rb\r\nhello\r\n", errChunkLine},
		{"bare semicolon", "5;\r\nhello\r\n", errChunkExt},
		{"bare semicolon and white space", "5; \r\nhello\r\n", errChunkExt},
		{"two semicolons", "5;;\r\nhello\r\n", errChunkExt},
		{"a semicolon behind an extension", "5;a;\r\nhello\r\n", errChunkExt},
		{"an extension without a name", "5;=b\r\nhello\r\n", errChunkExt},
		{"a name that is no token", "5;a/b\r\nhello\r\n", errChunkExt},
		{"a quoted name", "5;\"a\"\r\nhello\r\n", errChunkExt},
		{"two words", "5;a b\r\nhello\r\n", errChunkExt},
		{"no value", "5;a=\r\nhello\r\n", errChunkExt},
		{"a value that is no token", "5;a=b:c\r\nhello\r\n", errChunkExt},
		{"two values", "5;a=b c\r\nhello\r\n", errChunkExt},
		{"two equals signs", "5;a=b=c\r\nhello\r\n", errChunkExt},
		{"text behind quotes", "5;a=\"b\"c\r\nhello\r\n", errChunkExt},
		{"quotes that don't end", "5;a=\"b\r\nhello\r\n", errChunkExt},
		{"a line break behind a backslash", "5;a=\"b\\\r\nhello\r\n", errChunkExt},
		{"white space at the end of a name", "5;a \r\nhello\r\n", errChunkExt},
		{"of a value", "5;a=b \r\nhello\r\n", errChunkExt},
		{"of quotes", "5;a=\"b\" \r\nhello\r\n", errChunkExt},
		{"NUL in an extension", "5;a\x00b\r\nhello\r\n", errChunkExt},
		{"endless extension", "5;" + strings.Repeat("a", maxChunkLine+1), errChunkLong},
		{"endless white space", "5" + strings.Repeat(" ", maxChunkLine+1), errChunkLong},
		{"extensions without end", strings.Repeat("1;"+strings.Repeat("a", 2000)+"\r\nx\r\n", 9), errChunkLong},
		{"data longer than the size", "4\r\nhello\r\n", errChunkEnd},
		{"bare LF after the data", "5\r\nhello\n0\r\n\r\n", errChunkEnd},
		{"bare CR after the data", "5\r\nhello\r0\r\n\r\n", errChunkEnd},
		{"nothing after the data", "5\r\nhello0\r\n\r\n", errChunkEnd},
		{"bare LF after the last chunk", "0\n\r\n", errChunkSize},
		{"bare LF for the empty line", "0\r\n\n", errFieldName},
		{"bare LF after a trailer", "0\r\nA: b\n\r\n", errBareLF},
		{"bare CR in a trailer", "0\r\nA: b\rC: d\r\n\r\n", errBareCR},
		{"control in a trailer", "0\r\nA: \x01\r\n\r\n", errControl},
		{"folded trailer", "0\r\nA: b\r\n c\r\n\r\n", errFold},
		{"space before a trailer's colon", "0\r\nA : b\r\n\r\n", errFieldName},
		{"trailer without a name", "0\r\n: b\r\n\r\n", errFieldName},
		{"trailer without a colon", "0\r\nabc\r\n\r\n", errFieldName},
		{"endless trailer", "0\r\nA: " + strings.Repeat("a", maxTrailer), errTrailerLen},
		{"endless trailer name", "0\r\n" + strings.Repeat("a", maxTrailer+1), errTrailerLen},
		{"endless trailers", "0\r\n" + strings.Repeat("A: b\r\n", maxTrailer/4), errTrailerLen},
	}
	for _, tt := range tests {
		for _, piece := range []int{1, 2, 3, 5, 7, 1 << 20} {
			if _, _, err := feedBody(chunkedBody(), tt.wire, piece); !errors.Is(err, tt.want) {
				t.Errorf("%s in pieces of %d: error %v, want %v", tt.name, piece, err, tt.want)
			}
		}
	}
}

func TestBodyByLength(t *testing.T) {
	for _, piece := range []int{1, 3, 5, 9} {
		var d Body
		d.Start(&Request{ContentLength: 5})
		if content, rest, err := feedBody(&d, "helloGET ", piece); err != nil || content != "hello" || rest != "GET " || !d.Done() {
			t.Errorf("in pieces of %d: content %q, rest %q, done %v, error %v", piece, content, rest, d.Done(), err)
		}
	}
	for _, length := range []int64{0, -1} {
		d := chunkedBody()
		if d.Start(&Request{ContentLength: length}); !d.Done() {
			t.Errorf("a body of length %d is not done at once", length)
		}
	}
}

func TestFeedInPlaceDoesNotAllocate(t *testing.T) {
	const wire = "5\r\nhello\r\n6;x\r\n world\r\n0\r\n\r\n"
	var d Body
	b := make([]byte, len(wire))
	r := &Request{Chunked: true}
	if n := testing.AllocsPerRun(100, func() {
		copy(b, wire)
		d.Start(r)
		if n, data, err := d.Feed(b); n != len(wire) || string(b[:data]) != "hello world" || err != nil {
			t.Fatal(n, data, err)
		}
		if text, fields := d.Trailers(); text != nil || fields != nil {
			t.Fatal("trailers from nothing")
		}
	}); n != 0 {
		t.Errorf("%v allocations per body, want 0", n)
	}
}
