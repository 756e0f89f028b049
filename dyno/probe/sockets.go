package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Sockets is what waited in a server's sockets at the end of a window.
type Sockets struct {
	Connections int    `json:"connections"`       // of clients, to its port
	Unread      uint64 `json:"unread"`            // bytes that it hasn't read, of all together
	UnreadAt    int    `json:"unread_at"`         // connections that have such
	Unsent      uint64 `json:"unacknowledged"`    // bytes that it wrote and clients haven't acknowledged
	UnsentAt    int    `json:"unacknowledged_at"` // connections that have such
	AcceptQueue int    `json:"accept_queue"`      // connections that it hasn't accepted
}

// What the kernel says of sockets (linux/inet_diag.h, sock_diag(7)).
const (
	diagByFamily   = 20
	diagRequest    = 56 // bytes of inet_diag_req_v2
	diagMessage    = 72 // bytes of inet_diag_msg
	netlinkHead    = 16
	stateEstab     = 1
	stateCloseWait = 8
	stateListen    = 10
)

// diagDump is the request for all sockets of a family that a port of this side has.
func diagDump(family byte, port int) []byte {
	const request, dump, tcp = 0x1, 0x300, 6
	b := make([]byte, netlinkHead+diagRequest)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], diagByFamily)
	binary.NativeEndian.PutUint16(b[6:], request|dump)
	r := b[netlinkHead:]
	r[0], r[1] = family, tcp
	binary.NativeEndian.PutUint32(r[4:], 1<<stateEstab|1<<stateCloseWait|1<<stateListen)
	binary.BigEndian.PutUint16(r[8:], uint16(port)) // the kernel passes over others
	return b
}

// add takes one part of the kernel's response; done is true for the last.
func (s *Sockets) add(b []byte) (done bool, err error) {
	const errorType, doneType = 2, 3
	for len(b) >= netlinkHead {
		length, kind := int(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint16(b[4:])
		if length < netlinkHead || length > len(b) {
			return true, fmt.Errorf("the kernel's message has %d bytes, of %d", length, len(b))
		}
		switch body := b[netlinkHead:length]; kind {
		case doneType:
			return true, nil
		case errorType:
			return true, errors.New("the kernel refuses to list sockets")
		case diagByFamily:
			if len(body) < diagMessage {
				return true, fmt.Errorf("the kernel says %d bytes of a socket, not %d", len(body), diagMessage)
			}
			s.socket(body[1], binary.NativeEndian.Uint32(body[56:]), binary.NativeEndian.Uint32(body[60:]))
		}
		b = b[min(len(b), (length+3)&^3):]
	}
	return false, nil
}

// socket adds one, with the bytes in its queues; of one that listens, the first is how many
// connections wait.
func (s *Sockets) socket(state byte, receive, send uint32) {
	if state == stateListen {
		s.AcceptQueue += int(receive)
		return
	}
	s.Connections++
	if s.Unread += uint64(receive); receive > 0 {
		s.UnreadAt++
	}
	if s.Unsent += uint64(send); send > 0 {
		s.UnsentAt++
	}
}
