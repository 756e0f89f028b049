package main

import (
	"bytes"
	"sync"
)

// ring is a buffer of whole lines, bounded in bytes: what doesn't fit is not taken. Many put, one takes.
type ring struct {
	mu    sync.Mutex
	data  []byte
	first int // where the oldest line begins
	used  int

	some chan struct{} // has something in it where lines have come since the ring was empty
	full chan struct{} // has something in it where there has come to be a batch

	next chan struct{} // of emptied; nil if nobody has asked
}

func newRing(size int) *ring {
	return &ring{data: make([]byte, size), some: make(chan struct{}, 1), full: make(chan struct{}, 1)}
}

// put copies a line, which ends with a newline, and reports whether there was room for it. One that
// is longer than a batch has none.
func (r *ring) put(line []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.used
	if len(line) > batchSize || before+len(line) > len(r.data) {
		return false
	}
	at := (r.first + before) % len(r.data)
	n := copy(r.data[at:], line)
	copy(r.data, line[n:])
	r.used += len(line)
	if before == 0 {
		tell(r.some)
	}
	if before < batchSize && r.used >= batchSize {
		tell(r.full)
	}
	return true
}

// filled reports whether three quarters of the ring are in use.
func (r *ring) filled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used > len(r.data)/4*3
}

func tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// emptied returns a channel that is closed when take has next found nothing: what was taken before is
// written by then.
func (r *ring) emptied() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = make(chan struct{})
		tell(r.some) // nothing may have come
	}
	return r.next
}

// take moves the oldest lines into the batch, as many whole ones as it has room for.
func (r *ring) take(batch []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used == 0 && r.next != nil {
		close(r.next)
		r.next = nil
	}
	batch = batch[:min(r.used, cap(batch))]
	n := copy(batch, r.data[r.first:])
	copy(batch[n:], r.data)
	batch = batch[:bytes.LastIndexByte(batch, '\n')+1]
	r.first = (r.first + len(batch)) % len(r.data)
	r.used -= len(batch)
	return batch
}
