package main

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// TestBatchesComeWhole: what was compressed is what is decompressed, by each codec.
func TestBatchesComeWhole(t *testing.T) {
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	back := map[string]func([]byte) ([]byte, error){
		"none":    func(b []byte) ([]byte, error) { return b, nil },
		"snappy":  func(b []byte) ([]byte, error) { return snappy.Decode(nil, b) },
		"zstd-3":  func(b []byte) ([]byte, error) { return decoder.DecodeAll(b, nil) },
		"zstd-12": func(b []byte) ([]byte, error) { return decoder.DecodeAll(b, nil) },
	}
	s := newSender(settings{batch: 16 << 10})
	size := map[string]int{}
	for name, compress := range codecs() {
		for range 2 * batches {
			w := httptest.NewRecorder()
			s.send(compress)(w, nil)
			size[name] += w.Body.Len()
			got, err := back[name](w.Body.Bytes())
			if want := s.batches()[s.next.Load()%batches]; err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %v, %d bytes of %d", name, err, len(got), len(want))
			}
		}
	}
	if !(size["zstd-12"] < size["zstd-3"] && size["zstd-3"] < size["snappy"] && size["snappy"] < size["none"]) {
		t.Errorf("sizes: %v", size)
	}
}

// TestTraffic: a batch is full of whole lines, the same for the same seed; ids make lines longer and
// are no others'.
func TestTraffic(t *testing.T) {
	seen := map[string]bool{}
	for _, ids := range []bool{false, true} {
		one, two := newTraffic(7, ids), newTraffic(7, ids)
		two.now = one.now
		b := one.batch(64 << 10)
		if !bytes.Equal(b, two.batch(64<<10)) {
			t.Error("one seed makes two logs")
		}
		if len(b) < 63<<10 || b[len(b)-1] != '\n' || strings.ContainsAny(string(b), "{}!") {
			t.Errorf("%d bytes: %.500s", len(b), b)
		}
		for line := range strings.Lines(string(b)) {
			last := line[strings.LastIndexByte(line, ' ')+1:]
			if ids && (len(last) != 33 || seen[last]) {
				t.Fatalf("id in %q", line)
			}
			seen[last] = true
		}
	}
	sum := 0
	for _, r := range routesOf {
		sum += r.share
	}
	if sum != 100 {
		t.Errorf("shares come to %d", sum)
	}
}
