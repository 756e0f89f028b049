package capacitycmd

import (
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
)

// Rates and times are written as those of dyno load.
func TestFlagsReadAsThoseOfLoad(t *testing.T) {
	for _, c := range []struct {
		make  func(*cli.Global) *cobra.Command
		flags []string
	}{
		{NewCapacity, []string{"--trial=5", "--initial-trial=1", "--start=5k", "--min-rate=1.5k/s", "--max-rate=2M", "--max-time=60", "-w", "1"}},
		{NewKnee, []string{"--trial=5", "-w", "1"}},
		{NewOverload, []string{"--capacity=8k", "--for=10", "--before=5", "--after=20", "--trial=2"}},
	} {
		cmd := c.make(&cli.Global{})
		if err := cmd.ParseFlags(c.flags); err != nil {
			t.Errorf("%s: %v", cmd.Name(), err)
		}
	}
	f := overloadFlags{capacity: "8k", easy: "50%", within: "25%"}
	f.plan.Factor, f.plan.For, f.plan.Before, f.plan.After = 1.5, time.Second, 3*time.Second, 3*time.Second
	if err := f.check(); err != nil || f.plan.Capacity != 8000 {
		t.Errorf("a capacity of 8k is %v, error %v", f.plan.Capacity, err)
	}
	for _, capacity := range []string{"0", "NaN", "-5", "many"} {
		if f.capacity = capacity; f.check() == nil {
			t.Errorf("a capacity of %s is taken", capacity)
		}
	}
}

func TestParseLevels(t *testing.T) {
	for text, want := range map[string][]int{
		"1": {1}, "4,2,2": {2, 4}, "500..2000+500": {500, 1000, 1500, 2000}, "1,10..25+10": {1, 10, 20},
	} {
		if got, err := parseLevels(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "0", "-1", "1..", "1..5", "5..1+1", "1..5+0", "1..2000000+5", "1..100000+1", "1,,2", "1..5+-1"} {
		if got, err := parseLevels(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
