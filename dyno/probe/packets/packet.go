// Package packets captures the headers of a server's TCP packets, without what they carry, and
// writes them in pcapng's format, which Wireshark and others open.
package packets

import (
	"encoding/binary"

	"dyno.example/dyno/evidence"
)

// Most is how many packets a capture has at most.
const Most = 100_000

// Packet is the headers of one: of IP and TCP.
type Packet struct {
	At      int64 // CLOCK_REALTIME, ns
	Length  int   // bytes of the whole packet
	Headers []byte
}

// Of IP and TCP (RFC 791, 8200, 9293).
const (
	tcp        = 6
	leastIPv4  = 20
	headerIPv6 = 40
	leastTCP   = 20
)

// headers is how many bytes the headers of a packet have; 0 if it is none of TCP, or cut.
// Extensions of IPv6 are not looked behind.
func headers(b []byte) int {
	ip := 0
	switch {
	case len(b) >= leastIPv4 && b[0]>>4 == 4 && b[9] == tcp && binary.BigEndian.Uint16(b[6:])&0x1fff == 0:
		ip = int(b[0]&0xf) * 4
	case len(b) >= headerIPv6 && b[0]>>4 == 6 && b[6] == tcp:
		ip = headerIPv6
	}
	if ip < leastIPv4 || len(b) < ip+leastTCP {
		return 0
	}
	n := ip + int(b[ip+12]>>4)*4
	if n < ip+leastTCP || n > len(b) {
		return 0
	}
	return n
}

// length is how many bytes a packet has by its IP header.
func length(b []byte) int {
	if b[0]>>4 == 6 {
		return headerIPv6 + int(binary.BigEndian.Uint16(b[4:]))
	}
	return int(binary.BigEndian.Uint16(b[2:]))
}

// connection is the packet's, as evidence names connections to a port: by the client's
// address and port.
func (p *Packet) connection(port int) uint64 {
	b := p.Headers
	from, to, at := b[12:16], b[16:20], int(b[0]&0xf)*4
	if b[0]>>4 == 6 {
		from, to, at = b[8:24], b[24:40], headerIPv6
	}
	source, target := binary.BigEndian.Uint16(b[at:]), binary.BigEndian.Uint16(b[at+2:])
	if int(target) == port {
		return evidence.ConnectionID(from, source)
	}
	return evidence.ConnectionID(to, target)
}
