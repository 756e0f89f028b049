package http2

// eos is the symbol that is padded with and never sent (RFC 7541 5.2).
const eos = 256

// huffmanLens are the lengths of the codes in RFC 7541 Appendix B, in bits. The
// code is canonical: codes go up by length and then by symbol, so that nothing
// else needs to be known.
var huffmanLens = [eos + 1]uint8{
	13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
	28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
	6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
	5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
	13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
	7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
	15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
	6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
	20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
	24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
	22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
	21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
	26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
	19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
	20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
	26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
	30, // EOS
}

const (
	shortestCode = 5
	longestCode  = 30
	quickBits    = 9 // codes up to this length are found by one look-up
)

// huffmanCode is one code, in the lowest len bits.
type huffmanCode struct {
	code uint32
	len  uint8
}

// huffmanTables is what the lengths come to, for both directions.
type huffmanTables struct {
	codes [eos + 1]huffmanCode
	quick [1 << quickBits]quickCode
	// For longer codes: symbols in the order of their codes; the first of each
	// length, and the end of its codes as if they were 32 bits long.
	symbols [eos + 1]uint16
	first   [longestCode + 1]uint32 // code
	place   [longestCode + 1]uint32 // in symbols
	end     [longestCode + 1]uint64
}

// quickCode is the symbol that some bits start with, and in the lowest six bits the
// length of its code; 0: a longer code.
type quickCode uint16

var huffman = func() (t huffmanTables) {
	code, n := uint32(0), uint32(0)
	for length := uint8(shortestCode); length <= longestCode; length++ {
		t.first[length], t.place[length] = code, n
		for symbol, l := range huffmanLens {
			if l != length {
				continue
			}
			t.codes[symbol] = huffmanCode{code, length}
			t.symbols[n] = uint16(symbol)
			if length <= quickBits {
				low := code << (quickBits - length)
				for i := range uint32(1) << (quickBits - length) {
					t.quick[low+i] = quickCode(symbol)<<6 | quickCode(length)
				}
			}
			code++
			n++
		}
		t.end[length] = uint64(code) << (32 - length)
		code <<= 1
	}
	return
}()
