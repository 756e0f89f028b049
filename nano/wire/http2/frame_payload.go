package http2

import "encoding/binary"

// Violations inside of frames.
var (
	errPadding       = connError(ProtocolError, "RFC 9113 6.1", "padding is as long as the frame or longer")
	errPaddingSize   = connError(FrameSizeError, "RFC 9113 6.1", "padded frame is too short to say how much")
	errPriorityField = connError(FrameSizeError, "RFC 9113 6.2", "HEADERS is too short for its priority fields")
	errIncrement     = connError(ProtocolError, "RFC 9113 6.9", "WINDOW_UPDATE by 0 on the connection")
	errUpdateOfNone  = connError(ProtocolError, "RFC 9218 7.1", "PRIORITY_UPDATE of stream 0")
	errIncrementOf   = streamError(ProtocolError, "RFC 9113 6.9", "WINDOW_UPDATE by 0")
)

// padding splits the payload of a DATA frame into the bytes before its data and
// the data itself; the rest is padding. payload may be the frame's first byte
// only.
func (h FrameHeader) padding(payload []byte) (before, data uint32, err *Error) {
	if !h.Flags.Has(FlagPadded) {
		return 0, h.Length, nil
	}
	if h.Length == 0 {
		return 0, 0, errPaddingSize
	}
	pad := uint32(payload[0])
	if pad >= h.Length {
		return 0, 0, errPadding
	}
	return 1, h.Length - 1 - pad, nil
}

// Data gives the data in a DATA frame (RFC 9113 6.1). payload is all of it.
func (h FrameHeader) Data(payload []byte) ([]byte, *Error) {
	before, n, err := h.padding(payload)
	if err != nil {
		return nil, err
	}
	return payload[before : before+n], nil
}

// Fragment gives the part of a field block in a HEADERS frame (RFC 9113 6.2)
// and the stream that it depends on by its priority fields, which otherwise are
// ignored (RFC 9113 5.3.2). payload is all of the frame.
func (h FrameHeader) Fragment(payload []byte) (block []byte, dependsOn uint32, err *Error) {
	if h.Flags.Has(FlagPadded) {
		if len(payload) == 0 {
			return nil, 0, errPaddingSize
		}
		pad := int(payload[0])
		if payload = payload[1:]; pad > len(payload) {
			return nil, 0, errPadding
		}
		payload = payload[:len(payload)-pad]
	}
	if h.Flags.Has(FlagPriority) {
		if len(payload) < 5 {
			return nil, 0, errPriorityField
		}
		dependsOn = DependsOn(payload)
		payload = payload[5:]
	}
	return payload, dependsOn, nil
}

// DependsOn reads the stream that PRIORITY names (RFC 7540 6.3).
func DependsOn(payload []byte) uint32 { return binary.BigEndian.Uint32(payload) & 0x7fffffff }

// ParseCode reads the payload of RST_STREAM (RFC 9113 6.4).
func ParseCode(payload []byte) ErrCode { return ErrCode(binary.BigEndian.Uint32(payload)) }

// ParseGoAway reads GOAWAY (RFC 9113 6.8). debug shares the payload's memory.
func ParseGoAway(payload []byte) (last uint32, code ErrCode, debug []byte) {
	last = binary.BigEndian.Uint32(payload) & 0x7fffffff
	return last, ErrCode(binary.BigEndian.Uint32(payload[4:])), payload[8:]
}

// ParseIncrement reads WINDOW_UPDATE (RFC 9113 6.9).
func (h FrameHeader) ParseIncrement(payload []byte) (uint32, *Error) {
	n := binary.BigEndian.Uint32(payload) & 0x7fffffff
	switch {
	case n > 0:
		return n, nil
	case h.Stream == 0:
		return 0, errIncrement
	}
	return 0, errIncrementOf
}

// CheckPriorityUpdate checks a PRIORITY_UPDATE (RFC 9218 7.1), which is not acted upon.
func CheckPriorityUpdate(payload []byte) *Error {
	if DependsOn(payload) == 0 {
		return errUpdateOfNone
	}
	return nil
}
