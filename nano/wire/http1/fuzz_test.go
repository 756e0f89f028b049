package http1

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

var requestSeeds = []string{
	smallHead, wrkHead, browserHead,
	"\r\nGET / HTTP/1.0\r\n\r\n",
	"POST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhelloGET /",
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: v\r\n\r\nrest",
	"CONNECT [::1]:443 HTTP/1.1\r\nHost:\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n",
	"GET http://caf%c3%a9.example:80/?%zz HTTP/1.7\r\nhost: x\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: h\r\nA: \t b\tc \r\nA:\r\n\r\n",
	"GET / HTTP/1.1\nHost: h\r\n fold\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}

// FuzzRequest holds the parser against net/http's: what is accepted here, it
// accepts with the same method, target, host, fields, body and trailers, and the
// next request starts at the same byte. More may be refused here.
//
// Two things that net/http refuses are accepted here: a Trailer field that
// announces fields which can't be trailers (they are dropped when they come), and
// white space between a chunk's size and its extension, which RFC 9112 7.1.1 says
// must be tolerated.
func FuzzRequest(f *testing.F) {
	for _, s := range requestSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, wire string) {
		var r Request
		n, err := r.Parse([]byte(wire), nil)
		if err != nil || n == 0 {
			return
		}
		head := []byte(wire[:n])
		if _, announced := r.Find(head, "trailer"); announced {
			return
		}
		var d Body
		d.Start(&r)
		content, rest, err := feedBody(&d, wire[n:], len(wire))
		if err != nil || !d.Done() {
			return
		}
		text := wire
		if strings.HasPrefix(text, "\r\n") {
			text = text[2:] // net/http does not pass over an empty line
		}
		buf := bufio.NewReaderSize(strings.NewReader(text), 1<<20)
		std, err := http.ReadRequest(buf)
		if err != nil {
			t.Fatalf("net/http refuses the head: %v", err)
		}
		sameHead(t, &r, head, std)
		body, err := io.ReadAll(std.Body)
		if err != nil && paddedExtension(wire) {
			return
		}
		if err != nil || string(body) != content {
			t.Fatalf("body %q, net/http: %q, %v", content, body, err)
		}
		if after, _ := io.ReadAll(buf); string(after) != rest {
			t.Fatalf("the next request starts with %q, net/http: %q", rest, after)
		}
		trailers, fields := d.Trailers()
		for _, f := range fields {
			if name := string(f.Name.Of(trailers)); !slices.Contains(std.Trailer.Values(name), string(f.Value.Of(trailers))) {
				t.Fatalf("trailer %s is not one of net/http's: %v", name, std.Trailer)
			}
		}
	})
}

func paddedExtension(wire string) bool {
	return strings.Contains(wire, " ;") || strings.Contains(wire, "\t;")
}

func sameHead(t *testing.T, r *Request, head []byte, std *http.Request) {
	t.Helper()
	got := show(r, string(head))
	if got.method != std.Method || got.target != std.RequestURI {
		t.Fatalf("%s %q, net/http: %s %q", got.method, got.target, std.Method, std.RequestURI)
	}
	if host, err := url.PathUnescape(got.host); err != nil || host != std.Host && got.host != std.Host {
		t.Fatalf("host %q, net/http: %q", got.host, std.Host)
	}
	if path, err := url.PathUnescape(got.path); err != nil || got.form <= AbsoluteForm && path != std.URL.Path {
		t.Fatalf("path %q, net/http: %q", path, std.URL.Path)
	}
	if got.form <= AbsoluteForm && got.query != std.URL.RawQuery {
		t.Fatalf("query %q, net/http: %q", got.query, std.URL.RawQuery)
	}
	if r.KeepAlive == std.Close || r.Chunked != (len(std.TransferEncoding) > 0) || !r.Chunked && max(r.ContentLength, 0) != std.ContentLength {
		t.Fatalf("%+v, net/http: close %v, codings %v, length %d", got, std.Close, std.TransferEncoding, std.ContentLength)
	}
	fields := http.Header{}
	for _, f := range r.Fields {
		fields.Add(string(f.Name.Of(head)), string(f.Value.Of(head)))
	}
	// net/http takes these out, and adds the last one beside a Pragma.
	for _, name := range []string{"Host", "Transfer-Encoding"} {
		fields.Del(name)
	}
	if fields.Get("Pragma") != "" && fields.Get("Cache-Control") == "" {
		std.Header.Del("Cache-Control")
	}
	if len(fields) != len(std.Header) {
		t.Fatalf("fields %v, net/http: %v", fields, std.Header)
	}
	for name, values := range fields {
		if !slices.Equal(values, std.Header[name]) {
			t.Fatalf("field %s: %q, net/http: %q", name, values, std.Header[name])
		}
	}
}

