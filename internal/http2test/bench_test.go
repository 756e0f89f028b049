package http2test

import (
	"bytes"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno.example/nano/wire/http2"
)

// BenchmarkTheirs is for orientation: what x/net's framer and HPACK need for a small
// request that is in the table and its response, without streams and flow control. The
// same with them is BenchmarkServer of dyno.example/nano/wire/http2.
func BenchmarkTheirs(b *testing.B) {
	var e http2.Encoder
	e.Init(4096)
	var wire []byte
	for range 3 { // until it is indexed
		block := e.Begin(nil)
		for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "localhost:8080"}, {":path", "/plaintext"}, {"user-agent", "dyno"}} {
			block = e.Append(block, []byte(f[0]), []byte(f[1]), false)
		}
		wire = http2.AppendHeaders(wire, 1, block, true, http2.MinMaxFrame)
	}
	in := bytes.NewReader(wire)
	var out, block bytes.Buffer
	framer := xhttp2.NewFramer(&out, in)
	framer.SetReuseFrames()
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	encoder := hpack.NewEncoder(&block)
	read := func() {
		if _, err := framer.ReadFrame(); err != nil {
			b.Fatal(err)
		}
	}
	read()
	read()
	read()
	last := wire[len(wire)-http2.FrameHeaderLen-5:] // five fields of a byte each
	b.ReportAllocs()
	for b.Loop() {
		in.Reset(last)
		read()
		out.Reset()
		block.Reset()
		for _, f := range []hpack.HeaderField{{Name: ":status", Value: "200"}, {Name: "server", Value: "nano"}, {Name: "date", Value: "Sun, 06 Nov 1994 08:49:37 GMT"},
			{Name: "content-type", Value: "text/plain"}, {Name: "content-length", Value: "13"}} {
			encoder.WriteField(f)
		}
		framer.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
		framer.WriteData(1, true, []byte("Hello, World!"))
	}
}
