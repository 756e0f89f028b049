package grpcweb

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"dyno.example/nano/wire/grpc"
)

// decoder reads base64 that comes in parts. It may have been written in parts too, each
// with its padding.
type decoder struct {
	quad [4]byte // the start of one
	n    int     // bytes of it
}

// decode appends to dst what b says.
func (d *decoder) decode(dst, b []byte) ([]byte, error) {
	var err error
	for len(b) > 0 && err == nil {
		if run := wholeQuads(b); d.n == 0 && run > 0 {
			dst, err = base64.StdEncoding.AppendDecode(dst, b[:run])
			b = b[run:]
			continue
		}
		n := copy(d.quad[d.n:], b)
		b = b[n:]
		if d.n += n; d.n == len(d.quad) {
			d.n = 0
			dst, err = base64.StdEncoding.AppendDecode(dst, d.quad[:])
		}
	}
	if err != nil {
		return dst, ErrText
	}
	return dst, nil
}

// wholeQuads is how many bytes of b are whole quads without padding.
func wholeQuads(b []byte) int {
	n := bytes.IndexByte(b, '=')
	if n < 0 {
		n = len(b)
	}
	return n &^ 3
}

// code appends a part of a response's body as the client wants it. Each part in base64
// has its own padding: nothing of it waits for the next one.
func (c *Call) code(dst, b []byte) []byte {
	if c.textBack && !c.plain {
		return base64.StdEncoding.AppendEncode(dst, b)
	}
	return append(dst, b...)
}

// messages follows where messages begin and end.
type messages struct {
	prefix [grpc.PrefixLen]byte
	n      int    // bytes of a prefix that are in
	left   uint32 // bytes of a message that are to come
}

func (m *messages) feed(b []byte) {
	for len(b) > 0 {
		if m.left > 0 {
			n := min(uint64(m.left), uint64(len(b)))
			m.left -= uint32(n)
			b = b[n:]
			continue
		}
		n := copy(m.prefix[m.n:], b)
		b = b[n:]
		if m.n += n; m.n == len(m.prefix) {
			m.n, m.left = 0, binary.BigEndian.Uint32(m.prefix[1:])
		}
	}
}

// whole reports whether there is no message that isn't complete.
func (m *messages) whole() bool { return m.n == 0 && m.left == 0 }
