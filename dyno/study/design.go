package study

import (
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Kinds of designs.
const (
	FullFactorial  = "full"            // every combination of levels
	OneAtATime     = "one-at-a-time"   // the first level of each factor, and each other level with the first ones of the others
	LatinHypercube = "latin-hypercube" // samples that cover each factor's range evenly
	SobolDesign    = "sobol"           // Saltelli's samples, from which Sobol indices are computed
)

// Design says which combinations of levels are measured.
type Design struct {
	Kind    string
	Samples int // of the designs that sample
}

// sampling reports whether the design chooses levels itself.
func (d Design) sampling() bool { return d.Kind == LatinHypercube || d.Kind == SobolDesign }

// PlannedDesign is how the points of a design came about.
type PlannedDesign struct {
	Kind    string   `json:"kind"`
	Samples int      `json:"samples,omitempty"`
	Factors []string `json:"factors"`        // its dimensions, in the order of the study
	Rows    []int    `json:"rows,omitempty"` // the point of each row of the matrix of samples; rows may share one
}

// size is how many points a design has at most, math.MaxInt if that is too many
// to count, and how it comes to them.
func (s *Study) size() (points int, how i18n.Message) {
	n := len(s.Factors)
	switch s.Design.Kind {
	case OneAtATime:
		points = 1
		for _, f := range s.Factors {
			points += max(len(f.Levels)-1, 0)
		}
		return points, i18n.New("study.combinations-one-time", " × %d combinations one at a time", points)
	case LatinHypercube:
		return s.Design.Samples, i18n.New("study.samples-of-design", " × %d samples", s.Design.Samples)
	case SobolDesign:
		return s.Design.Samples * (n + 2), i18n.New("study.samples-and-levels", " × %d samples × %d", s.Design.Samples, n+2)
	}
	points = 1
	for _, f := range s.Factors {
		how = i18n.Join(how, i18n.New("study.levels", " × %d levels of %s", len(f.Levels), f.Name))
		if levels := max(len(f.Levels), 1); points > math.MaxInt/levels {
			points = math.MaxInt
		} else {
			points *= levels
		}
	}
	return points, how
}

// points are the combinations of levels to measure, each once, and how they were
// chosen. They are a function of the study and, where the design samples, of the
// seed.
func (s *Study) points(seed uint64) ([]map[string]string, *PlannedDesign) {
	points, d := s.allPoints(seed)
	if d != nil {
		points, d.Rows = withoutVain(points, d.Rows)
		return points, d
	}
	points, _ = withoutVain(points, nil)
	return points, nil
}

// allPoints are the points of the design, some of which may be equal.
func (s *Study) allPoints(seed uint64) ([]map[string]string, *PlannedDesign) {
	d := &PlannedDesign{Kind: s.Design.Kind, Samples: s.Design.Samples}
	for _, f := range s.Factors {
		d.Factors = append(d.Factors, f.Name)
	}
	switch s.Design.Kind {
	case OneAtATime:
		return oneAtATime(s.Factors), d
	case LatinHypercube:
		return s.sampled(d, stats.LatinHypercube(s.Design.Samples, len(s.Factors), seed))
	case SobolDesign:
		return s.sampled(d, stats.Saltelli(s.Design.Samples, len(s.Factors), seed))
	}
	return combinations(s.Factors), nil
}

// combinations returns every way to choose a level of each factor, the last
// factor varying fastest.
func combinations(factors []Factor) []map[string]string {
	all := []map[string]string{{}}
	for _, f := range factors {
		var longer []map[string]string
		for _, chosen := range all {
			for _, level := range f.Levels {
				longer = append(longer, with(chosen, f.Name, level))
			}
		}
		all = longer
	}
	return all
}

// oneAtATime returns the base, which has the first level of each factor, and
// what differs from it by one level.
func oneAtATime(factors []Factor) []map[string]string {
	base := map[string]string{}
	for _, f := range factors {
		base[f.Name] = f.Levels[0]
	}
	all := []map[string]string{base}
	for _, f := range factors {
		for _, level := range f.Levels[1:] {
			all = append(all, with(base, f.Name, level))
		}
	}
	return all
}

// with returns a copy of the levels with one changed.
func with(levels map[string]string, factor, level string) map[string]string {
	changed := maps.Clone(levels)
	changed[factor] = level
	return changed
}

// pointKey identifies a point.
func pointKey(levels map[string]string) string {
	key := ""
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		key += name + "\x00" + levels[name] + "\x00"
	}
	return key
}

// sampled turns samples of the unit cube into combinations of levels. Samples
// with equal levels are one point.
func (s *Study) sampled(d *PlannedDesign, matrix [][]float64) (points []map[string]string, _ *PlannedDesign) {
	at := make(map[string]int)
	for _, row := range matrix {
		levels := make(map[string]string, len(row))
		key := ""
		for i := range s.Factors {
			f := &s.Factors[i]
			level := f.at(row[i])
			levels[f.Name] = level
			key += level + "\x00"
		}
		point, seen := at[key]
		if !seen {
			point, at[key] = len(points), len(points)
			points = append(points, levels)
		}
		d.Rows = append(d.Rows, point)
	}
	return points, d
}

// at is the level at the share u, from 0 to less than 1: of the range, or of the
// list, whose levels have equal shares.
func (f *Factor) at(u float64) string {
	if f.Range != nil {
		return f.Range.level(u)
	}
	return f.Levels[min(int(u*float64(len(f.Levels))), len(f.Levels)-1)]
}
