package accesslog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// What was put in comes out, in order and whole, wherever the ring's end is; what there
// was no room for is counted.
func TestRing(t *testing.T) {
	r := newRing(256)
	random := rand.New(rand.NewPCG(1, 2))
	var waiting [][]byte
	var record []byte
	dropped := uint64(0)
	for i := range 10_000 {
		if random.IntN(2) == 0 {
			fixed := []byte(fmt.Sprint(i))
			note := bytes.Repeat([]byte{byte(i)}, random.IntN(60))
			if r.put(fixed, "route", "e", note) {
				waiting = append(waiting, append(append(fixed, "routee"...), note...))
			} else {
				dropped++
			}
			continue
		}
		var ok bool
		if record, ok = r.take(record); ok != (len(waiting) > 0) {
			t.Fatalf("%d: %v, and %d wait", i, ok, len(waiting))
		}
		if ok {
			if !bytes.Equal(record, waiting[0]) {
				t.Fatalf("%d: %q, want %q", i, record, waiting[0])
			}
			waiting = waiting[1:]
		}
	}
	if dropped == 0 || r.dropped.Load() != dropped {
		t.Errorf("%d were dropped, %d counted", dropped, r.dropped.Load())
	}
	if r.put(make([]byte, 300), "", "", nil) {
		t.Error("a record that is larger than the ring was taken")
	}
}

// One writes while another reads.
func TestRingConcurrently(t *testing.T) {
	r := newRing(1 << 10)
	const n = 20_000
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range n {
			text := fmt.Append(nil, i, " ", i)
			for !r.put(text, "", "", nil) {
				runtime.Gosched() // the reader goes on meanwhile
			}
		}
	})
	var record []byte
	for i := 0; i < n; {
		var ok bool
		if record, ok = r.take(record); !ok {
			runtime.Gosched()
			continue
		}
		if want := fmt.Sprint(i, " ", i); string(record) != want {
			t.Fatalf("%q, want %q", record, want)
		}
		i++
	}
	writer.Wait()
}
