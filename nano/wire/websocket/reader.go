package websocket

import (
	"encoding/binary"
	"strconv"
)

// Kind is what an [Event] reports.
type Kind uint8

// The kinds.
const (
	More      Kind = iota // all bytes are used up
	Payload               // a part of a message
	PingFrame             // to be followed by a pong of the same payload (RFC 6455 5.5.3)
	PongFrame
	CloseFrame // to be followed by one of the same status, unless one was sent (RFC 6455 5.5.1)
)

// Event is what a [Reader] has found.
type Event struct {
	Kind   Kind
	Opcode Opcode // of a message: Text or Binary
	Begins bool   // it is the first part of its message, which may be empty
	Ends   bool   // it is the last part

	// Data is a message's part as it came: a view into the bytes that were given, and
	// masked with Mask from the At-th byte on if the peer masks. Of a control frame it
	// is the payload without a mask, and good until the next call.
	Data []byte
	Mask [4]byte
	At   uint64

	Code   uint16 // of a close frame; NoStatus if it has none
	Reason []byte // of a close frame, good as Data is
}

// Reader follows the frames that one side sends. The zero value is ready to read what a
// server sends; set the exported fields before.
type Reader struct {
	Masked     bool  // the peer is a client: its frames are masked, a server's never are
	Deflates   bool  // messages may be compressed (RFC 7692); such text is not held to UTF-8
	MaxMessage int64 // bytes of a message, all its parts together; 0: no limit

	head [MaxHeader]byte // of the frame
	got  int             // bytes of it
	need int             // 0 until the second byte is in

	opcode  Opcode
	final   bool
	mask    [4]byte
	length  uint64 // of the frame's payload, whose header isn't complete yet
	left    uint64 // bytes to come of the frame's payload
	at      uint64 // of those before
	begins  bool   // no event of the message yet
	control [MaxControl]byte

	message Opcode // of the message that is open; Continuation: none
	size    int64  // of it, with the frame that is open
	text    bool   // which is text that can be read
	check   textCheck
}

// Next reads from b up to the next event and returns how many bytes it took. On an
// error, which is a [*Violation], n is where the first wrong byte is or the part of the
// payload that holds it.
func (r *Reader) Next(b []byte) (n int, ev Event, err error) {
	for n < len(b) {
		if r.left > 0 {
			took, ev, wrong := r.payload(b[n:])
			if wrong != nil {
				return n, Event{}, wrong
			}
			if n += took; ev.Kind != More {
				return n, ev, nil
			}
			continue
		}
		whole, wrong := r.header(b[n])
		if wrong != nil {
			return n, Event{}, wrong
		}
		if n++; whole && r.left == 0 {
			ev, wrong := r.end(nil)
			if wrong != nil {
				return n - 1, Event{}, wrong
			}
			return n, ev, nil
		}
	}
	return n, Event{}, nil
}

// InMessage reports whether a message has begun that is not over.
func (r *Reader) InMessage() bool { return r.message != Continuation }

// header takes a byte of a frame's header; whole is whether that was the last.
func (r *Reader) header(x byte) (whole bool, wrong *Violation) {
	r.head[r.got] = x
	r.got++
	switch r.got {
	case 1:
		return false, r.first(x)
	case 2:
		if wrong := r.second(x); wrong != nil {
			return false, wrong
		}
	}
	masks := 0
	if r.Masked {
		masks = len(r.mask)
	}
	if r.got == r.need-masks {
		if wrong := r.takeLength(); wrong != nil {
			return false, wrong
		}
	}
	if r.got < r.need {
		return false, nil
	}
	copy(r.mask[:], r.head[r.need-masks:r.need])
	r.got, r.need, r.at, r.left = 0, 0, 0, r.length
	return true, nil
}

// first takes the byte with the opcode.
func (r *Reader) first(x byte) *Violation {
	r.final, r.opcode = x&finalBit != 0, Opcode(x&0x0f)
	starts := r.opcode == Text || r.opcode == Binary
	compressed := x&deflated != 0 && r.Deflates && starts
	switch {
	case x&reserved != 0 && !(compressed && x&reserved == deflated):
		return violation(ReservedBit, "a reserved bit is set (RFC 6455 5.2)")
	case !r.opcode.known():
		return violation(ReservedOpcode, "the opcode "+strconv.Itoa(int(r.opcode))+" is reserved (RFC 6455 5.2)")
	case r.opcode.IsControl() && !r.final:
		return violation(SplitControl, "a control frame is fragmented (RFC 6455 5.5)")
	case r.opcode == Continuation && !r.InMessage():
		return violation(StrayPart, "a continuation without a message (RFC 6455 5.4)")
	case starts && r.InMessage():
		return violation(UnfinishedBefore, "a message before the end of the one before (RFC 6455 5.4)")
	case starts:
		r.message, r.text, r.check, r.size, r.begins = r.opcode, r.opcode == Text && !compressed, textCheck{}, 0, true
	}
	return nil
}

