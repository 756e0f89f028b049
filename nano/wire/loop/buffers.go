package loop

// Buffers is a free list of a loop's buffers.
type Buffers struct {
	Fresh   int // bytes of a new one
	Largest int // bytes of one that is kept
	Most    int // that are kept

	spare [][]byte
}

// Take returns an empty buffer.
func (s *Buffers) Take() []byte {
	if n := len(s.spare); n > 0 {
		b := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return b
	}
	return make([]byte, 0, s.Fresh)
}

// Give returns a buffer that is no longer used. One that is smaller than a new one, or has
// grown large, goes to the collector.
func (s *Buffers) Give(b []byte) {
	if cap(b) >= s.Fresh && cap(b) <= s.Largest && len(s.spare) < s.Most {
		s.spare = append(s.spare, b[:0])
	}
}
