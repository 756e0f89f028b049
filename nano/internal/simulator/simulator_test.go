//go:build linux

package simulator

import (
	"encoding/json"
	"flag"
	"testing"
)

var (
	seeds    = flag.Int("seeds", 200, "worlds")
	seed     = flag.Uint64("seed", 1, "the first of them")
	requests = flag.Int("requests", 60, "in each, about")
	trace    = flag.Bool("trace", false, "log all that happens")
)

// Whole apps in random worlds: what must hold does in all of them.
func TestWorlds(t *testing.T) {
	exchanges := 0
	for s := *seed; s < *seed+uint64(*seeds); s++ {
		o := Options{}
		if *trace {
			o.Trace = func(line string) { t.Log(line) }
		}
		sc := Draw(s, *requests)
		if *trace {
			t.Log(describe(sc))
		}
		r := Run(sc, o)
		exchanges += r.Exchanges
		if r.Failed() {
			t.Errorf("seed %d: %v\n%s", s, r.Err, r.Log)
			for _, v := range r.Violations {
				t.Log(v)
			}
			t.FailNow()
		}
	}
	t.Logf("%d worlds, %d exchanges", *seeds, exchanges)
}

func describe(sc *Scenario) string {
	b, err := json.MarshalIndent(sc, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// The same seed gives the same, and another one something else.
func TestSeedsRepeat(t *testing.T) {
	seen := map[uint64]bool{}
	for s := uint64(1); s <= 40; s++ {
		a, b := Run(Draw(s, 40), Options{}), Run(Draw(s, 40), Options{})
		if a.Hash != b.Hash {
			t.Errorf("seed %d: %x, then %x", s, a.Hash, b.Hash)
		}
		if seen[a.Hash] {
			t.Errorf("seed %d is like another one", s)
		}
		seen[a.Hash] = true
	}
}
