package link

import (
	"encoding/binary"
	"net/netip"
)

// loopback is where subjects listen.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// Offsets in the head of an IPv4 packet (RFC 791, section 3.1), and in the heads behind it.
const (
	fragmentAt    = 6
	protocolAt    = 9
	sumAt         = 10
	sourceAt      = 12
	destinationAt = 16
	leastHead     = 20
	tcpSumAt      = 16 // RFC 9293, section 3.1
	udpSumAt      = 6  // RFC 768
)

// translate puts an address in the place of another one in a packet, at sourceAt or
// destinationAt, with the checksums that cover it. Other packets it leaves as they are.
func translate(packet []byte, at int, old, new netip.Addr) {
	if len(packet) < leastHead || packet[0]>>4 != 4 {
		return
	}
	from, to := old.As4(), new.As4()
	if [4]byte(packet[at:at+4]) != from {
		return
	}
	copy(packet[at:], to[:])
	update(packet[sumAt:], from, to)
	head := int(packet[0]&15) * 4
	if binary.BigEndian.Uint16(packet[fragmentAt:])&0x1fff != 0 || head < leastHead {
		return // what comes behind is in another fragment
	}
	sum := head
	switch packet[protocolAt] {
	case 6:
		sum += tcpSumAt
	case 17:
		sum += udpSumAt
	default:
		return
	}
	if len(packet) < sum+2 || packet[protocolAt] == 17 && packet[sum] == 0 && packet[sum+1] == 0 {
		return // UDP without a checksum
	}
	update(packet[sum:], from, to)
}

// update changes a checksum by what an address that it covers has changed (RFC 1624, eqn. 3).
func update(sum []byte, old, new [4]byte) {
	s := uint32(^binary.BigEndian.Uint16(sum))
	for i := 0; i < 4; i += 2 {
		s += uint32(^binary.BigEndian.Uint16(old[i:])) + uint32(binary.BigEndian.Uint16(new[i:]))
	}
	s = s>>16 + s&0xffff
	s += s >> 16
	binary.BigEndian.PutUint16(sum, ^uint16(s))
}
