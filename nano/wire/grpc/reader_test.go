package grpc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// messages shows what a reader finds in pieces.
func messages(r *Reader, pieces ...[]byte) (found []string, err error) {
	var text []byte
	for _, b := range pieces {
		for {
			n, p, ok, err := r.Next(b)
			if err != nil {
				return found, err
			}
			b = b[n:]
			if !ok {
				if len(b) > 0 {
					panic("bytes were left without a part")
				}
				break
			}
			if p.First != (text == nil) {
				return found, fmt.Errorf("a part of %q after %q: first is %v", p.Data, text, p.First)
			}
			if text == nil {
				text = fmt.Appendf(nil, "%v:", p.Compressed)
			}
			text = append(text, p.Data...)
			if p.Last {
				found, text = append(found, string(text)), nil
			}
		}
	}
	return found, nil
}

func frames(texts ...string) (wire []byte) {
	for _, text := range texts {
		body, compressed := strings.CutPrefix(text, "gzip ")
		wire = append(AppendPrefix(wire, len(body), compressed), body...)
	}
	return wire
}

func TestReader(t *testing.T) {
	wire := frames("hello", "", "gzip xyz", strings.Repeat("a", 300), "")
	want := []string{"false:hello", "false:", "true:xyz", "false:" + strings.Repeat("a", 300), "false:"}
	for size := 1; size <= len(wire); size++ {
		var r Reader
		got, err := messages(&r, slices.Collect(slices.Chunk(wire, size))...)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d: %q, %v", size, got, err)
		}
		if r.Within() {
			t.Fatalf("in pieces of %d: within a message at the end", size)
		}
	}
	for cut := range len(wire) {
		var r Reader
		got, err := messages(&r, wire[:cut])
		between := slices.Contains([]int{0, 10, 15, 23, 328}, cut)
		if err != nil || r.Within() == between {
			t.Errorf("after %d bytes, %d messages: within is %v, %v", cut, len(got), r.Within(), err)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	r := Reader{Max: 4}
	if got, err := messages(&r, frames("four", "five5")); !slices.Equal(got, []string{"false:four"}) {
		t.Errorf("%q, %v", got, err)
	} else if long := new(TooLongError); !errors.As(err, &long) || *long != (TooLongError{5, 4}) || !strings.Contains(err.Error(), "5 bytes") {
		t.Errorf("a message that is too long: %v", err)
	}
	r.Reset()
	if got, err := messages(&r, frames("four")); len(got) != 1 || err != nil || r.Max != 4 {
		t.Errorf("after a reset: %q, %v", got, err)
	}
	if _, err := messages(new(Reader), []byte("\x07abcd")); err != ErrFlag {
		t.Errorf("a wrong flag: %v", err)
	}
}

func TestReaderAllocatesNothing(t *testing.T) {
	wire := frames("hello", "", strings.Repeat("a", 300))
	var r Reader
	if n := testing.AllocsPerRun(100, func() {
		for b := wire; len(b) > 0; {
			n, _, _, err := r.Next(b[:min(len(b), 7)])
			if err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// However a stream is cut into pieces, its messages are the same.
func FuzzReader(f *testing.F) {
	f.Add(frames("hello", "", "gzip xyz"), uint8(3))
	f.Add([]byte("\x02abcd"), uint8(1))
	f.Add(frames("a")[:5], uint8(2))
	f.Fuzz(func(t *testing.T, wire []byte, size uint8) {
		a, b := Reader{Max: 1000}, Reader{Max: 1000}
		whole, err := messages(&a, wire)
		cut, cutErr := messages(&b, slices.Collect(slices.Chunk(wire, int(size)+1))...)
		if !slices.Equal(whole, cut) || (err == nil) != (cutErr == nil) || err == nil && a.Within() != b.Within() {
			t.Fatalf("whole: %q, %v, %v; cut: %q, %v, %v", whole, err, a.Within(), cut, cutErr, b.Within())
		}
		if err != nil || a.Within() {
			return
		}
		var again []byte
		for _, text := range whole {
			flag, body, _ := strings.Cut(text, ":")
			again = append(AppendPrefix(again, len(body), flag == "true"), body...)
		}
		if !bytes.Equal(again, wire) {
			t.Fatalf("%q is written again as %q", wire, again)
		}
	})
}
