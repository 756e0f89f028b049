package http1

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	const line, host = "GET / HTTP/1.1\r\n", "Host: h\r\n"
	head := line + host + "\r\n"
	fields := func(n int) string { return line + host + strings.Repeat("a: b\r\n", n-1) + "\r\n" }
	target := func(n int) string { return "GET /" + strings.Repeat("a", n-1) + " HTTP/1.1\r\n" + host + "\r\n" }
	tests := []struct {
		name, wire string
		lim        *Limits
		want       *Error
	}{
		{"head as long as the limit", head, &Limits{Head: len(head)}, nil},
		{"head longer by one", head, &Limits{Head: len(head) - 1}, errHeadLong},
		{"head without end", line + "a: " + strings.Repeat("b", DefaultHead), nil, errHeadLong},
		{"fields without end", line + strings.Repeat("a: b\r\n", DefaultHead/6), &Limits{Fields: 1 << 20}, errHeadLong},
		{"as many fields as the limit", fields(DefaultFields), nil, nil},
		{"one field more", fields(DefaultFields + 1), nil, errManyFields},
		{"fewer fields", fields(3), &Limits{Fields: 2}, errManyFields},
		{"target as long as the limit", target(DefaultURI), nil, nil},
		{"target longer by one (RFC 9112 3)", target(DefaultURI + 1), nil, errURILong},
		{"request line longer than a head may be", target(DefaultHead), nil, errURILong},
		{"request line without end", "GET /" + strings.Repeat("a", DefaultHead), nil, errURILong},
		{"larger limits", target(DefaultHead), &Limits{Head: 1 << 20, URI: 1 << 20}, nil},
	}
	for _, tt := range tests {
		for _, cuts := range [][]int{nil, {1}, {10, 20}, {len(tt.wire) - 1}, {len(tt.wire) / 2}} {
			var r Request
			n, err := parseSplit(&r, tt.wire, tt.lim, cuts...)
			if tt.want == nil && (err != nil || n != len(tt.wire)) || tt.want != nil && (n != 0 || !errors.Is(err, tt.want)) {
				t.Errorf("%s, cut at %v: n %d of %d, error %v, want %v", tt.name, cuts, n, len(tt.wire), err, tt.want)
			}
		}
	}
}

// TestTrickle looks at what a head that comes in byte by byte makes the parser
// do: each call must go on where the last one stopped, but for one CR.
func TestTrickle(t *testing.T) {
	var r Request
	head := []byte(browserHead)
	for k := 1; k < len(head); k++ {
		if n, err := r.Parse(head[:k], nil); n != 0 || err != nil {
			t.Fatalf("%d bytes of %d: n %d, error %v", k, len(head), n, err)
		}
		if r.seen < k-1 {
			t.Fatalf("%d bytes in, searched up to %d only", k, r.seen)
		}
	}
	if n, err := r.Parse(head, nil); n != len(head) || err != nil || len(r.Fields) != 10 {
		t.Fatalf("n %d, error %v, %d fields", n, err, len(r.Fields))
	}
}

// TestReuse parses a short head after a long one, a refused one and a partial
// one that was given up: nothing of them may be left.
func TestReuse(t *testing.T) {
	const long = "POST http://x/a%20?q HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\nConnection: close, upgrade\r\nUpgrade: x\r\n\r\n"
	const short = "GET / HTTP/1.0\r\n\r\n"
	var fresh Request
	if _, err := fresh.Parse([]byte(short), nil); err != nil {
		t.Fatal(err)
	}
	want := show(&fresh, short)
	for _, before := range []string{long, strings.Replace(long, "chunked", "gzip", 1), long[:len(long)-5]} {
		var r Request
		if n, err := r.Parse([]byte(before), nil); n == 0 && err == nil {
			r.Reset()
		}
		if n, err := r.Parse([]byte(short), nil); n != len(short) || err != nil {
			t.Fatalf("after %q: n %d, error %v", before, n, err)
		}
		if got := show(&r, short); got != want {
			t.Errorf("after %q:\ngot  %+v\nwant %+v", before, got, want)
		}
	}
}

func ExampleRequest_Parse() {
	received := []byte("GET /hello?to=all HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\nGET /next")
	var r Request
	n, err := r.Parse(received, nil)
	fmt.Println(n, err)
	fmt.Printf("%s %s %s\n", r.Method.Of(received), r.Path.Of(received), r.Query.Of(received))
	accept, _ := r.Find(received, "accept")
	fmt.Printf("%s, rest %q\n", accept.Of(received), received[n:])
	// Output:
	// 62 <nil>
	// GET /hello to=all
	// */*, rest "GET /next"
}
