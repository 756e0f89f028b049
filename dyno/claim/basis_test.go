package claim

import "testing"

// The blocks that are reported are those of what was measured: a part that could not be
// has none, and takes none from the others.
func TestFewestBlocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []Part
		want  string
	}{
		{"all measured", []Part{{Verdict: Confirmed, Blocks: 8}, {Verdict: Confirmed, Blocks: 6}}, "mixed"},
		{"few", []Part{{Verdict: Confirmed, Blocks: 8}, {Verdict: Confirmed, Blocks: 5}}, "mixed (5 blocks)"},
		{"one", []Part{{Verdict: Confirmed, Blocks: 1}}, "mixed (1 block)"},
		{"one part can't be measured", []Part{{Verdict: Confirmed, Blocks: 3}, {Verdict: Unmeasurable}}, "mixed (3 blocks)"},
		{"one of many can't be", []Part{{Verdict: Unmeasurable}, {Verdict: Confirmed, Blocks: 6}}, "mixed"},
		{"no block of a part can be used", []Part{{Verdict: Undecided}, {Verdict: Confirmed, Blocks: 4}}, "mixed (4 blocks)"},
		{"none can be used", []Part{{Verdict: Undecided}, {Verdict: Undecided}}, "mixed (0 blocks)"},
	} {
		out := Outcome{Verdict: Mixed, Parts: c.parts, Basis: &Basis{Validity: "VALID"}}
		if got := out.Word(); got.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
