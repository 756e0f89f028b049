package engine

import (
	"testing"

	"dyno.example/dyno/load/profile"
)

// The ring's queues don't grow with the connections beyond what the kernel allows.
func TestCompletionsForConnections(t *testing.T) {
	for connections, want := range map[int]uint32{1: 8192, 4096: 16384, 16_384: 65536, 16_385: 65536, profile.MaxConnections: 65536} {
		if got := completionsFor(connections); got != want {
			t.Errorf("room for %d completions of %d connections, want %d", got, connections, want)
		}
	}
}
