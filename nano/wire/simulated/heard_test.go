//go:build linux

package simulated

import (
	"net/netip"
	"slices"
	"testing"
)

// What was said is heard when its last byte has arrived, or the end behind it, and when nobody
// hears any more.
func TestHeard(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(here, there *Socket)
		all  int // bytes that have arrived by then; -1: any number
	}{
		{"all that is written", func(here, _ *Socket) { here.Write(make([]byte, 5000)) }, 5000},
		{"nothing", func(*Socket, *Socket) {}, 0},
		{"an end", func(here, _ *Socket) { here.Write(make([]byte, 5000)); here.Close() }, 5000},
		{"a reset", func(here, _ *Socket) { here.Abort() }, 0},
		{"a reset behind something", func(here, _ *Socket) { here.Write(make([]byte, 5000)); here.Abort() }, -1},
		{"nobody is there", func(here, there *Socket) { there.Close(); here.Write(make([]byte, 5000)) }, 0},
	} {
		for seed := range uint64(20) {
			s := New(seed, 100)
			here, there := s.pair(Line{Capacity: 1 << 20, Latest: 1e6, Pieces: true}, netip.MustParseAddrPort("192.0.2.1:1"), netip.MustParseAddrPort("192.0.2.2:2"))
			here.up, there.up = true, true
			test.do(here, there)
			times, arrived, known := 0, -1, false
			here.Heard(func() {
				times++
				arrived, known = there.in.arrived, there.in.ended || there.dead || there.closed
			})
			for s.Next(1 << 62) {
			}
			if times != 1 || test.all >= 0 && arrived != test.all || known != slices.Contains([]string{"an end", "a reset", "a reset behind something", "nobody is there"}, test.name) {
				t.Errorf("%s, seed %d: %d times, %d bytes had arrived, the end: %t", test.name, seed, times, arrived, known)
			}
		}
	}
}
