package ws

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync/atomic"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// checked is what the WebSocket library reads from. The library is lenient: it
// passes lengths that aren't the shortest form, text that isn't UTF-8 and reasons
// likewise, and doesn't say why it ends a connection whose frames aren't masked.
// checked holds the client's frames against RFC 6455 on their way, and fails at the
// first byte that is wrong with the status to close with. What came before it is
// passed on.
type checked struct {
	net.Conn
	early    []byte // read before and not used
	deflates bool   // messages may be compressed (RFC 7692)

	wrong atomic.Pointer[violation] // what it did, if it did

	head [14]byte // of the frame
	got  int      // bytes of it
	need int

	size    uint64 // its length, if the second byte hasn't it
	left    uint64 // bytes to come of the frame's payload
	at      uint64 // of those before
	mask    [4]byte
	opcode  byte
	final   bool
	control []byte // payload of a close frame

	message  byte // opcode of the message that is open; 0: none
	text     bool // which is text that can be read here
	sequence [utf8.UTFMax]byte
	partial  int // bytes of a character that isn't whole
}

// violation is what a client did against the protocol.
type violation struct {
	code websocket.StatusCode
	what string
}

func (v *violation) Error() string { return "ws: " + v.what }

// Opcodes (RFC 6455 5.2).
const (
	opContinuation = 0
	opText         = 1
	opBinary       = 2
	opClose        = 8
	opPing         = 9
	opPong         = 10
)

func (c *checked) Read(p []byte) (int, error) {
	if v := c.wrong.Load(); v != nil {
		return 0, v
	}
	n, err := 0, error(nil)
	if len(c.early) > 0 {
		n = copy(p, c.early)
		c.early = c.early[n:]
	} else {
		n, err = c.Conn.Read(p)
	}
	good, wrong := c.check(p[:n])
	if wrong != nil {
		c.wrong.Store(wrong)
		if good == 0 {
			return 0, wrong
		}
		return good, nil
	}
	return n, err
}

// check takes bytes from the client. good is how many of them may be passed on.
func (c *checked) check(b []byte) (good int, wrong *violation) {
	for i := 0; i < len(b); {
		if c.left > 0 {
			n := int(min(uint64(len(b)-i), c.left))
			if wrong := c.payload(b[i : i+n]); wrong != nil {
				return i, wrong
			}
			i += n
			continue
		}
		c.head[c.got] = b[i]
		if c.got++; c.got <= 2 {
			if wrong := c.start(); wrong != nil {
				return i, wrong
			}
		}
		if c.got > 2 && c.got == c.need-len(c.mask) { // before the library judges it
			if wrong := c.length(); wrong != nil {
				return i, wrong
			}
		}
		i++
		if c.got >= 2 && c.got == c.need {
			if wrong := c.begin(); wrong != nil {
				return i - 1, wrong
			}
		}
	}
	return len(b), nil
}

// start looks at the first or the second byte of a frame.
func (c *checked) start() *violation {
	if c.got == 1 {
		c.need = 2
		return c.first(c.head[0])
	}
	length := c.head[1] & 0x7f
	switch {
	case c.head[1]&0x80 == 0:
		return protocolError("the frame is not masked (RFC 6455 5.1)")
	case c.opcode >= opClose && length > 125:
		return protocolError("a control frame is longer than 125 bytes (RFC 6455 5.5)")
	}
	c.need = 6
	switch length {
	case 126:
		c.need = 8
	case 127:
		c.need = 14
	}
	return nil
}

// first looks at the byte with the opcode.
func (c *checked) first(b byte) *violation {
	c.final, c.opcode = b&0x80 != 0, b&0x0f
	compressed := b&0x40 != 0
	switch {
	case b&0x30 != 0, compressed && !(c.deflates && (c.opcode == opText || c.opcode == opBinary)):
		return protocolError("a reserved bit is set (RFC 6455 5.2)")
	case c.opcode > opBinary && c.opcode < opClose || c.opcode > opPong:
		return protocolError("the opcode is reserved (RFC 6455 5.2)")
	case c.opcode >= opClose && !c.final:
		return protocolError("a control frame is fragmented (RFC 6455 5.5)")
	case c.opcode == opContinuation && c.message == 0:
		return protocolError("a continuation without a message (RFC 6455 5.4)")
	case (c.opcode == opText || c.opcode == opBinary) && c.message != 0:
		return protocolError("a message before the end of the one before (RFC 6455 5.4)")
	}
	if c.opcode == opText || c.opcode == opBinary {
		c.message, c.text, c.partial = c.opcode, c.opcode == opText && !compressed, 0
	}
	return nil
}

