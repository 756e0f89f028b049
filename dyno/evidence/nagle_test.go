package evidence

import (
	"encoding/binary"
	"testing"
)

// TestNagle has a body that the kernel keeps until the head is acknowledged, and what looks like it.
func TestNagle(t *testing.T) {
	for _, tt := range []struct {
		name                           string
		window, unacknowledged, unsent uint32
		client                         int64 // µs, when it has all
		want                           bool
	}{
		{"a small body waits", 65536, 202, 2, 44_000, true},
		{"until a client that acknowledges at once has the head", 65536, 202, 2, 300, false},
		{"all was sent", 65536, 202, 0, 44_000, false},
		{"nothing is under way", 65536, 200, 200, 44_000, false},
		{"the client's window is full", 150, 202, 52, 44_000, false},
		{"more than a segment waits", 65536, 9000, 5000, 44_000, false},
		{"the congestion window may be full", 65536, 20_000, 700, 44_000, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent := at(100, Sent, loop, us, 2)
			for i, v := range []uint32{tt.window, tt.unacknowledged, tt.unsent} {
				binary.NativeEndian.PutUint32(sent.Text[4*i:], v)
			}
			s := requested(45e6)
			r := Join(&s, ordinary(at(95, Sent, loop, us, 200), sent, at(tt.client, ClientReady, 0, us, 1)), Server{})
			got := false
			for _, v := range r.Intervals {
				got = got || v.Stage == SendQueue && v.Reason == Nagle && v.To-v.From == (tt.client-100)*1000
			}
			if got != tt.want {
				t.Errorf("named %v, want %v: %+v", got, tt.want, r.Intervals)
			}
		})
	}
}
