//go:build linux

package storm

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	gate    = flag.String("storm.gate", "", "the nanogate that is driven; without it, this source's")
	seconds = flag.Float64("storm.seconds", 4, "of load with each seed")
	first   = flag.Uint64("storm.seed", 1, "the first seed")
	seeds   = flag.Uint64("storm.seeds", 3, "how many seeds")
)

// With everything switched on, nothing is lost, doubled, mixed up or left over.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	if *gate == "" {
		*gate = filepath.Join(t.TempDir(), "nanogate")
		if out, err := exec.Command("go", "build", "-o", *gate, "dyno.example/nanogate/cmd/nanogate").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	for seed := *first; seed < *first+*seeds; seed++ {
		report, err := Run(Options{
			Gate: *gate, Seed: seed, For: time.Duration(*seconds * float64(time.Second)), Clients: 24, Loops: 2,
			Features: AllFeatures, Faults: AllFaults, Share: 0.1, Show: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		report.WriteTo(&text)
		if t.Log(text.String()); report.Failed() {
			t.Errorf("seed %d: what must hold doesn't", seed)
		}
	}
}

// Names that there aren't are refused.
func TestSelect(t *testing.T) {
	for _, c := range []struct{ only, not, want string }{
		{"", "", "a,b,c"}, {"a, c", "", "a,c"}, {"", "b", "a,c"}, {"a,b", "b", "a"}, {"d", "", ""}, {"", "d", ""},
	} {
		got, err := Select([]string{"a", "b", "c"}, c.only, c.not)
		if strings.Join(got, ",") != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q without %q: %q, %v", c.only, c.not, got, err)
		}
	}
}
