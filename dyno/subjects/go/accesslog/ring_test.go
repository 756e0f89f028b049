package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestRingKeepsOrder: what comes out is what was put in, whole lines in their order, around the end of
// the ring as well.
func TestRingKeepsOrder(t *testing.T) {
	r := newRing(1000)
	var in, out bytes.Buffer
	batch := make([]byte, 0, 300)
	for i := range 2000 {
		line := fmt.Appendf(nil, "%d %s\n", i, strings.Repeat("x", i%97))
		for !r.put(line) {
			batch = r.take(batch)
			if len(batch) == 0 || batch[len(batch)-1] != '\n' {
				t.Fatalf("line %d: a full ring gave %q", i, batch)
			}
			out.Write(batch)
		}
		in.Write(line)
	}
	for batch = r.take(batch); len(batch) > 0; batch = r.take(batch) {
		out.Write(batch)
	}
	if !bytes.Equal(in.Bytes(), out.Bytes()) || r.used != 0 {
		t.Errorf("%d bytes in, %d out, %d left", in.Len(), out.Len(), r.used)
	}
}

func TestRingIsBounded(t *testing.T) {
	r := newRing(3 * batchSize)
	line := append(bytes.Repeat([]byte("x"), batchSize-1), '\n')
	for i := range 3 {
		if !r.put(line) {
			t.Fatalf("no room for line %d", i)
		}
	}
	if r.put([]byte("\n")) {
		t.Error("a full ring took a line")
	}
	if got := r.take(make([]byte, 0, batchSize)); !bytes.Equal(got, line) {
		t.Errorf("took %d bytes", len(got))
	}
	if !r.put([]byte("\n")) {
		t.Error("a ring with room took no line")
	}
	if r.put(append(line, line...)) {
		t.Error("took what no batch has room for")
	}
}

// TestRingTells: who empties it is told of the first line, and of a batch.
func TestRingTells(t *testing.T) {
	r := newRing(4 * batchSize)
	r.put([]byte("a\n"))
	r.put([]byte("b\n"))
	if len(r.some) != 1 || len(r.full) != 0 {
		t.Errorf("after two lines: some %d, full %d", len(r.some), len(r.full))
	}
	r.put(append(bytes.Repeat([]byte("x"), batchSize-5), '\n'))
	if len(r.full) != 1 {
		t.Error("not told of a batch")
	}
}

func TestPutAllocatesNothing(t *testing.T) {
	r, line, batch := newRing(4*batchSize), []byte("a line\n"), make([]byte, 0, batchSize)
	if n := testing.AllocsPerRun(100, func() { r.put(line); batch = r.take(batch) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
