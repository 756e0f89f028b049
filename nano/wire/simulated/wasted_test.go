//go:build linux

package simulated

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// What a reset takes away is told behind what had arrived before and is still read, in order.
func TestWastedBehindWhatIsRead(t *testing.T) {
	for seed := range uint64(50) {
		s := New(seed, 100)
		here, there := s.pair(Line{Capacity: 1 << 20, Latest: 1e6, Pieces: true}, netip.MustParseAddrPort("192.0.2.1:1"), netip.MustParseAddrPort("192.0.2.2:2"))
		here.up, there.up = true, true
		sent := make([]byte, 3000)
		for i := range sent {
			sent[i] = byte(i / 12)
		}
		var got []byte
		there.Wasted = func(b []byte, _ bool) { got = append(got, b...) }
		here.Write(sent)
		s.Next(1 << 62)
		there.reset() // on its way to what has arrived
		for s.Next(1 << 62) {
		}
		read := 0
		for b := make([]byte, 100); ; {
			n, errno := there.Read(b)
			if n == 0 || errno == unix.ECONNRESET {
				break
			}
			read += n
			got = append(got, b[:n]...)
		}
		there.Close()
		if string(got) != string(sent) || read == 0 {
			t.Errorf("seed %d: %d bytes of %d, %d of them read, or in another order", seed, len(got), len(sent), read)
		}
	}
}
