package grpc

import "fmt"

// TooLongError is a message that is longer than its reader's limit.
type TooLongError struct {
	Length, Max uint32 // bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("grpc: message of %d bytes, more than the limit of %d", e.Length, e.Max)
}

// Reader finds the messages in the bytes of a stream, which may come in pieces of any
// size. Its zero value is at the start of a stream and takes messages of any length.
type Reader struct {
	Max uint32 // length of the longest message, in bytes; 0: no limit

	head       [PrefixLen]byte
	got        uint8  // bytes of head that are in
	compressed bool   // once the head is in …
	left       uint32 // … and bytes of the message that are to come
}

// Part is a piece of a message: often all of it.
type Part struct {
	Data       []byte // a view of what was read
	Compressed bool   // the message is
	First      bool   // the message begins with it
	Last       bool   // the message ends with it
}

// Next reads b up to the end of a message, or all of it. It reports n, how many bytes
// it took, and whether there is a part: ok is false when b holds no more than a piece
// of a prefix. Call it with the rest of b until n is len(b) and ok is false; a message
// without bytes gives a part without bytes. After an error the stream can't be read on.
func (r *Reader) Next(b []byte) (n int, p Part, ok bool, err error) {
	first := r.got < PrefixLen
	if first {
		n = copy(r.head[r.got:], b)
		if r.got += uint8(n); r.got < PrefixLen {
			return n, p, false, nil
		}
		if r.left, r.compressed, err = ParsePrefix(r.head[:]); err != nil {
			return n, p, false, err
		}
		if r.Max > 0 && r.left > r.Max {
			return n, p, false, &TooLongError{r.left, r.Max}
		}
		if r.left > 0 && n == len(b) {
			// Only the prefix: the part that follows is the first one.
			r.got = prefixDone
			return n, p, false, nil
		}
	} else if r.got == prefixDone {
		if len(b) == 0 {
			return 0, p, false, nil
		}
		first, r.got = true, PrefixLen
	}
	if r.left > 0 && n == len(b) {
		return n, p, false, nil
	}
	take := int(min(uint64(r.left), uint64(len(b)-n)))
	p = Part{Compressed: r.compressed, Data: b[n : n+take : n+take], First: first}
	r.left -= uint32(take)
	if r.left == 0 {
		p.Last, r.got = true, 0
	}
	return n + take, p, true, nil
}

// prefixDone in Reader.got says that the prefix is in and nothing after it.
const prefixDone = PrefixLen + 1

// Reset makes r ready for another stream; its limit stays.
func (r *Reader) Reset() { *r = Reader{Max: r.Max} }

// Within reports whether a message has begun that has not ended: a stream may not end
// then.
func (r *Reader) Within() bool { return r.got != 0 }
