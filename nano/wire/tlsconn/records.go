package tlsconn

import "encoding/binary"

// records follows the records that TLS is given (RFC 8446 5.1), to know when it has used
// them all. It counts only if it has seen the first.
type records struct {
	counts bool
	head   [recordHead]byte // of the record that is begun
	inHead int              // bytes of head that came
	left   int              // bytes of the record that are missing, once head is whole
	whole  int              // records that came as a whole
	used   int              // records that TLS is known to have used; there may be more
}

const recordHead = 5 // bytes: type, version, length

// pass takes what TLS is given.
func (r *records) pass(p []byte) {
	for r.counts && len(p) > 0 {
		if r.inHead < recordHead {
			n := copy(r.head[r.inHead:], p)
			r.inHead += n
			p = p[n:]
			if r.inHead < recordHead {
				return
			}
			r.left = int(binary.BigEndian.Uint16(r.head[3:]))
		}
		n := min(r.left, len(p))
		p = p[n:]
		if r.left -= n; r.left == 0 {
			r.inHead = 0
			r.whole++
		}
	}
}

// allUsed reports whether there is nothing, not even a part of a record, that TLS hasn't
// used.
func (r *records) allUsed() bool { return r.counts && r.inHead == 0 && r.used == r.whole }

// restart begins to count again when TLS wants more than it has.
func (r *records) restart() { r.whole, r.used = 0, 0 }
