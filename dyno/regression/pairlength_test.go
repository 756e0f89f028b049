package regression

import (
	"testing"

	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/study"
)

func TestPairsAreAsLongAsThresholdsTake(t *testing.T) {
	for _, c := range []struct {
		trial, gate string
		want        int // rounds of a pair
	}{
		{"{duration: 2s, slices: on}", "cpu > +3%", 56},
		{"{duration: 2s, slices: on}", "cpu > +1%", 56},
		{"{duration: 2s, slices: on}", "cpu > +5%", 34},
		{"{duration: 2s, slices: on}", "cpu > +10%", 21},
		{"{duration: 2s, slices: on}", "throughput < -10%, errors > +1%", 21},
		{"{duration: 2s, slices: on}", "cpu > +10%, throughput < -5%", 34},
		{"{duration: 1s, slices: on}", "cpu > +3%", 28},
		{"{duration: 2s, slices: {length: 100ms}}", "cpu > +3%", 16},
		{"{duration: 2s, slices: {rounds: 70}}", "cpu > +10%", 70},
		{"{duration: 2s, slices: on}", "cpu > +10%, response.p99 > +10%", 57},
		{"{duration: 2s, slices: on}", "errors > +1%", 57},
		{"{duration: 2s, slices: both}", "cpu > +10%", 57},
	} {
		list, err := threshold.ParseList(c.gate, study.Metrics())
		if err != nil {
			t.Fatal(err)
		}
		s, err := study.Parse("gate.yaml", []byte("study: a\nsubjects: [{name: a, run: ./a}]\nloads: [{name: full, closed: {connections: 8}}]\nblocks: 4\ntrial: "+c.trial+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := ShortenPairs(s, list).Trial.RoundsIn(); got != c.want {
			t.Errorf("%s of %s: %d rounds, not %d", c.gate, c.trial, got, c.want)
		}
	}
}