// second takes the byte with the length.
func (r *Reader) second(x byte) *Violation {
	masked, length := x&maskedBit != 0, x&lengths
	switch {
	case masked && !r.Masked:
		return violation(BadMask, "a frame of the server is masked (RFC 6455 5.1)")
	case !masked && r.Masked:
		return violation(BadMask, "the frame is not masked (RFC 6455 5.1)")
	case r.opcode.IsControl() && length > MaxControl:
		return violation(LongControl, "a control frame is longer than 125 bytes (RFC 6455 5.5)")
	}
	switch r.need = 2; length {
	case length16:
		r.need += 2
	case length64:
		r.need += 8
	}
	if masked {
		r.need += len(r.mask)
	}
	return nil
}

// takeLength takes the payload's length, once all its bytes are in.
func (r *Reader) takeLength() *Violation {
	length, least := uint64(r.head[1]&lengths), uint64(0)
	switch length {
	case length16:
		length, least = uint64(binary.BigEndian.Uint16(r.head[2:])), length16
	case length64:
		length, least = binary.BigEndian.Uint64(r.head[2:]), 1<<16
	}
	if length < least || length > 1<<63-1 {
		return violation(BadLength, "a length is not in its shortest form, or negative (RFC 6455 5.2)")
	}
	if !r.opcode.IsControl() && r.MaxMessage > 0 && length > uint64(r.MaxMessage-r.size) {
		return violation(Oversize, "a message is longer than the "+strconv.FormatInt(r.MaxMessage, 10)+" bytes that are allowed")
	}
	r.length = length
	if !r.opcode.IsControl() && length <= 1<<62 {
		r.size += int64(length)
	}
	return nil
}

// payload takes bytes of the frame's payload from the start of b. The event is More as
// long as a control frame isn't complete.
func (r *Reader) payload(b []byte) (n int, ev Event, wrong *Violation) {
	n = int(min(uint64(len(b)), r.left))
	part := b[:n]
	if r.opcode.IsControl() {
		copy(r.control[r.at:], part)
	} else if r.text && !r.reads(part) {
		return 0, Event{}, violation(BadUTF8, "the text is not UTF-8 (RFC 6455 8.1)")
	}
	r.left -= uint64(n)
	r.at += uint64(n)
	if r.left == 0 {
		ev, wrong = r.end(part)
		return n, ev, wrong
	}
	if !r.opcode.IsControl() {
		ev = r.part(part)
	}
	return n, ev, nil
}

// reads holds a part of a text to UTF-8.
func (r *Reader) reads(part []byte) bool {
	if r.Masked {
		return r.check.takeMasked(part, r.mask, r.at)
	}
	return r.check.take(part)
}

// part is the event of a part of a message, which r.at has counted already.
func (r *Reader) part(data []byte) Event {
	ev := Event{Kind: Payload, Opcode: r.message, Begins: r.begins, Data: data, Mask: r.mask, At: r.at - uint64(len(data))}
	r.begins = false
	return ev
}

// end ends a frame; last is the last part of its payload.
func (r *Reader) end(last []byte) (Event, *Violation) {
	if r.opcode.IsControl() {
		return r.endControl()
	}
	ev := r.part(last)
	if !r.final {
		return ev, nil
	}
	if r.text && !r.check.whole() {
		return Event{}, violation(BadUTF8, "the text ends within a character (RFC 6455 8.1)")
	}
	r.message, ev.Ends = Continuation, true
	return ev, nil
}

// endControl ends a control frame.
func (r *Reader) endControl() (Event, *Violation) {
	ev := Event{Data: r.control[:r.at]}
	if r.Masked {
		Mask(ev.Data, r.mask, 0)
	}
	switch r.opcode {
	case Ping:
		ev.Kind = PingFrame
	case Pong:
		ev.Kind = PongFrame
	default:
		var wrong *Violation
		ev.Kind = CloseFrame
		if ev.Code, ev.Reason, wrong = parseClose(ev.Data); wrong != nil {
			return Event{}, wrong
		}
	}
	return ev, nil
}
