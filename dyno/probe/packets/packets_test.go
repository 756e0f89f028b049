package packets

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"dyno.example/dyno/evidence"
)

// ipv4 is the headers of a segment, with a payload after them.
func ipv4(from, to uint16, payload string) []byte {
	b := make([]byte, 40)
	b[0], b[9] = 0x45, tcp
	binary.BigEndian.PutUint16(b[2:], uint16(40+len(payload)))
	copy(b[12:], []byte{127, 0, 0, 1, 127, 0, 0, 1})
	binary.BigEndian.PutUint16(b[20:], from)
	binary.BigEndian.PutUint16(b[22:], to)
	b[32] = 5 << 4
	return append(b, payload...)
}

func TestHeaders(t *testing.T) {
	whole := ipv4(4000, 80, "secret")
	udp, part, fragment, short := bytes.Clone(whole), whole[:39], bytes.Clone(whole), bytes.Clone(whole)
	udp[9], fragment[7], short[32] = 17, 1, 4<<4
	ipv6 := make([]byte, 60)
	ipv6[0], ipv6[6], ipv6[52] = 0x60, tcp, 5<<4
	for _, c := range []struct {
		name string
		b    []byte
		want int
	}{{"IPv4", whole, 40}, {"IPv6", ipv6, 60}, {"UDP", udp, 0}, {"cut", part, 0}, {"a fragment", fragment, 0}, {"no header", short, 0}, {"nothing", nil, 0}} {
		if got := headers(c.b); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if length(whole) != 46 {
		t.Errorf("%d", length(whole))
	}
}

// blocks takes a capture apart: the bodies of its blocks by kind.
func blocks(t *testing.T, b []byte) map[uint32][][]byte {
	t.Helper()
	list := map[uint32][][]byte{}
	for len(b) > 0 {
		if len(b) < 12 {
			t.Fatalf("%d bytes are left", len(b))
		}
		kind, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint32(b[4:]))
		if n%4 != 0 || n > len(b) || int(binary.LittleEndian.Uint32(b[n-4:])) != n {
			t.Fatalf("a block of %d bytes, of %d", n, len(b))
		}
		list[kind] = append(list[kind], b[8:n-4])
		b = b[n:]
	}
	return list
}

// What is written is a capture of all packets, and a mark is at the first of its connection
// in its time.
func TestWrite(t *testing.T) {
	var list []Packet
	for i := range int64(4) {
		list = append(list, Packet{At: 1<<40 + i, Length: 46, Headers: ipv4(4000+uint16(i%2), 80, "")})
	}
	list = append(list, Packet{At: 1<<40 + 4, Length: 46, Headers: ipv4(80, 4001, "")})
	id := evidence.ConnectionID([]byte{127, 0, 0, 1}, 4001)
	var b bytes.Buffer
	if err := Write(&b, list, 80, "all of it", []Mark{{id, 1<<40 + 2, 1<<40 + 9, "slow one"}, {id, 1, 2, "never"}}); err != nil {
		t.Fatal(err)
	}
	got := blocks(t, b.Bytes())
	if len(got[sectionBlock]) != 1 || len(got[interfaceBlock]) != 1 || len(got[packetBlock]) != 5 || !bytes.Contains(got[sectionBlock][0], []byte("all of it")) {
		t.Fatalf("%v", got)
	}
	for i, body := range got[packetBlock] {
		at := uint64(binary.LittleEndian.Uint32(body[4:]))<<32 | uint64(binary.LittleEndian.Uint32(body[8:]))
		if int64(at) != list[i].At || binary.LittleEndian.Uint32(body[12:]) != 40 || binary.LittleEndian.Uint32(body[16:]) != 46 || !bytes.Equal(body[20:60], list[i].Headers) {
			t.Errorf("packet %d: %v", i, body)
		}
		if has := strings.Contains(string(body), "slow one"); has != (i == 3) || strings.Contains(string(body), "never") {
			t.Errorf("packet %d: marked %v", i, has)
		}
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add(ipv4(1, 2, "x"))
	f.Add([]byte{0x60})
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := headers(b); n > 0 {
			length(b)
			(&Packet{Headers: b[:n]}).connection(80)
		}
	})
}