// FuzzRequestSplit feeds the same bytes in three pieces and at once, also under
// limits that are soon reached.
func FuzzRequestSplit(f *testing.F) {
	for i, s := range requestSeeds {
		f.Add(s, uint16(i*3), uint16(i*7))
	}
	f.Fuzz(func(t *testing.T, wire string, first, second uint16) {
		cuts := []int{min(int(first), len(wire)), min(int(second), len(wire))}
		slices.Sort(cuts)
		for _, lim := range []*Limits{nil, {Head: 90, URI: 20, Fields: 2}} {
			var whole, pieces Request
			n, err := whole.Parse([]byte(wire), lim)
			n2, err2 := parseSplit(&pieces, wire, lim, cuts...)
			if n != n2 || err != err2 {
				t.Fatalf("whole: %d, %v; cut at %v: %d, %v", n, err, cuts, n2, err2)
			}
			if n > 0 && show(&whole, wire) != show(&pieces, wire) {
				t.Fatalf("whole: %+v; cut at %v: %+v", show(&whole, wire), cuts, show(&pieces, wire))
			}
		}
	})
}

// FuzzBody feeds a chunked body in pieces and at once, and holds what is accepted
// against net/http.
func FuzzBody(f *testing.F) {
	for i, s := range []string{
		"5\r\nhello\r\n0\r\n\r\n", "5;a=\"b\"\r\nhello\r\nA ;x\r\n0123456789\r\n0;y\r\nT: v\r\nU:\r\n\r\nGET /",
		"0\r\n\r\n", "1\nx\n0\n\n", "3;\n\r\nabc\r\n0\r\n\r\n", "fffffffffffffff\r\n", "2\r\nabc\r\n0\r\n\r\n",
	} {
		f.Add(s, uint8(i))
	}
	f.Fuzz(func(t *testing.T, wire string, piece uint8) {
		whole, pieces := chunkedBody(), chunkedBody()
		content, rest, err := feedBody(whole, wire, len(wire))
		content2, rest2, err2 := feedBody(pieces, wire, int(piece)+1)
		if content != content2 || err != err2 || err == nil && (rest != rest2 || whole.Done() != pieces.Done()) {
			t.Fatalf("whole: %q, %q, %v; in pieces: %q, %q, %v", content, rest, err, content2, rest2, err2)
		}
		text, _ := whole.Trailers()
		text2, _ := pieces.Trailers()
		if string(text) != string(text2) {
			t.Fatalf("trailers %q; in pieces %q", text, text2)
		}
		if err != nil || !whole.Done() {
			return
		}
		const head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
		buf := bufio.NewReaderSize(strings.NewReader(head+wire), 1<<20)
		std, err := http.ReadRequest(buf)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(std.Body)
		after, _ := io.ReadAll(buf)
		if err != nil && paddedExtension(wire) {
			return
		}
		if err != nil || string(body) != content || string(after) != rest {
			t.Fatalf("%q, rest %q; net/http: %q, rest %q, error %v", content, rest, body, after, err)
		}
	})
}
