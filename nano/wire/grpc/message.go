package grpc

import (
	"encoding/binary"
	"errors"
)

// PrefixLen is the length of what stands before each message ("Length-Prefixed-Message").
const PrefixLen = 5

// ErrFlag is returned for a message whose first byte is neither 0 nor 1.
var ErrFlag = errors.New("grpc: the first byte of a message, its compressed flag, is neither 0 nor 1")

// PutPrefix writes the prefix of a message of n bytes into p, of which there must be
// PrefixLen.
func PutPrefix(p []byte, n int, compressed bool) {
	p[0] = 0
	if compressed {
		p[0] = 1
	}
	binary.BigEndian.PutUint32(p[1:PrefixLen], uint32(n))
}

// AppendPrefix appends the prefix of a message of n bytes.
func AppendPrefix(b []byte, n int, compressed bool) []byte {
	var p [PrefixLen]byte
	PutPrefix(p[:], n, compressed)
	return append(b, p[:]...)
}

// ParsePrefix reads a prefix. p has PrefixLen bytes or more.
func ParsePrefix(p []byte) (n uint32, compressed bool, err error) {
	if p[0] > 1 {
		return 0, false, ErrFlag
	}
	return binary.BigEndian.Uint32(p[1:PrefixLen]), p[0] == 1, nil
}
