//go:build linux

package simulated

// Buffers is memory that those of a world lend one another: most connections are short, and
// each would have its own grow from nothing. The zero value is ready to be used, by one
// goroutine.
type Buffers struct{ free [][]byte }

// Take takes one, which is empty.
func (b *Buffers) Take() []byte {
	n := len(b.free)
	if n == 0 {
		return nil
	}
	one := b.free[n-1]
	b.free[n-1] = nil
	b.free = b.free[:n-1]
	return one
}

// Give gives one back, to which nobody may have a reference any more.
func (b *Buffers) Give(one []byte) {
	if cap(one) > 0 {
		b.free = append(b.free, one[:0])
	}
}
