package study

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

const threeFactors = minimal + `loads: [{open: {rate: 1}}]
blocks: 2
`

func pointsOf(t *testing.T, src string, seed uint64) []string {
	t.Helper()
	var list []string
	for _, c := range expand(t, parse(t, src), seed).Cells {
		if !c.Twin {
			list = append(list, fmt.Sprint(c.Levels))
		}
	}
	return list
}

func TestOneAtATime(t *testing.T) {
	got := pointsOf(t, threeFactors+"factors: {connections: [1, 2, 3], rate: [10, 20], reuse: [none]}\ndesign: one-at-a-time\n", 1)
	want := []string{
		"map[connections:1 rate:10 reuse:none]", "map[connections:2 rate:10 reuse:none]",
		"map[connections:3 rate:10 reuse:none]", "map[connections:1 rate:20 reuse:none]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLatinHypercubeCoversEachFactor: with as many samples as levels, each level
// is taken once.
func TestLatinHypercubeCoversEachFactor(t *testing.T) {
	src := threeFactors + "factors: {connections: {from: 1, to: 8}, rate: [1, 2, 3, 4, 5, 6, 7, 8]}\ndesign: {latin-hypercube: {samples: 8}}\n"
	p := expand(t, parse(t, src), 4)
	if p.Design == nil || p.Design.Kind != LatinHypercube || len(p.Design.Rows) != 8 || !slices.Equal(p.Design.Factors, []string{"connections", "rate"}) {
		t.Fatalf("design %+v", p.Design)
	}
	for _, factor := range p.Design.Factors {
		seen := make(map[string]int)
		for _, point := range p.Design.Rows {
			seen[p.Cells[point].Levels[factor]]++
		}
		if len(seen) != 8 {
			t.Errorf("%s: levels %v", factor, seen)
		}
	}
}

func TestSobolDesign(t *testing.T) {
	src := threeFactors + "factors: {connections: {from: 1, to: 64, scale: log}, rate: {from: 0.5, to: 2}, reuse: [none, shared]}\ndesign: {sobol: {samples: 8}}\n"
	p := expand(t, parse(t, src), 4)
	if p.Design.Kind != SobolDesign || p.Design.Samples != 8 || len(p.Design.Rows) != 8*(3+2) {
		t.Fatalf("design %+v", p.Design)
	}
	points := 0
	for _, c := range p.Cells {
		n, err := strconv.Atoi(c.Levels["connections"])
		if rate, rateErr := strconv.ParseFloat(c.Levels["rate"], 64); err != nil || n < 1 || n > 64 || rateErr != nil || rate < 0.5 || rate > 2 {
			t.Errorf("levels %v", c.Levels)
		}
		if n != c.Profile.Connections {
			t.Errorf("levels %v, but %d connections", c.Levels, c.Profile.Connections)
		}
		if !c.Twin {
			points++
		}
	}
	if slices.Max(p.Design.Rows) != points-1 || len(p.Cells) != points+1 {
		t.Errorf("rows %v of %d points, %d cells", p.Design.Rows, points, len(p.Cells))
	}
	if same := expand(t, parse(t, src), 4); !reflect.DeepEqual(p, same) {
		t.Error("the same seed gives another plan")
	}
	if other := expand(t, parse(t, src), 5); reflect.DeepEqual(p.Cells, other.Cells) {
		t.Error("another seed gives the same samples")
	}
}

func TestRangeLevels(t *testing.T) {
	for _, c := range []struct {
		r    Range
		u    float64
		want string
	}{
		{Range{From: 1, To: 4, Whole: true}, 0, "1"},
		{Range{From: 1, To: 4, Whole: true}, 0.26, "2"},
		{Range{From: 1, To: 4, Whole: true}, 0.9999, "4"},
		{Range{From: 1, To: 4, Whole: true, Log: true}, 0, "1"},
		{Range{From: 1, To: 4, Whole: true, Log: true}, 0.5, "2"},
		{Range{From: 1, To: 4, Whole: true, Log: true}, 0.9999, "4"},
		{Range{From: 0.5, To: 2}, 0.5, "1.25"},
		{Range{From: 0.25, To: 4, Log: true}, 0.5, "1"},
		{Range{From: 1, To: 2}, 1.0 / 3, "1.333"},
		{Range{From: 16, To: 64, Whole: true, Unit: "MiB"}, 0, "16MiB"},
	} {
		if got := c.r.level(c.u); got != c.want {
			t.Errorf("%+v at %v: got %s, want %s", c.r, c.u, got, c.want)
		}
	}
}

func TestDesignProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"unknown", minimal + "design: sobl\nfactors: {connections: [1, 2]}\n",
			`s.yaml:3:9: design: "sobl" is not one of the choices (did you mean "sobol"?)`},
		{"without factors", minimal + "design: full\n",
			"s.yaml:3:9: design: a design needs factors (add: factors: {connections: [16, 64]})"},
		{"samples", minimal + "design: {sobol: {samples: 1}}\nfactors: {connections: [1, 2]}\n",
			`s.yaml:3:27: design.sobol.samples: expected a whole number from 2 to 10000, got "1"`},
		{"two designs", minimal + "design: {sobol: {}, latin-hypercube: {}}\nfactors: {connections: [1, 2]}\n",
			"s.yaml:3:9: design: expected exactly one of latin-hypercube and sobol (sobol: {samples: 32})"},
		{"range of a full factorial", minimal + "factors: {connections: {from: 1, to: 2}}\n",
			"s.yaml:3:24: factors.connections: a range goes with a design that samples it (write its levels as [1, 8, 64], or add: design: {sobol: {samples: 32}})"},
		{"range of names", minimal + "design: sobol\nfactors: {reuse: {from: 1, to: 2}}\n",
			"s.yaml:4:18: factors.reuse: the levels of reuse have no order that a range could be of (write its levels as [a, b])"},
		{"half a range", minimal + "design: sobol\nfactors: {connections: {from: 1}}\n",
			"s.yaml:4:24: factors.connections: a range needs both ends ({from: 1, to: 64})"},
		{"backwards", minimal + "design: sobol\nfactors: {connections: {from: 8, to: 2}}\n",
			"s.yaml:4:38: factors.connections.to: the end of the range, 2, is not above its beginning, 8"},
		{"logarithm of zero", minimal + "design: sobol\nfactors: {env.A: {from: 0, to: 2, scale: log}}\n",
			"s.yaml:4:25: factors.env.A.from: a logarithmic range begins above zero (scale: linear)"},
		{"samples of a quick run", minimal + "quick: {samples: 4}\n",
			"s.yaml:3:18: quick.samples: the study's design, full, takes no samples"},
	})
}

