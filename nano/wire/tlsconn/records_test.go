package tlsconn

import "testing"

// Records are counted however they are cut.
func TestRecords(t *testing.T) {
	stream := []byte{23, 3, 3, 0, 2, 'a', 'b', 22, 3, 3, 0, 0, 23, 3, 3, 1, 0}
	stream = append(append(stream, make([]byte, 256)...), 23, 3, 3)
	for size := 1; size <= len(stream); size++ {
		r := records{counts: true}
		for b := stream; len(b) > 0; {
			n := min(size, len(b))
			r.pass(b[:n])
			b = b[n:]
		}
		if r.whole != 3 || r.inHead != 3 {
			t.Fatalf("in pieces of %d: %d records and %d bytes of the next", size, r.whole, r.inHead)
		}
		if r.used = 3; r.allUsed() {
			t.Fatal("the next has begun")
		}
		r.pass([]byte{0, 1, 'c'})
		if r.allUsed() {
			t.Fatal("there is one more")
		}
		if r.used = 4; !r.allUsed() {
			t.Fatal("all were used")
		}
	}
	r := records{}
	if r.pass(stream); r.allUsed() {
		t.Error("it knows nothing, and says that all were used")
	}
}
