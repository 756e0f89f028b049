package study

import (
	"reflect"
	"testing"
	"time"
)

func TestQuickBlocks(t *testing.T) {
	for blocks, want := range map[int]int{1: 1, 5: 5, 6: 6, 11: 6, 12: 6, 13: 6, 14: 7, 40: 20} {
		s := parse(t, minimal)
		s.Blocks = blocks
		if got := s.Quick().Blocks; got != want {
			t.Errorf("%d blocks: got %d, want %d", blocks, got, want)
		}
	}
}

func TestQuickChangesWhatItSays(t *testing.T) {
	s := parse(t, minimal+`
loads: [{name: a, closed: {}}, {name: b, closed: {connections: 1}}]
factors: {connections: [1, 2, 3], env.A: [x, y]}
trial: {warmup: 5s, duration: 60s}
blocks: 30
quick: {blocks: 3, trial: {duration: 2s}, loads: [b], factors: {connections: [1]}}
`)
	before := *s
	q := s.Quick()
	if q.Blocks != 3 || q.Trial != (Timing{Warmup: 5 * time.Second, Duration: 2 * time.Second}) {
		t.Errorf("got %d blocks and %+v", q.Blocks, q.Trial)
	}
	if len(q.Loads) != 1 || q.Loads[0].Name != "b" {
		t.Errorf("got %+v", q.Loads)
	}
	if want := []Factor{{Name: "connections", Levels: []string{"1"}, Place: "s.yaml:8:65"}, {Name: "env.A", Levels: []string{"x", "y"}, Place: "s.yaml:5:35"}}; !reflect.DeepEqual(q.Factors, want) {
		t.Errorf("got %+v", q.Factors)
	}
	if !reflect.DeepEqual(*s, before) || len(s.Loads) != 2 || len(s.Factors[0].Levels) != 3 {
		t.Error("the study itself changed")
	}
}

// In slices a short form ends when intervals are narrow, but not if it is to decide claims: a
// verdict takes its blocks, and intervals of one look.
func TestQuickInSlicesEndsEarly(t *testing.T) {
	const sliced = "blocks: 20\ntrial: {duration: 2s, slices: on}\nquick: {blocks: 6}\n"
	if q := parse(t, minimal+sliced).Quick(); q.Until != (Until{Precision: 0.02, Blocks: 6}) {
		t.Errorf("without claims it ends by %+v", q.Until)
	}
	const claims = "claims: [{id: c, holds: 'cpu[go/gin] < 1ms'}]\n"
	if q := parse(t, minimal+sliced+claims).Quick(); q.Until.Sequential() || q.Blocks != 6 {
		t.Errorf("with claims it has %d blocks, and ends by %+v", q.Blocks, q.Until)
	}
	const until = "until: {blocks: 9, precision: 1%}\n"
	if q := parse(t, minimal+sliced+claims+until).Quick(); q.Until != (Until{Precision: 0.01, Blocks: 9}) {
		t.Errorf("a study that says when it ends does so by %+v", q.Until)
	}
}

func TestQuickTrialAlone(t *testing.T) {
	s := parse(t, minimal+"blocks: 20\nquick: {blocks: 4}\n")
	if q := s.Quick(); q.Trial != s.Trial || q.Blocks != 4 || len(q.Loads) != 1 {
		t.Errorf("got %+v", q)
	}
}

// A claim about what only the whole study measures is named.
func TestQuickOpen(t *testing.T) {
	const head = "study: s\nsubjects: [go/gin]\nfactors: {connections: [16, 32, 64]}\nloads: [{name: a, closed: {}}, {name: b, closed: {}}]\n"
	for _, c := range []struct {
		quick, claim string
		want         []string
	}{
		{"{blocks: 3}", "holds: 'errors[connections=32, load=a] < 1%'", nil},
		{"{factors: {connections: [16, 64]}}", "holds: 'errors[connections=16, load=a] < 1%'", nil},
		{"{factors: {connections: [16, 64]}}", "holds: 'errors[connections=32, load=a] < 1%'", []string{`the short form can't decide the claim one: there is no level of connections "32" here (there are 16, 64)`}},
		{"{factors: {connections: [16, 64]}}", "holds: 'errors[load=a] < 1%', over: {connections: [16, 32]}", []string{`the short form can't decide the claim one: there is no level of connections "32" here (there are 16, 64)`}},
		{"{loads: [b]}", "holds: 'errors[connections=16, load=a] < 1%'", []string{`the short form can't decide the claim one: there is no load "a" here (did you mean "b"?)`}},
	} {
		s := parse(t, head+"quick: "+c.quick+"\nclaims: [{id: one, "+c.claim+"}]\n")
		var got []string
		for _, m := range s.QuickOpen() {
			got = append(got, m.String())
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("quick: %s, %s: got %q", c.quick, c.claim, got)
		}
	}
}
