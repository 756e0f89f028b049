package nullserver

import (
	"bytes"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
)

// HTTP2 is the null server's end of one connection over HTTP/2, without the
// connection: bytes that came go in, responses come out. It reads frames' headers and
// nothing else: no field block is decoded, and the client's windows aren't counted, as
// the responses are small. The zero value is ready to use.
type HTTP2 struct {
	Calls   bool   // requests are unary calls over gRPC, each with the response Message
	Message []byte // with its prefix; nil: one without fields

	greeted bool   // the client's preface is in
	partial []byte // a frame's header, or the payload of a PING, whose rest is to come
	skip    int    // bytes of a frame's payload that are to come and don't matter
	taken   int    // bytes of bodies since the connection's window was last opened
}

const (
	mostStreams = 1 << 20   // of a connection: nothing is kept of them
	wideWindow  = 1<<31 - 1 // as wide as can be (RFC 9113 6.9.1)
	firstWindow = 1<<16 - 1 // that a connection begins with (RFC 9113 6.9.2)
	openAgain   = 1 << 30   // bytes of bodies after which the connection's window is opened again
)

// hello is what the server says first.
var hello = http2.AppendWindowUpdate(
	http2.AppendSettings(nil, &http2.Settings{HeaderTable: 4096, MaxConcurrent: mostStreams, InitialWindow: wideWindow, MaxFrame: http2.MinMaxFrame, MaxHeaderList: 1<<32 - 1}, true),
	0, wideWindow-firstWindow)

var (
	preface = []byte(http2.Preface)
	body    = []byte("Hello, World!")
	// fields are those of the reply over HTTP/1.1: the status by its number in the
	// static table, the others as literals that are not indexed (RFC 7541 6.1, 6.2.2).
	fields = []byte("\x88" + "\x0f\x10\x0atext/plain" + "\x0f\x0d\x0213")
)

// calledFields, emptyMessage and okStatus are a response to a call (gRPC over HTTP/2,
// "Responses"): a message without fields is one of any type.
var (
	calledFields = []byte("\x88" + "\x0f\x10\x10application/grpc")
	emptyMessage = make([]byte, grpc.PrefixLen)
	okStatus     = []byte("\x00\x0bgrpc-status\x010")
)

// Respond appends to out what the server says to what came. It returns false if that
// is not HTTP/2.
func (h *HTTP2) Respond(out, in []byte) ([]byte, bool) {
	if len(h.partial) > 0 {
		h.partial = append(h.partial, in...)
		in = h.partial
	}
	if !h.greeted {
		n := min(len(in), len(preface))
		if !bytes.Equal(in[:n], preface[:n]) {
			return out, false
		}
		if n < len(preface) {
			h.partial = append(h.partial[:0], in...)
			return out, true
		}
		h.greeted, in = true, in[n:]
		out = append(out, hello...)
	}
	for {
		n := min(h.skip, len(in))
		h.skip -= n
		in = in[n:]
		if len(in) < http2.FrameHeaderLen {
			break
		}
		f := http2.ParseFrameHeader(in)
		if f.Length > http2.MinMaxFrame {
			return out, false
		}
		if f.Type == http2.FramePing && len(in) < http2.FrameHeaderLen+int(f.Length) {
			break
		}
		in = in[http2.FrameHeaderLen:]
		out = h.frame(out, f, in)
		h.skip = int(f.Length)
	}
	h.partial = append(h.partial[:0], in...) // it may overlap
	return out, true
}

// frame appends what a frame asks for.
func (h *HTTP2) frame(out []byte, f http2.FrameHeader, payload []byte) []byte {
	switch f.Type {
	case http2.FrameHeaders, http2.FrameData:
		if f.Type == http2.FrameData {
			if h.taken += int(f.Length); h.taken >= openAgain {
				out = http2.AppendWindowUpdate(out, 0, uint32(h.taken))
				h.taken = 0
			}
		}
		if f.Flags.Has(http2.FlagEndStream) {
			out = h.reply(out, f.Stream)
		}
	case http2.FrameSettings:
		if !f.Flags.Has(http2.FlagAck) {
			out = http2.AppendSettingsAck(out)
		}
	case http2.FramePing:
		if !f.Flags.Has(http2.FlagAck) && f.Length == 8 {
			out = http2.AppendPing(out, [8]byte(payload), true)
		}
	}
	return out
}

// reply appends the response to a request that is whole.
func (h *HTTP2) reply(out []byte, stream uint32) []byte {
	if h.Calls {
		out = http2.AppendHeaders(out, stream, calledFields, false, http2.MinMaxFrame)
		message := h.Message
		if message == nil {
			message = emptyMessage
		}
		out = http2.AppendData(out, stream, message, false)
		return http2.AppendHeaders(out, stream, okStatus, true, http2.MinMaxFrame)
	}
	out = http2.AppendHeaders(out, stream, fields, false, http2.MinMaxFrame)
	return http2.AppendData(out, stream, body, true)
}
