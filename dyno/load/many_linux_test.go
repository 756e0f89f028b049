package load

import (
	"testing"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
)

// TestRingForManyConnections: a pool of many, of which few are opened.
func TestRingForManyConnections(t *testing.T) {
	if !engine.HasRing() {
		t.Skip("no io_uring")
	}
	s := spec(server(t, replies(okReply)), profile.Profile{Mode: profile.Open, Connections: 20_000, Rate: 200, Arrivals: profile.Uniform})
	s.Engine, s.Link.Reuse = "uring", request.Shared
	if _, err := machine.RaiseFileLimit(uint64(s.Profile.Connections) + 64); err != nil {
		t.Skip(err)
	}
	if all := everything(ran(t, s)); all.Completed+all.Drained != 60 {
		t.Errorf("completed %d, drained %d, errors %+v", all.Completed, all.Drained, all.Errors)
	}
}
