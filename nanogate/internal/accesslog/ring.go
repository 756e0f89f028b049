package accesslog

import (
	"encoding/binary"
	"sync/atomic"
)

// ring carries records from one loop to the writer, in bytes: one writes, one reads,
// neither waits. What there is no room for is dropped and counted.
type ring struct {
	buf     []byte // its length is a power of two
	dropped atomic.Uint64
	_       [64]byte
	in      atomic.Uint64 // bytes that were ever written, by the loop
	_       [64]byte
	out     atomic.Uint64 // bytes that were ever read, by the writer
	_       [64]byte
}

func newRing(size int) *ring {
	n := 1
	for n < size {
		n <<= 1
	}
	return &ring{buf: make([]byte, n)}
}

// used is how many bytes wait.
func (r *ring) used() int { return int(r.in.Load() - r.out.Load()) }

// put appends a record that is made of these parts. It is for the loop only.
func (r *ring) put(fixed []byte, route, endpoint string, note []byte) bool {
	n := 4 + len(fixed) + len(route) + len(endpoint) + len(note)
	at := r.in.Load()
	if n > len(r.buf)-int(at-r.out.Load()) {
		r.dropped.Add(1)
		return false
	}
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(n-4))
	at = copyIn(r, at, length[:])
	at = copyIn(r, at, fixed)
	at = copyIn(r, at, route)
	at = copyIn(r, at, endpoint)
	r.in.Store(copyIn(r, at, note))
	return true
}

func copyIn[T string | []byte](r *ring, at uint64, b T) uint64 {
	i := int(at) & (len(r.buf) - 1)
	if n := copy(r.buf[i:], b); n < len(b) {
		copy(r.buf, b[n:])
	}
	return at + uint64(len(b))
}

// take appends the next record to dst[:0]; ok is false if there is none. It is for the
// writer only.
func (r *ring) take(dst []byte) (record []byte, ok bool) {
	at := r.out.Load()
	if at == r.in.Load() {
		return dst[:0], false
	}
	var length [4]byte
	r.copyOut(length[:], at)
	n := int(binary.LittleEndian.Uint32(length[:]))
	if cap(dst) < n {
		dst = make([]byte, n)
	}
	dst = dst[:n]
	r.copyOut(dst, at+4)
	r.out.Store(at + 4 + uint64(n))
	return dst, true
}

func (r *ring) copyOut(dst []byte, at uint64) {
	i := int(at) & (len(r.buf) - 1)
	if n := copy(dst, r.buf[i:]); n < len(dst) {
		copy(dst[n:], r.buf)
	}
}
