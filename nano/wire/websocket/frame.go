package websocket

import "encoding/binary"

// Opcode says what a frame is (RFC 6455 5.2).
type Opcode uint8

// The opcodes; all others are reserved.
const (
	Continuation Opcode = 0
	Text         Opcode = 1
	Binary       Opcode = 2
	Close        Opcode = 8
	Ping         Opcode = 9
	Pong         Opcode = 10
)

// IsControl reports whether frames of the opcode are control frames (RFC 6455 5.5).
func (o Opcode) IsControl() bool { return o >= Close }

// known reports whether the opcode is not reserved.
func (o Opcode) known() bool { return o <= Binary || o >= Close && o <= Pong }

// Limits of frames.
const (
	MaxHeader  = 14  // bytes before a payload, with a mask
	MaxControl = 125 // bytes of a control frame's payload (RFC 6455 5.5)
)

// Bits of a frame's first two bytes.
const (
	finalBit  = 0x80
	deflated  = 0x40 // RSV1, as RFC 7692 6 uses it
	reserved  = 0x70
	maskedBit = 0x80
	lengths   = 0x7f
	length16  = 126
	length64  = 127
)

// AppendHeader appends the header of a frame whose payload has so many bytes. mask is
// nil on the server's side, which must not mask (RFC 6455 5.1).
func AppendHeader(dst []byte, op Opcode, final bool, length int, mask *[4]byte) []byte {
	first, second := byte(op), byte(0)
	if final {
		first |= finalBit
	}
	if mask != nil {
		second = maskedBit
	}
	switch {
	case length < length16:
		dst = append(dst, first, second|byte(length))
	case length < 1<<16:
		dst = append(dst, first, second|length16)
		dst = binary.BigEndian.AppendUint16(dst, uint16(length))
	default:
		dst = append(dst, first, second|length64)
		dst = binary.BigEndian.AppendUint64(dst, uint64(length))
	}
	if mask != nil {
		dst = append(dst, mask[:]...)
	}
	return dst
}

// AppendFrame appends a whole frame, masked if mask is not nil. The payload is copied,
// and stays as it is.
func AppendFrame(dst []byte, op Opcode, final bool, payload []byte, mask *[4]byte) []byte {
	dst = AppendHeader(dst, op, final, len(payload), mask)
	at := len(dst)
	dst = append(dst, payload...)
	if mask != nil {
		Mask(dst[at:], *mask, 0)
	}
	return dst
}

// AppendClose appends a close frame with a status and a reason, which is cut to what
// fits. Of the statuses that must not be sent ([CanSend]) it makes one without any.
func AppendClose(dst []byte, code uint16, reason string, mask *[4]byte) []byte {
	if !CanSend(code) {
		return AppendFrame(dst, Close, true, nil, mask)
	}
	var payload [MaxControl]byte
	binary.BigEndian.PutUint16(payload[:], code)
	n := copy(payload[2:], wholeRunes(reason, MaxControl-2))
	return AppendFrame(dst, Close, true, payload[:2+n], mask)
}

// Mask masks or unmasks b in place (RFC 6455 5.3): the one is the other. at is how many
// bytes of the frame's payload were before b.
func Mask(b []byte, key [4]byte, at uint64) {
	var turned [4]byte
	for i := range turned {
		turned[i] = key[(at+uint64(i))&3]
	}
	four := uint64(binary.LittleEndian.Uint32(turned[:]))
	eight := four<<32 | four
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^eight)
		b = b[8:]
	}
	for i := range b {
		b[i] ^= turned[i&3]
	}
}
