package eventstream

import (
	"fmt"
	"strings"
	"testing"
)

// told shows what a parser finds in a stream that comes in pieces of a size.
func told(sent string, piece, most int) string {
	p := Parser{Most: most}
	var out strings.Builder
	for rest := []byte(sent); len(rest) > 0; {
		b := rest[:min(piece, len(rest))]
		rest = rest[len(b):]
		for len(b) > 0 {
			n, f, err := p.Next(b)
			if err != nil {
				return out.String() + "!" + err.Error()
			}
			b = b[n:]
			switch f.Kind {
			case Event:
				fmt.Fprintf(&out, "[%s|%s|%s]", f.Type, f.Data, p.LastID)
			case Retry:
				fmt.Fprintf(&out, "(%v)", f.Retry)
			}
		}
	}
	return out.String()
}

func TestParser(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"an event", "data: a\n\n", "[|a|]"},
		{"without a space", "data:a\n\n", "[|a|]"},
		{"two spaces: one belongs to it", "data:  a\n\n", "[| a|]"},
		{"lines", "data: a\ndata: b\n\n", "[|a\nb|]"},
		{"an empty line of data", "data\n\n", "[||]"},
		{"two of them", "data\ndata\n\n", "[|\n|]"},
		{"CR", "data: a\r\rdata: b\r\r", "[|a|][|b|]"},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "[|a|][|b|]"},
		{"mixed", "data: a\r\ndata: b\n\rdata: c\n\n", "[|a\nb|][|c|]"},
		{"a type", "event: x\ndata: a\n\ndata: b\n\n", "[x|a|][|b|]"},
		{"an id stays", "id: 1\ndata: a\n\ndata: b\n\n", "[|a|1][|b|1]"},
		{"an empty id ends it", "id: 1\ndata: a\n\nid\ndata: b\n\n", "[|a|1][|b|]"},
		{"an id with NUL is none", "id: 1\ndata: a\n\nid: \x002\ndata: b\n\n", "[|a|1][|b|1]"},
		{"an id alone counts", "id: 7\n\ndata: b\n\n", "[|b|7]"},
		{"a comment", ": hello\ndata: a\n:\n\n", "[|a|]"},
		{"retry", "retry: 1500\ndata: a\n\n", "(1.5s)[|a|]"},
		{"retry that is none", "retry: 1.5\nretry: \nretry: 99999999999999\n", ""},
		{"an unknown field", "date: a\nDATA: b\n\n", ""},
		{"a byte order mark", "\ufeffdata: a\n\n", "[|a|]"},
		{"only at the start", "data: a\n\n\ufeffdata: b\n\n", "[|a|]"},
		{"not ended", "data: a\n", ""},
		{"colons in the value", "data: a:b\n\n", "[|a:b|]"},
		{"a long line", "data: " + strings.Repeat("x", 100), "!" + ErrTooLong.Error()},
		{"a long line with its end", "data: " + strings.Repeat("x", 100) + "\n", "!" + ErrTooLong.Error()},
		{"long data", strings.Repeat("data: "+strings.Repeat("x", 30)+"\n", 3), "!" + ErrTooLong.Error()},
	} {
		for _, piece := range []int{1, 2, 5, len(c.sent)} {
			if got := told(c.sent, piece, 64); got != c.want {
				t.Errorf("%s, in pieces of %d: %q, want %q", c.name, piece, got, c.want)
			}
		}
	}
}

// TestReset: a new connection starts over, but for the last id.
func TestReset(t *testing.T) {
	p := Parser{Most: 100}
	b := []byte("id: 5\ndata: a\n\nid: 6\nevent: x\ndata: b")
	for len(b) > 0 {
		n, _, err := p.Next(b)
		if err != nil {
			t.Fatal(err)
		}
		b = b[n:]
	}
	p.Reset()
	_, f, _ := p.Next([]byte("data: c\n\n"))
	if f.Kind != Event || string(f.Data) != "c" || string(p.LastID) != "5" || len(f.Type) > 0 {
		t.Errorf("%q %q %q", f.Type, f.Data, p.LastID)
	}
}

func TestNoAllocations(t *testing.T) {
	p := Parser{Most: 1000}
	sent := []byte("id: 7\nevent: x\ndata: {\"at\":1}\ndata: y\n\nid: 8\ndata: z\n\n")
	read := func() {
		for b := sent; len(b) > 0; {
			n, _, err := p.Next(b)
			if err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
	}
	read()
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzParser: whole and in pieces it finds the same.
func FuzzParser(f *testing.F) {
	f.Add("id: 1\r\ndata: a\r\rretry: 5\n\n", 1)
	f.Add("\ufeffdata\n\n:x\n", 2)
	f.Fuzz(func(t *testing.T, sent string, piece int) {
		if len(sent) == 0 {
			return
		}
		piece = min(max(piece, 1), len(sent))
		if whole, parts := told(sent, len(sent), 1<<20), told(sent, piece, 1<<20); whole != parts {
			t.Fatalf("whole: %q, in pieces of %d: %q", whole, piece, parts)
		}
	})
}
