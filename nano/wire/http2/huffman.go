package http2

import (
	"encoding/binary"
	"slices"
)

var (
	errHuffmanPadding = connError(CompressionError, "RFC 7541 5.2", "Huffman padding is not ones, or longer than 7 bits")
	errHuffmanEOS     = connError(CompressionError, "RFC 7541 5.2", "Huffman code for the end of string in a string")
)

// appendHuffmanDecoded appends what src says in Huffman's code: at most 8/5 of its
// length.
func appendHuffmanDecoded(dst, src []byte) ([]byte, *Error) {
	at := len(dst)
	dst = slices.Grow(dst, len(src)*8/shortestCode+1)
	out := dst[:cap(dst)]
	quick := &huffman.quick
	bits, have := uint64(0), uint(0) // the highest have bits of bits are next
	for {
		if have < 32 {
			if len(src) >= 4 {
				bits |= uint64(binary.BigEndian.Uint32(src)) << (32 - have)
				have += 32
				src = src[4:]
			} else {
				for _, b := range src {
					bits |= uint64(b) << (56 - have)
					have += 8
				}
				src = nil
			}
		}
		e := quick[bits>>(64-quickBits)]
		length := uint(e & 63)
		if length-1 >= have { // more bits than there are, or 0: a longer code
			var symbol uint16
			symbol, length = longCode(bits)
			switch {
			case length > have:
				if have > 7 || ^bits>>(64-have) != 0 {
					return nil, errHuffmanPadding
				}
				return out[:at], nil
			case symbol == eos:
				return nil, errHuffmanEOS
			}
			e = quickCode(symbol << 6)
		}
		out[at] = byte(e >> 6)
		at++
		bits <<= length & 63
		have -= length
	}
}

// longCode reads one code bit length by bit length.
func longCode(bits uint64) (symbol uint16, length uint) {
	top := bits >> 32
	for length = shortestCode; length < longestCode && top >= huffman.end[length]; length++ {
	}
	code := uint32(top >> (32 - length))
	return huffman.symbols[huffman.place[length]+code-huffman.first[length]], length
}

// huffmanLen is the number of bytes that s takes in Huffman's code.
func huffmanLen(s string) int {
	bits := 0
	for i := range len(s) {
		bits += int(huffmanLens[s[i]])
	}
	return (bits + 7) / 8
}

// appendHuffman appends s in Huffman's code.
func appendHuffman(dst []byte, s string) []byte {
	bits, have := uint64(0), uint(0) // the lowest have bits of bits are to be written
	for i := range len(s) {
		c := huffman.codes[s[i]]
		bits = bits<<c.len | uint64(c.code)
		if have += uint(c.len); have >= 32 {
			have -= 32
			dst = binary.BigEndian.AppendUint32(dst, uint32(bits>>have))
		}
	}
	if fill := -have & 7; fill > 0 {
		bits = bits<<fill | (1<<fill - 1)
		have += fill
	}
	for have > 0 {
		have -= 8
		dst = append(dst, byte(bits>>have))
	}
	return dst
}
