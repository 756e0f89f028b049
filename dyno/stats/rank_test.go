package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ranks writes standings as "subject:rank" or "subject:rank-last", in their order.
func ranks(standings []Standing) string {
	var b strings.Builder
	for _, s := range standings {
		fmt.Fprintf(&b, "%d:%d", s.Subject, s.Rank)
		if s.Last != s.Rank {
			fmt.Fprintf(&b, "-%d", s.Last)
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestRank(t *testing.T) {
	nan := math.NaN()
	steady := func(level float64) []float64 { // four per mille of noise that pairs don't share
		return []float64{level, level * 1.004, level * 0.997, level * 1.001, level * 0.998, level * 1.002}
	}
	shuffled := func(level float64) []float64 {
		return []float64{level * 1.003, level * 0.996, level, level * 1.004, level, level * 0.998}
	}
	for _, c := range []struct {
		name   string
		values [][]float64
		better Better
		want   string
	}{
		{"nobody", nil, Higher, ""},
		{"alone", [][]float64{steady(5)}, Higher, "0:1"},
		{"all apart", [][]float64{steady(5), shuffled(8), steady(3)}, Higher, "1:1 0:2 2:3"},
		{"lower is better", [][]float64{steady(5), shuffled(8), steady(3)}, Lower, "2:1 0:2 1:3"},
		{"the first two can't be told apart", [][]float64{steady(5), shuffled(5.015), steady(3)}, Higher, "1:1-2 0:1-2 2:3"},
		{"the last two can't be told apart", [][]float64{steady(9), steady(5), shuffled(5.015)}, Higher, "0:1 2:2-3 1:2-3"},
		{"the same values", [][]float64{steady(5), steady(5)}, Higher, "0:1-2 1:1-2"},
		{"a subject without trials", [][]float64{steady(5), slices.Repeat([]float64{nan}, 6), steady(3)}, Higher, "0:1 2:2"},
		{"one common block tells nothing", [][]float64{{5, nan, nan, nan, nan, nan}, steady(3)}, Higher, "0:1-2 1:1-2"},
		{"medians that say the opposite", [][]float64{slices.Concat(steady(100), steady(100)), {101, 60, 101.2, 61, 101.1, 59, 101, 60.5, 101.3, 60.2, 101, 101.2}}, Higher, "1:1-2 0:1-2"},
		{"noise is no merit", [][]float64{steady(5), {9, 4, 4.2, 9.5, 3.8, 4.5}, steady(4.6)}, Higher, "0:1-2 2:2-3 1:1-3"},
		{"zeros have no ratio", [][]float64{{0, 0, 0, 0, 0, 0}, steady(3)}, Lower, "0:1-2 1:1-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ranks(Rank(c.values, c.better, 0.95)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Nobody stands above somebody whose figure is better, however little is known of it: by the
// number of those that are surely better alone, who is measured badly would lead.
func TestRanksAreInTheOrderOfTheEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for range 200 {
		values := make([][]float64, 6)
		for s := range values {
			noise := math.Exp(r.NormFloat64()-3) * float64(1+s%3)
			for range 6 {
				values[s] = append(values[s], (1+0.1*float64(s))*math.Exp(noise*r.NormFloat64()))
			}
		}
		standings := Rank(values, Higher, 0.95)
		if !slices.IsSortedFunc(standings, func(a, b Standing) int { return cmp.Compare(b.Median, a.Median) }) {
			t.Fatalf("not in the order of the medians: %+v", standings)
		}
		for at, s := range standings {
			if s.Rank > at+1 || s.Last < at+1 {
				t.Fatalf("the place %d is outside of its interval of ranks: %+v", at+1, standings)
			}
		}
	}
}

// Eight equal subjects make 28 pairs; without a correction most runs would
// claim a difference.
func TestRankSeldomInventsDifferences(t *testing.T) {
	const runs = 300
	r := rand.New(rand.NewPCG(11, 1))
	wrong := 0
	for range runs {
		values := make([][]float64, 8)
		for s := range values {
			for range 6 {
				values[s] = append(values[s], math.Exp(0.02*r.NormFloat64()))
			}
		}
		if slices.ContainsFunc(Rank(values, Higher, 0.95), func(s Standing) bool { return s.Rank > 1 }) {
			wrong++
		}
	}
	if share := float64(wrong) / runs; share > 0.08 {
		t.Errorf("%.3f of the runs tell equal subjects apart, want at most 0.05", share)
	}
}

// Holm, "A Simple Sequentially Rejective Multiple Test Procedure": with three
// tests at 5 %, the thresholds are 0.05/3, 0.05/2 and 0.05.
// Figures in steps agree by chance in few blocks, which is no certainty: of six subjects
// that are the same none is better more often than said.
func TestRanksOfFiguresInSteps(t *testing.T) {
	const runs = 1500
	for _, blocks := range []int{3, 4, 6} {
		r := rand.New(rand.NewPCG(9, uint64(blocks)))
		apart := 0
		for range runs {
			values := make([][]float64, 6)
			for s := range values {
				for range blocks {
					values[s] = append(values[s], 100+math.Round(0.5*r.NormFloat64()))
				}
			}
			if slices.ContainsFunc(Rank(values, Higher, 0.95), func(s Standing) bool { return s.Rank > 1 }) {
				apart++
			}
		}
		if apart > runs*65/1000 {
			t.Errorf("%d blocks: %d of %d runs", blocks, apart, runs)
		}
	}
	continuous, ones := []float64{1.2, 1.21, 1.19, 1.205}, []float64{1, 1, 1, 1}
	if step := stepOf(continuous, ones); step != 0 {
		t.Errorf("values against a constant come in steps of %v", step)
	}
	if exact := ranks(Rank([][]float64{{5, 5, 5}, {6, 6, 6}}, Higher, 0.95)); exact != "1:1 0:2" {
		t.Errorf("counts that are always the same are ranked %s", exact)
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		want int
	}{
		{[]float64{0.04, 0.01, 0.024}, 3},
		{[]float64{0.04, 0.01, 0.026}, 1},
		{[]float64{0.001, 0.017, 0.2}, 2},
		{[]float64{0.017, 0.018, 0.019}, 0},
	} {
		var all []difference
		for _, p := range c.p {
			all = append(all, difference{p: p})
		}
		if got := len(holm(all, 0.05)); got != c.want {
			t.Errorf("holm(%v) keeps %d, want %d", c.p, got, c.want)
		}
	}
}
