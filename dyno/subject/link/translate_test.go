package link

import (
	"encoding/binary"
	"net/netip"
	"testing"
)

// packetOf makes a packet with right checksums.
func packetOf(protocol byte, source, destination netip.Addr, options int, payload []byte) []byte {
	sum := map[byte]int{6: tcpSumAt, 17: udpSumAt}[protocol]
	head := leastHead + options
	p := make([]byte, head+20+len(payload))
	p[0], p[protocolAt] = byte(4<<4|head/4), protocol
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
	a, b := source.As4(), destination.As4()
	copy(p[sourceAt:], a[:])
	copy(p[destinationAt:], b[:])
	binary.BigEndian.PutUint16(p[sumAt:], ^ones(0, p[:head]))
	copy(p[head+20:], payload)
	if sum > 0 {
		binary.BigEndian.PutUint16(p[head+sum:], ^ones(pseudo(p, head), p[head:]))
	}
	return p
}

// pseudo is the sum of the pseudo head (RFC 9293, section 3.1).
func pseudo(p []byte, head int) uint32 {
	return uint32(ones(uint32(p[protocolAt])+uint32(len(p)-head), p[sourceAt:destinationAt+4]))
}

// ones is the sum of bytes in one's complement (RFC 1071).
func ones(s uint32, b []byte) uint16 {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) > 0 {
		s += uint32(b[0]) << 8
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

func right(p []byte) bool {
	head := int(p[0]&15) * 4
	return ones(0, p[:head]) == 0xffff && (p[protocolAt] != 6 && p[protocolAt] != 17 || ones(pseudo(p, head), p[head:]) == 0xffff)
}

func TestTranslate(t *testing.T) {
	here, there := netip.MustParseAddr("198.18.0.1"), netip.MustParseAddr("198.18.0.2")
	for _, protocol := range []byte{1, 6, 17} {
		for _, options := range []int{0, 12} {
			for _, payload := range []string{"", "x", "\xff\xff", "hello there"} {
				p := packetOf(protocol, here, there, options, []byte(payload))
				if !right(p) {
					t.Fatal("the test's own packet is wrong")
				}
				translate(p, destinationAt, there, loopback)
				if want := packetOf(protocol, here, loopback, options, []byte(payload)); string(p) != string(want) {
					t.Errorf("protocol %d, %d bytes of options, %q:\n%x\nwant\n%x", protocol, options, payload, p, want)
				}
				translate(p, sourceAt, there, loopback) // isn't its source
				if !right(p) || netip.AddrFrom4([4]byte(p[sourceAt:])) != here {
					t.Errorf("another address was changed: %x", p)
				}
			}
		}
	}
}

// What isn't a whole packet of IPv4 does no harm.
func FuzzTranslate(f *testing.F) {
	here, there := netip.MustParseAddr("198.18.0.1"), netip.MustParseAddr("198.18.0.2")
	f.Add(packetOf(6, here, there, 0, []byte("hello")))
	f.Add(packetOf(17, here, there, 40, nil))
	f.Add([]byte{0x45})
	f.Fuzz(func(t *testing.T, packet []byte) {
		was := append([]byte(nil), packet...)
		translate(packet, destinationAt, there, loopback)
		if len(packet) != len(was) {
			t.Fatal("its length changed")
		}
		translate(packet, destinationAt, loopback, there)
	})
}
