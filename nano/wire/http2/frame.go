package http2

import "encoding/binary"

// FrameType is the type of a frame (RFC 9113 6).
type FrameType uint8

const (
	FrameData           FrameType = 0x0
	FrameHeaders        FrameType = 0x1
	FramePriority       FrameType = 0x2
	FrameRSTStream      FrameType = 0x3
	FrameSettings       FrameType = 0x4
	FramePushPromise    FrameType = 0x5
	FramePing           FrameType = 0x6
	FrameGoAway         FrameType = 0x7
	FrameWindowUpdate   FrameType = 0x8
	FrameContinuation   FrameType = 0x9
	FramePriorityUpdate FrameType = 0x10 // RFC 9218 7.1; others are not known here
)

// Flags of frames; what a bit means depends on the type.
type Flags uint8

const (
	FlagEndStream  Flags = 0x1  // DATA, HEADERS
	FlagAck        Flags = 0x1  // SETTINGS, PING
	FlagEndHeaders Flags = 0x4  // HEADERS, CONTINUATION
	FlagPadded     Flags = 0x8  // DATA, HEADERS
	FlagPriority   Flags = 0x20 // HEADERS
)

// Has reports whether all bits of flag are set.
func (f Flags) Has(flag Flags) bool { return f&flag == flag }

// Sizes of frames, in bytes.
const (
	FrameHeaderLen = 9
	MinMaxFrame    = 16 << 10  // what every peer must take as a payload (RFC 9113 4.2)
	MaxMaxFrame    = 1<<24 - 1 // what a length can express
)

// FrameHeader is the start of every frame (RFC 9113 4.1).
type FrameHeader struct {
	Length uint32 // of the payload that follows, in bytes
	Stream uint32 // 0: the connection itself
	Type   FrameType
	Flags  Flags
}

// ParseFrameHeader reads the first nine bytes of b, which must be there. The bit
// that is reserved is ignored.
func ParseFrameHeader(b []byte) FrameHeader {
	_ = b[8]
	head := binary.BigEndian.Uint64(b)
	return FrameHeader{
		Length: uint32(head >> 40),
		Type:   FrameType(head >> 32),
		Flags:  Flags(head >> 24),
		Stream: uint32(head&0x7fffff)<<8 | uint32(b[8]),
	}
}

// Violations that a frame's header alone shows.
var (
	errFrameLong     = connError(FrameSizeError, "RFC 9113 4.2", "frame is longer than SETTINGS_MAX_FRAME_SIZE")
	errNoStream      = connError(ProtocolError, "RFC 9113 6", "frame that belongs to a stream names none")
	errSomeStream    = connError(ProtocolError, "RFC 9113 6", "frame that belongs to the connection names a stream")
	errPrioritySize  = streamError(FrameSizeError, "RFC 9113 6.3", "PRIORITY is not 5 bytes long")
	errRSTSize       = connError(FrameSizeError, "RFC 9113 6.4", "RST_STREAM is not 4 bytes long")
	errSettingsSize  = connError(FrameSizeError, "RFC 9113 6.5", "SETTINGS is not a multiple of 6 bytes long")
	errSettingsAck   = connError(FrameSizeError, "RFC 9113 6.5", "acknowledgement of SETTINGS is not empty")
	errPingSize      = connError(FrameSizeError, "RFC 9113 6.7", "PING is not 8 bytes long")
	errGoAwaySize    = connError(FrameSizeError, "RFC 9113 6.8", "GOAWAY is shorter than 8 bytes")
	errWindowSize    = connError(FrameSizeError, "RFC 9113 6.9", "WINDOW_UPDATE is not 4 bytes long")
	errUpdatePartial = connError(FrameSizeError, "RFC 9218 7.1", "PRIORITY_UPDATE is shorter than 4 bytes")
)

// Check holds a frame's length and stream against its type. max is the longest
// payload that is taken. Types that are not known pass.
func (h FrameHeader) Check(max uint32) *Error {
	if h.Length > max {
		return errFrameLong
	}
	switch h.Type {
	case FrameData, FrameHeaders, FrameContinuation, FramePushPromise:
		return h.onStream()
	case FramePriority:
		if h.Length != 5 && h.Stream != 0 {
			return errPrioritySize
		}
		return h.onStream()
	case FrameRSTStream:
		if h.Length != 4 {
			return errRSTSize
		}
		return h.onStream()
	case FrameWindowUpdate: // belongs to either
		if h.Length != 4 {
			return errWindowSize
		}
		return nil
	}
	return h.checkOfConn()
}

// onStream wants a stream to be named.
func (h FrameHeader) onStream() *Error {
	if h.Stream == 0 {
		return errNoStream
	}
	return nil
}

// checkOfConn is Check for the frames that belong to the connection.
func (h FrameHeader) checkOfConn() *Error {
	switch h.Type {
	case FrameSettings:
		if h.Flags.Has(FlagAck) && h.Length != 0 {
			return errSettingsAck
		}
		if h.Length%6 != 0 {
			return errSettingsSize
		}
	case FramePing:
		if h.Length != 8 {
			return errPingSize
		}
	case FrameGoAway:
		if h.Length < 8 {
			return errGoAwaySize
		}
	case FramePriorityUpdate:
		if h.Length < 4 {
			return errUpdatePartial
		}
	default:
		return nil
	}
	if h.Stream != 0 {
		return errSomeStream
	}
	return nil
}
