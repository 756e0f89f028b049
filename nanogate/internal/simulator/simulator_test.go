//go:build linux

package simulator

import (
	"flag"
	"testing"
)

var (
	seed      = flag.Uint64("seed", 1, "first seed")
	seeds     = flag.Int("seeds", 60, "how many")
	exchanges = flag.Int("exchanges", 100, "of each, about")
)

// Worlds of some seeds hold.
func TestSeeds(t *testing.T) {
	for n := range *seeds {
		s := *seed + uint64(n)
		if r := Run(Draw(s, *exchanges), Options{}); r.Failed() {
			t.Errorf("seed %d, %v: %v\n%s\nagain: scripts/simulate -seed %d -exchanges %d", s, r.Err, r.Violations[:min(2, len(r.Violations))], r.Log, s, *exchanges)
		}
	}
}

// The same seed does the same, byte for byte.
func TestDeterminism(t *testing.T) {
	for s := *seed; s < *seed+40; s++ {
		one, two := Run(Draw(s, *exchanges), Options{}), Run(Draw(s, *exchanges), Options{})
		if one.Hash != two.Hash || one.Exchanges != two.Exchanges {
			t.Errorf("seed %d: %x and %x", s, one.Hash, two.Hash)
		}
	}
}