func TestTwins(t *testing.T) {
	const factors = "factors: {connections: [1, 2]}\n"
	for _, c := range []struct {
		name, src string
		want      []string // cells that have a twin
	}{
		{"one cell compares nothing", minimal, nil},
		{"two loads are not compared", minimal + "loads: [{name: a, closed: {}}, {name: b, closed: {}}]\n", nil},
		{"two levels", minimal + factors, []string{"go/gin saturate map[connections:1]", "go/gin saturate map[connections:2]"}},
		{"switched off", minimal + factors + "twin: false\n", nil},
		{"the reference", "study: s\nsubjects: [go/gin, go/chi]\nreference: go/chi\n", []string{"go/chi saturate map[]"}},
		{"many levels", minimal + "loads: [{name: a, closed: {}}, {name: b, closed: {}}]\nfactors: {connections: [1, 2, 3, 4, 5]}\n",
			[]string{"go/gin a map[connections:1]", "go/gin b map[connections:1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := expand(t, parse(t, c.src), 1)
			var got []string
			for i, cell := range p.Cells {
				if cell.Index != i {
					t.Errorf("cell %d has index %d", i, cell.Index)
				}
				if cell.Twin {
					got = append(got, fmt.Sprint(cell.Subject, " ", cell.Load, " ", cell.Levels))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(p.Trials)%len(p.Cells) != 0 {
				t.Errorf("%d trials of %d cells", len(p.Trials), len(p.Cells))
			}
		})
	}
}
