package http2

import (
	"fmt"
	"testing"
)

// BenchmarkDecode decodes the head of a request whose path is new each time, in
// Huffman's code, while the other fields are in the table.
func BenchmarkDecode(b *testing.B) {
	p := newPair(4096)
	others := []string{":method: GET", ":scheme: http", ":authority: localhost:8080", "user-agent: dyno", "accept: */*"}
	p.send(b, others...)
	var blocks [64][]byte
	for i := range blocks {
		blocks[i] = p.send(b, append(others, fmt.Sprintf(":path: /orders/%d?page=%d", 1000+i, i))...)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := p.d.Decode(blocks[i%64], &p.h, &wide); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode encodes the head of a response with one value that is new.
func BenchmarkEncode(b *testing.B) {
	p := newPair(4096)
	var block []byte
	etag := []byte(`"0123456789abcdef"`)
	names := [][]byte{[]byte("Server"), []byte("Date"), []byte("Content-Type"), []byte("Content-Length")}
	values := [][]byte{[]byte("nano"), []byte("Sun, 06 Nov 1994 08:49:37 GMT"), []byte("text/plain; charset=utf-8"), []byte("13")}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		block = p.e.AppendStatus(p.e.Begin(block[:0]), 200)
		for k, name := range names {
			block = p.e.Append(block, name, values[k], false)
		}
		etag[1+i%16] = byte('a' + i>>4%26)
		block = p.e.Append(block, []byte("ETag"), etag, false)
	}
}

func BenchmarkHuffman(b *testing.B) {
	const text = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"
	code := appendHuffman(nil, text)
	buf := make([]byte, 0, 200)
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := appendHuffmanDecoded(buf, code); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			appendHuffman(buf, text)
		}
	})
}
