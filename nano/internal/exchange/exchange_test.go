package exchange

import (
	"errors"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
)

// requestFor returns an exchange for a request with the method, over HTTP/1.minor.
func requestFor(method string, minor uint8) *Exchange {
	x := &Exchange{Buf: []byte(method), Status: 200}
	x.Req = http1.Request{Method: http1.Span{End: uint32(len(method))}, Minor: minor}
	return x
}

// TestFraming: how a streamed body of two parts goes out (RFC 9112 6).
func TestFraming(t *testing.T) {
	for _, tt := range []struct {
		name   string
		x      *Exchange
		length int64
		want   string // parts of what is sent
		fails  error
		cut    bool
	}{
		{"chunked", requestFor("GET", 1), -1, "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", nil, false},
		{"by length", requestFor("GET", 1), 4, "Content-Length: 4\r\n\r\nabcd", nil, false},
		{"by the end of the connection", requestFor("GET", 0), -1, "Connection: close\r\n\r\nabcd", nil, false},
		{"HEAD", requestFor("HEAD", 1), 4, "Content-Length: 4\r\n\r\n", nil, false},
		{"more than its length", requestFor("GET", 1), 3, "Content-Length: 3\r\n\r\nabc", ErrTooMuch, false},
		{"less than its length", requestFor("GET", 1), 5, "Content-Length: 5\r\n\r\nabcd", nil, true},
	} {
		r := Reply{Keep: true}
		out := r.Stream(nil, tt.x, tt.length, nil)
		var failed error
		for _, part := range []string{"ab", "cd"} {
			var err error
			if out, _, err = r.Add(out, []byte(part)); err != nil {
				failed = err
			}
		}
		out, err := r.Finish(out, nil)
		if !errors.Is(failed, tt.fails) || (err != nil) != tt.cut || r.Cut != tt.cut {
			t.Errorf("%s: %v, %v, cut %v", tt.name, failed, err, r.Cut)
		}
		if !strings.HasSuffix(string(out), tt.want) {
			t.Errorf("%s: %q, want %q at its end", tt.name, out, tt.want)
		}
		if _, _, err := r.Add(nil, []byte("x")); !errors.Is(err, ErrOver) {
			t.Errorf("%s: goes on after its end: %v", tt.name, err)
		}
	}
}

// fieldsOwner takes note of the fields that the wire ignores.
type fieldsOwner struct {
	Owner
	ignored []string
}

func (o *fieldsOwner) Ignored(line []byte) {
	o.ignored = append(o.ignored, strings.TrimSpace(string(line)))
}

// TestLengthIsToldOnce: a handler's Content-Length counts where the body isn't sent, and
// once; HTTP/1.1 and HTTP/2 tell the same of it.
func TestLengthIsToldOnce(t *testing.T) {
	const nine, ten = "Content-Length: 9\r\n", "content-length: 10\r\n"
	for _, tt := range []struct {
		name, method string
		status       int
		length       int64
		fields       string
		sent         string // of HTTP/1.1
		tell         int64  // of HTTP/2
		ignored      int
	}{
		{"as the wire counts", "GET", 200, 4, nine, "Content-Length: 4\r\n", 4, 1},
		{"HEAD of one that has none", "HEAD", 200, 4, "", "Content-Length: 4\r\n", 4, 0},
		{"HEAD", "HEAD", 200, 0, nine, nine, -1, 0},
		{"HEAD, twice", "HEAD", 200, 0, nine + ten, nine, -1, 1},
		{"not modified", "GET", 304, 0, nine, nine, -1, 0},
		{"not modified, twice", "GET", 304, 0, nine + ten, nine, -1, 1},
		{"no content", "GET", 204, 0, nine, "", -1, 1},
	} {
		for _, http2 := range []bool{false, true} {
			o := &fieldsOwner{}
			x := requestFor(tt.method, 1)
			x.Status, x.Owner, x.Fields = tt.status, o, []byte("A: b\r\n"+tt.fields+"Connection: close\r\nKeep-Alive: x\r\n")
			r := Reply{Keep: true}
			want, tell := "A: b\r\n", tt.tell
			var out []byte
			if http2 {
				out, tell, _ = r.Section(nil, x, tt.length)
				if tell == -1 {
					want += tt.sent
				}
			} else {
				out = r.Head(nil, x, tt.length, nil)
				_, after, _ := strings.Cut(string(out), "\r\n")
				fields := tt.sent + "Keep-Alive: x\r\n"
				if tell >= 0 {
					fields = "Keep-Alive: x\r\n" + tt.sent
				}
				out, want = []byte(after), want+fields+"Connection: close\r\n\r\n"
			}
			if string(out) != want || tell != tt.tell || len(o.ignored) != tt.ignored || r.Keep {
				t.Errorf("%s, HTTP/2 %v: %q, %d told, %q ignored, keep %v; want %q and %d", tt.name, http2, out, tell, o.ignored, r.Keep, want, tt.tell)
			}
		}
	}
}

// TestHistory: two handlers that block send a route's next ones to goroutines, until
// enough in a row were quick; a relapse takes twice as many.
func TestHistory(t *testing.T) {
	var h History
	for need := firstNeed; need <= 4*firstNeed; need *= 2 {
		if h.Blocked(); h.Blocks() {
			t.Fatal("one handler that blocked is none")
		}
		if h.Blocked(); !h.Blocks() {
			t.Fatal("two are enough")
		}
		for range need - 1 {
			h.Spawned(quickNs)
		}
		if !h.Blocks() {
			t.Fatalf("%d quick ones are too few", need-1)
		}
		h.Spawned(quickNs + 1) // in a row, it must be
		for range need {
			h.Spawned(0)
		}
		if h.Blocks() {
			t.Fatalf("%d quick ones in a row are enough", need)
		}
	}
}
