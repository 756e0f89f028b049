//go:build linux

package simulator

import (
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/wire/simulated"
)

// The last response on a connection over HTTP/2 comes whole although its client opens windows while
// it comes: what a client sends to a connection that is closed already resets it.
func TestLastResponseOverHTTP2(t *testing.T) {
	for _, line := range []simulated.Line{{Capacity: 200, Latest: 2_000_000}, {Capacity: 20_000, Latest: 1_900_000_000, Pieces: true}} {
		lastResponse(t, line)
	}
}

func lastResponse(t *testing.T, line simulated.Line) {
	for seed := uint64(1); seed <= 60; seed++ {
		sc := &Scenario{
			Seed: seed, Mood: "calm", Loops: 1, Descriptors: 100, Latest: 1000, Late: 1000, Limits: nano.Limits{Requests: 1},
			Clients: []*Client{{
				Number: 1, Depth: 1, Line: line, Piece: 100, Think: 100_000, HTTP2: true, Window: 2000,
				Requests: []*Request{{ID: 1, Method: "GET", Do: Do{Route: "goroutine", Body: "whole", How: "whole", Status: 200, Size: 20_000}}},
			}},
		}
		for _, v := range Run(sc, Options{}).Violations {
			t.Errorf("seed %d: %s", seed, v)
		}
	}
}

// A client that waits for "100 Continue" isn't sent that in the middle of a response that has begun.
func TestContinueBehindResponse(t *testing.T) {
	sc := &Scenario{
		Seed: 1, Mood: "calm", Loops: 1, Descriptors: 100, Latest: 1000, Late: 1000, Limits: nano.Limits{BufferBody: 1},
		Clients: []*Client{{
			Number: 1, Depth: 1, Line: simulated.Line{Capacity: 2000},
			Requests: []*Request{{ID: 1, Method: "POST", Body: 1000, Expect: true, Do: Do{Route: "auto", Body: "echo", How: "chunks", Status: 200, Pieces: 3, Flushes: true}}},
		}},
	}
	for _, v := range Run(sc, Options{}).Violations {
		t.Error(v)
	}
}

// A client that has gone before it is told that the protocol changes leaves nothing: the handler had
// taken its connection.
func TestSwitchForAClientThatIsGone(t *testing.T) {
	sc := &Scenario{
		Seed: 1, Mood: "rough", Loops: 1, Descriptors: 100, Latest: 1, Late: 1, Limits: nano.Limits{BufferBody: 65536, MinRate: -1, MinTake: -1},
		Clients: []*Client{{
			Number: 1, Depth: 7, Line: simulated.Line{Capacity: 30000},
			Requests: []*Request{
				{ID: 1, Method: "PUT", Abort: "receive", After: 533, How: "reset", Do: Do{Route: "loop", Body: "whole", How: "whole", Status: 200, Size: 789}},
				{ID: 2, Method: "GET", Do: Do{Route: "goroutine", Body: "whole", How: "switch", Status: 101, Pieces: 1}},
			},
		}},
	}
	for _, v := range Run(sc, Options{}).Violations {
		t.Error(v)
	}
}

// What a client says on a stream before it has the response to its CONNECT is read, also if it is all
// that it says.
func TestTunnelOfAHastyClient(t *testing.T) {
	for _, route := range []string{"auto", "loop", "goroutine", "suspended"} {
		for _, body := range []int{0, 2, 70_000} {
			sc := &Scenario{
				Seed: 1, Mood: "calm", Loops: 1, Descriptors: 100, Latest: 1, Late: 1, Limits: nano.Limits{BufferBody: 65536, Body: 10},
				Clients: []*Client{{
					Number: 1, Depth: 1, Line: simulated.Line{Capacity: 200_000}, HTTP2: true, Window: 65535,
					Requests: []*Request{{ID: 3, Method: "GET", Body: body, Do: Do{Route: route, Body: "echo", How: "switch", Status: 200, Pieces: 1}}},
				}},
			}
			if !sc.Clients[0].Requests[0].eager() {
				t.Fatal("it isn't hasty")
			}
			for _, v := range Run(sc, Options{}).Violations {
				t.Errorf("%s, %d bytes: %s", route, body, v)
			}
		}
	}
}
