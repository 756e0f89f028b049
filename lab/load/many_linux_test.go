package load

import (
	"testing"

	"dyno/lab/load/profile"
	"dyno/lab/load/request"
)

// TestRingForManyConnections: the ring's queues don't grow with the connections
// beyond what the kernel allows.
func TestRingForManyConnections(t *testing.T) {
	if !hasRing() {
		t.Skip("no io_uring")
	}
	for connections, want := range map[int]uint32{1: 8192, 4096: 16384, 16_384: 65536, 16_385: 65536, profile.MaxConnections: 65536} {
		if got := completionsFor(connections); got != want {
			t.Errorf("room for %d completions of %d connections, want %d", got, connections, want)
		}
	}
	// A pool of so many, of which few are opened.
	s := spec(server(t, replies(okReply)), profile.Profile{Mode: profile.Open, Connections: 20_000, Rate: 200, Arrivals: profile.Uniform})
	s.Engine, s.Link.Reuse = "uring", request.Shared
	if err := roomForFiles(s.Profile.Connections); err != nil {
		t.Skip(err)
	}
	if all := everything(ran(t, s)); all.Completed+all.Drained != 60 {
		t.Errorf("completed %d, drained %d, errors %+v", all.Completed, all.Drained, all.Errors)
	}
}
