package nullserver

import (
	"bytes"
	"slices"
	"testing"

	"dyno.example/nano/wire/http2"
)

// TestHTTP2InPieces: frames whose bytes come one by one are responded to as frames that
// come at once.
func TestHTTP2InPieces(t *testing.T) {
	in := http2.AppendSettings([]byte(http2.Preface), &http2.DefaultSettings, false)
	in = http2.AppendHeaders(in, 1, []byte("\x82\x86\x84\x41\x01x"), true, 3)
	in = http2.AppendPing(in, [8]byte{'p', 'i', 'e', 'c', 'e', 's', '!', '!'}, false)
	in = http2.AppendHeaders(in, 3, []byte("\x83\x86\x84\x41\x01x"), false, 100)
	in = http2.AppendData(in, 3, make([]byte, 500), true)
	want := responses(t, in, len(in))
	for _, piece := range []int{1, 2, 9, 100} {
		if got := responses(t, in, piece); !bytes.Equal(got, want) {
			t.Errorf("in pieces of %d bytes: %q\nwant %q", piece, got, want)
		}
	}
	if n := bytes.Count(want, body); n != 2 {
		t.Errorf("%d responses of 2 in %q", n, want)
	}
}

// TestCalls: the response to a call is an empty message and the status OK, once the call is whole.
func TestCalls(t *testing.T) {
	in := http2.AppendSettings([]byte(http2.Preface), &http2.DefaultSettings, false)
	in = http2.AppendHeaders(in, 1, []byte("\x83\x86\x84\x41\x01x"), false, 100)
	h := HTTP2{Calls: true}
	out, ok := h.Respond(nil, in)
	if !ok || bytes.Contains(out, okStatus) {
		t.Fatalf("a response before the message: %q, %v", out, ok)
	}
	out, _ = h.Respond(nil, http2.AppendData(nil, 1, []byte("\x00\x00\x00\x00\x02ab"), true))
	want := http2.AppendHeaders(nil, 1, calledFields, false, http2.MinMaxFrame)
	want = http2.AppendData(want, 1, []byte{0, 0, 0, 0, 0}, false)
	if want = http2.AppendHeaders(want, 1, okStatus, true, http2.MinMaxFrame); !bytes.Equal(out, want) {
		t.Errorf("%q\nwant %q", out, want)
	}
	h.Message = []byte("\x00\x00\x00\x00\x02ok")
	if out, _ = h.Respond(nil, http2.AppendHeaders(nil, 3, []byte("\x83\x86\x84\x41\x01x"), true, 100)); !bytes.Contains(out, h.Message) {
		t.Errorf("%q lacks the message", out)
	}
}

// responses is what the server says to bytes that come in pieces of so many.
func responses(t *testing.T, in []byte, piece int) (out []byte) {
	t.Helper()
	var h HTTP2
	for part := range slices.Chunk(in, piece) {
		var ok bool
		if out, ok = h.Respond(out, part); !ok {
			t.Fatalf("pieces of %d bytes are refused", piece)
		}
	}
	return out
}

// TestNotHTTP2: what is something else is refused.
func TestNotHTTP2(t *testing.T) {
	long := http2.AppendFrameHeader([]byte(http2.Preface), http2.FrameHeader{Length: http2.MinMaxFrame + 1, Type: http2.FrameData, Stream: 1})
	for _, in := range []string{"GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX", string(long)} {
		if out, ok := new(HTTP2).Respond(nil, []byte(in)); ok {
			t.Errorf("the response to %.40q is %q", in, out)
		}
	}
}
