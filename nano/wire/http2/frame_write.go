package http2

import "encoding/binary"

// Preface is what a client sends before its first SETTINGS (RFC 9113 3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// AppendFrameHeader appends the start of a frame whose payload, of length bytes,
// is to follow.
func AppendFrameHeader(dst []byte, h FrameHeader) []byte {
	return append(dst, byte(h.Length>>16), byte(h.Length>>8), byte(h.Length), byte(h.Type), byte(h.Flags),
		byte(h.Stream>>24), byte(h.Stream>>16), byte(h.Stream>>8), byte(h.Stream))
}

// AppendData appends a DATA frame; data must not be longer than the peer takes.
func AppendData(dst []byte, stream uint32, data []byte, end bool) []byte {
	dst = AppendFrameHeader(dst, FrameHeader{uint32(len(data)), stream, FrameData, endFlag(end)})
	return append(dst, data...)
}

// AppendHeaders appends an encoded field block as HEADERS and as many
// CONTINUATION frames as it takes with payloads of max bytes.
func AppendHeaders(dst []byte, stream uint32, block []byte, end bool, max int) []byte {
	kind, flags := FrameHeaders, endFlag(end)
	for {
		part := block[:min(len(block), max)]
		if block = block[len(part):]; len(block) == 0 {
			flags |= FlagEndHeaders
		}
		dst = AppendFrameHeader(dst, FrameHeader{uint32(len(part)), stream, kind, flags})
		dst = append(dst, part...)
		if len(block) == 0 {
			return dst
		}
		kind, flags = FrameContinuation, 0
	}
}

func endFlag(end bool) Flags {
	if end {
		return FlagEndStream
	}
	return 0
}

// AppendRSTStream appends RST_STREAM.
func AppendRSTStream(dst []byte, stream uint32, code ErrCode) []byte {
	dst = AppendFrameHeader(dst, FrameHeader{4, stream, FrameRSTStream, 0})
	return binary.BigEndian.AppendUint32(dst, uint32(code))
}

// AppendSettingsAck appends the acknowledgement of SETTINGS.
func AppendSettingsAck(dst []byte) []byte {
	return AppendFrameHeader(dst, FrameHeader{0, 0, FrameSettings, FlagAck})
}

// AppendPing appends PING, or the acknowledgement of one, with eight bytes of any
// meaning.
func AppendPing(dst []byte, data [8]byte, ack bool) []byte {
	flags := Flags(0)
	if ack {
		flags = FlagAck
	}
	dst = AppendFrameHeader(dst, FrameHeader{8, 0, FramePing, flags})
	return append(dst, data[:]...)
}

// AppendGoAway appends GOAWAY: streams above last were not and won't be processed.
// debug is for the peer's log.
func AppendGoAway(dst []byte, last uint32, code ErrCode, debug string) []byte {
	dst = AppendFrameHeader(dst, FrameHeader{uint32(8 + len(debug)), 0, FrameGoAway, 0})
	dst = binary.BigEndian.AppendUint32(dst, last)
	dst = binary.BigEndian.AppendUint32(dst, uint32(code))
	return append(dst, debug...)
}

// AppendWindowUpdate appends WINDOW_UPDATE by n bytes, at least one.
func AppendWindowUpdate(dst []byte, stream, n uint32) []byte {
	dst = AppendFrameHeader(dst, FrameHeader{4, stream, FrameWindowUpdate, 0})
	return binary.BigEndian.AppendUint32(dst, n)
}
