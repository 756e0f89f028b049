package study

import (
	"fmt"
	"strings"
	"testing"

	"dyno.example/internal/i18n"
)

// One subject has its levels to take turns with; of too many those at one level do.
func TestArms(t *testing.T) {
	for _, c := range []struct {
		factors string
		groups  int
	}{
		{"twin: false", 1},
		{"twin: false\nfactors: {env.X: [a, b, c]}", 1},
		{"twin: false\nfactors: {env.X: [a, b, c, d, e, f, g, h, i]}", 9},
		{"twin: false\nfactors: {kernel.vm.swappiness: [1, 2]}", 0},
	} {
		s := sliced(t, "{slices: on}", c.factors)
		p, err := Expand(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if groups, _ := arms(s, p.Cells); len(groups) != c.groups {
			t.Errorf("%s: groups %v", c.factors, groups)
		}
	}
	up, err := Parse("test.yaml", []byte("study: a\nsubjects: [{name: a, url: 'http://x:1'}, {name: b, url: 'http://x:2'}]\ntrial: {slices: on}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Expand(up, 1); err != nil || p.Trials[0].InSlices {
		t.Errorf("services that are up: %+v, %v", p.Trials[0], err)
	}
}

// What is compared takes turns where not all can: of one subject at too many levels those of the factor
// that claims compare.
func TestArmsByWhatIsCompared(t *testing.T) {
	const two = "twin: false\nfactors: {env.X: [a, b, c, d, e, f], env.Y: [u, v, w, x, y, z]}\n"
	for _, c := range []struct {
		name, more string
		together   string // the factor whose levels take turns
		each       int
	}{
		{"by what is left out", two + "claims: [{id: c, says: s, published: p, expressions: ['cpu[a, env.X=a] / cpu[a, env.X=b] < 1'], over: {env.Y: [u, v, w, x, y, z]}}]", "env.X", 12},
		{"by the other", two + "claims: [{id: c, says: s, published: p, expressions: ['cpu[a, env.Y=u] / cpu[a, env.Y=v] < 1'], over: {env.X: [a, b, c, d, e, f]}}]", "env.Y", 12},
		{"by the larger", "twin: false\nfactors: {env.X: [a, b, c], env.Y: [t, u, v, w, x, y, z]}", "env.Y", 14},
		{"by both, as one is too many", "twin: false\nfactors: {env.X: [a, b, c, d, e, f, g, h, i], env.Y: [r, s, t, u, v, w, x, y, z]}", "", 2},
	} {
		s := sliced(t, "{slices: on}", c.more)
		p, err := Expand(s, 1)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		seen := 0
		groups, _ := arms(s, p.Cells)
		for _, group := range groups {
			seen += len(group)
			levels := map[string]map[string]bool{"env.X": {}, "env.Y": {}}
			for _, i := range group {
				for factor, level := range p.Cells[i].Levels {
					levels[factor][level] = true
				}
			}
			for factor, its := range levels {
				if (len(its) > 1) != (factor == c.together) || len(group) != c.each {
					t.Errorf("%s: %d take turns, at %d levels of %s", c.name, len(group), len(its), factor)
				}
			}
		}
		if seen != len(p.Cells) {
			t.Errorf("%s: %d of %d cells take turns", c.name, seen, len(p.Cells))
		}
	}
}

// All cells of a load are measured in one way: in trials, where some of them can't be in slices.
func TestOneLoadIsMeasuredInOneWay(t *testing.T) {
	const one, two = "subjects: [{name: a, run: ./a}]\n", "subjects: [{name: a, run: ./a}, {name: b, run: ./b}]\n"
	const loads = two + "loads: [{name: a, open: {rate: 1000}}, {name: b, closed: {connections: 2}}]\n"
	for _, c := range []struct {
		name, more string
		sliced     map[string]bool // by load
		why        string
	}{
		{"all can", loads + "factors: {env.X: [a, b]}", map[string]bool{"a": true, "b": true}, ""},
		{"a level can't", loads + "factors: {reuse: [none, per-worker]}", map[string]bool{}, "connections don't last"},
		{"a load can't", two + "loads: [{name: a, open: {rate: 1000}}, {name: b, closed: {connections: 2, think: 1ms}}]", map[string]bool{"a": true}, "think"},
		{"too many to divide", one + "factors: {env.X: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q]}", map[string]bool{}, "its 18 cells"},
		{"one alone", one + "twin: false", map[string]bool{}, "nobody to take turns with"},
	} {
		for _, in := range []string{"on", "both"} {
			s, err := Parse("test.yaml", fmt.Appendf(nil, "study: a\ntrial: {slices: %s}\n%s\n", in, c.more), nil)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			p, err := Expand(s, 1)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, trial := range p.Trials {
				if cell := &p.Cells[trial.Cell]; trial.InSlices != (c.sliced[cell.Load] && cell.Beside == nil) {
					t.Errorf("%s, %s: cell %d of %s: in slices %v", c.name, in, cell.Index, cell.Load, trial.InSlices)
				}
			}
			var said strings.Builder
			p.Describe(&said, i18n.Message.String)
			if strings.Contains(said.String(), "is measured in trials: ") != (c.why != "") || !strings.Contains(said.String(), c.why) {
				t.Errorf("%s, %s: %s", c.name, in, said.String())
			}
		}
	}
}

func TestNamesLevel(t *testing.T) {
	for expression, want := range map[string]bool{
		"cpu[a, size=64] < 1": true, "cpu[size=64] < 1": true, "cpu[a,size=64] < 1": true,
		"cpu[a, env.size=64] < 1": false, "cpu[a, sizes=64] < 1": false, "cpu[a] < size": false,
	} {
		if got := namesLevel(expression, "size"); got != want {
			t.Errorf("%s: %v", expression, got)
		}
	}
}
