package profiled

import (
	"cmp"
	"slices"

	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/stats"
)

// Difference is what a function costs a request in two sets of starts, of its own.
type Difference struct {
	Function string         `json:"function"`
	Old      float64        `json:"old"` // ns of CPU time, or bytes allocated, a request
	New      float64        `json:"new"`
	More     stats.Interval `json:"more"` // new less old, with the interval for all functions together
	// Noise is by how much two equal runs with so many starts that differ so much would be
	// apart at most, in 95 of 100 such pairs of runs; 0 with fewer than two starts of either.
	Noise float64 `json:"noise"`
}

// Which functions are compared.
const (
	leastShare = 0.01 // of the cost of one side
	mostNamed  = 15
)

// Compare holds the functions of two cells against each other by a column of values, such as
// "cpu": those that cost most come first. It is nil if there is no start of either.
func Compare(old, new *Cell, column string) []Difference {
	before, after := costs(old, column), costs(new, column)
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	names := largest(before)
	for _, name := range largest(after) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	level := 1 - 0.05/float64(max(1, len(names)))
	var list []Difference
	for _, name := range names {
		o, n := of(before, name), of(after, name)
		d := Difference{Function: name, Old: mean(o), New: mean(n), More: stats.UnpairedDifference(n, o, level)}
		if one := stats.UnpairedDifference(n, o, 0.95); one.Level > 0 {
			d.Noise = (one.High - one.Low) / 2
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(max(b.Old, b.New), max(a.Old, a.New)), cmp.Compare(a.Function, b.Function))
	})
	return list[:min(len(list), mostNamed)]
}

// costs are what each function costs a request, of each start.
func costs(c *Cell, column string) (starts []map[string]float64) {
	for i := range c.Starts {
		s := &c.Starts[i]
		at := s.Profile.Column(column)
		if at < 0 || s.Requests == 0 {
			continue
		}
		cost := make(map[string]float64)
		for _, f := range s.Profile.Functions(at) {
			cost[f.Name] = float64(f.Self) / float64(s.Requests)
		}
		starts = append(starts, cost)
	}
	return starts
}

// largest are the functions worth looking at.
func largest(starts []map[string]float64) (names []string) {
	sums, all := make(map[string]float64), 0.0
	for _, cost := range starts {
		for name, c := range cost {
			sums[name] += c
			all += c
		}
	}
	for name, sum := range sums {
		if sum >= leastShare*all {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func of(starts []map[string]float64, name string) (list []float64) {
	for _, cost := range starts {
		list = append(list, cost[name])
	}
	return list
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// Table is the functions of profiles, with the shares of each that they have.
type Table struct {
	Sums []int64 // of each profile
	Rows []Row
}

// Row is one function in all profiles.
type Row struct {
	Function string    `json:"function"`
	Self     float64   `json:"self"`             // share of the first profile, of its own
	Total    float64   `json:"total"`            // and with what it calls
	Others   []float64 `json:"others,omitempty"` // its own share of each other profile
}

// Top are the functions with the most of their own in the first of some profiles of the same
// types, which is not nil; others may be.
func Top(column string, most int, profiles ...*pprof.Profile) Table {
	t := Table{Sums: make([]int64, len(profiles))}
	shares := make([]map[string]float64, len(profiles))
	for i, p := range profiles {
		shares[i] = make(map[string]float64)
		if p == nil {
			continue
		}
		at := p.Column(column)
		if at < 0 {
			continue
		}
		t.Sums[i] = p.Sum(at)
		for n, f := range p.Functions(at) {
			self := float64(f.Self) / float64(max(t.Sums[i], 1))
			shares[i][f.Name] = self
			if i == 0 && n < most {
				t.Rows = append(t.Rows, Row{Function: f.Name, Self: self, Total: float64(f.Total) / float64(max(t.Sums[i], 1))})
			}
		}
	}
	for r := range t.Rows {
		for i := 1; i < len(profiles); i++ {
			t.Rows[r].Others = append(t.Rows[r].Others, shares[i][t.Rows[r].Function])
		}
	}
	return t
}

// Waited are the functions below which slow requests waited for longer, as a share, than ordinary
// ones did, those with the largest difference first; of functions with the same the one that is
// seldom in all. Unlike those of [Top] the others' shares are of all that is below a function:
// where threads wait is at the tip of a stack, and why is some way down it.
func Waited(column string, most int, all, slow, ordinary *pprof.Profile) Table {
	profiles := []*pprof.Profile{all, slow, ordinary}
	t := Table{Sums: make([]int64, len(profiles))}
	rows := make(map[string]*Row)
	for i, p := range profiles {
		if p == nil || p.Column(column) < 0 {
			continue
		}
		at := p.Column(column)
		t.Sums[i] = p.Sum(at)
		for _, f := range p.Functions(at) {
			r := rows[f.Name]
			if r == nil {
				r = &Row{Function: f.Name, Others: make([]float64, len(profiles)-1)}
				rows[f.Name] = r
			}
			total := float64(f.Total) / float64(max(t.Sums[i], 1))
			if i == 0 {
				r.Self, r.Total = float64(f.Self)/float64(max(t.Sums[i], 1)), total
			} else {
				r.Others[i-1] = total
			}
		}
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, *r)
	}
	more := func(r *Row) float64 { return r.Others[0] - r.Others[1] }
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(more(&b), more(&a)), cmp.Compare(a.Total, b.Total), cmp.Compare(a.Function, b.Function))
	})
	t.Rows = t.Rows[:min(most, len(t.Rows))]
	return t
}
