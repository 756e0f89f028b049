package study

import "testing"

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
		if groups := arms(s, p.Cells); len(groups) != c.groups {
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
		for _, group := range arms(s, p.Cells) {
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