// length takes a length that doesn't fit the second byte.
func (c *checked) length() *violation {
	if c.head[1]&0x7f == 126 {
		if c.left = uint64(binary.BigEndian.Uint16(c.head[2:])); c.left < 126 {
			return c.wrongLength()
		}
	} else if c.left = binary.BigEndian.Uint64(c.head[2:]); c.left < 1<<16 || c.left > 1<<63-1 {
		return c.wrongLength()
	}
	c.size, c.left = c.left, 0
	return nil
}

func (c *checked) wrongLength() *violation {
	c.left = 0
	return protocolError("a length is not in its shortest form, or negative (RFC 6455 5.2)")
}

// begin begins the payload of the frame whose head is in.
func (c *checked) begin() *violation {
	c.left, c.at = uint64(c.head[1]&0x7f), 0
	if c.left > 125 {
		c.left = c.size
	}
	copy(c.mask[:], c.head[c.got-4:c.got])
	c.got, c.control = 0, c.control[:0]
	if c.left == 0 {
		return c.end()
	}
	return nil
}

// payload takes bytes of the frame's payload.
func (c *checked) payload(b []byte) *violation {
	looks := c.opcode == opClose || c.opcode < opClose && c.text
	for _, x := range b {
		if !looks {
			break
		}
		x ^= c.mask[c.at&3]
		c.at++
		if c.opcode == opClose {
			c.control = append(c.control, x)
		} else if !c.character(x) {
			return &violation{websocket.StatusInvalidFramePayloadData, "the text is not UTF-8 (RFC 6455 8.1)"}
		}
	}
	if c.left -= uint64(len(b)); c.left == 0 {
		return c.end()
	}
	return nil
}

// character takes a byte of text. It fails at the first byte that can't be part of
// UTF-8.
func (c *checked) character(x byte) bool {
	if c.partial == 0 && x < utf8.RuneSelf {
		return true
	}
	c.sequence[c.partial] = x
	c.partial++
	s := c.sequence[:c.partial]
	if utf8.FullRune(s) { // also when no more bytes could make it valid
		r, _ := utf8.DecodeRune(s)
		c.partial = 0
		return r != utf8.RuneError || len(s) == 3 // U+FFFD itself
	}
	return true
}

// end ends a frame.
func (c *checked) end() *violation {
	switch {
	case c.opcode == opClose:
		return c.closes()
	case c.opcode > opClose || !c.final:
		return nil
	}
	whole := c.partial == 0
	c.message = 0
	if c.text && !whole {
		return &violation{websocket.StatusInvalidFramePayloadData, "the text ends within a character (RFC 6455 8.1)"}
	}
	return nil
}

// closes looks at what a close frame says (RFC 6455 5.5.1, 7.4).
func (c *checked) closes() *violation {
	if len(c.control) == 0 {
		return nil
	}
	if len(c.control) == 1 {
		return protocolError("a close frame with half a status (RFC 6455 5.5.1)")
	}
	code := binary.BigEndian.Uint16(c.control)
	switch {
	case code < 1000, code == 1004, code == 1005, code == 1006, code > 1014 && code < 3000, code > 4999:
		return protocolError(fmt.Sprintf("the status %d can't be sent (RFC 6455 7.4)", code))
	case !utf8.Valid(c.control[2:]):
		return &violation{websocket.StatusInvalidFramePayloadData, "the reason is not UTF-8 (RFC 6455 5.5.1)"}
	}
	return nil
}

func protocolError(what string) *violation {
	return &violation{websocket.StatusProtocolError, what}
}
