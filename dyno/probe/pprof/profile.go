// Package pprof reads and writes profiles in the format that Go's runtime, go tool pprof and
// others share (github.com/google/pprof/proto/profile.proto, gzipped): as far as stacks of
// functions go, without addresses, lines and labels. It is pure.
package pprof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Type is what a value of a sample is.
type Type struct {
	Name string // such as "cpu", "alloc_space"
	Unit string // such as "nanoseconds", "bytes", "count"
}

// Profile is stacks and what was counted at each.
type Profile struct {
	Types    []Type // of each sample's values
	Samples  []Sample
	Time     time.Time     // when it began
	Duration time.Duration // over which it was taken
	Period   int64         // between two samples, in the unit of PeriodOf
	PeriodOf Type
	Program  string // what was profiled, as readers show it
	Comments []string
}

// Sample is a stack with its values, one for each of the profile's types.
type Sample struct {
	Stack  []string // functions, from the innermost out
	Values []int64
}

// Function is what was counted at one function.
type Function struct {
	Name  string
	Self  int64 // where it was innermost
	Total int64 // where it was anywhere in the stack
}

// Types that dyno's own profiles have.
var (
	Samples = Type{"samples", "count"}
	CPU     = Type{"cpu", "nanoseconds"}
)

// Column is the place of a type's values by its name; -1 if the profile has none of it.
func (p *Profile) Column(name string) int {
	return slices.IndexFunc(p.Types, func(t Type) bool { return t.Name == name })
}

// Functions are those of a column of values, those with the most of their own first.
func (p *Profile) Functions(column int) []Function {
	seen := make(map[string]*Function)
	at := func(name string) *Function {
		f := seen[name]
		if f == nil {
			f = &Function{Name: name}
			seen[name] = f
		}
		return f
	}
	for i := range p.Samples {
		s := &p.Samples[i]
		if len(s.Stack) == 0 || s.Values[column] == 0 {
			continue
		}
		at(s.Stack[0]).Self += s.Values[column]
		for k, name := range s.Stack {
			if !slices.Contains(s.Stack[:k], name) { // one that calls itself counts once
				at(name).Total += s.Values[column]
			}
		}
	}
	list := make([]Function, 0, len(seen))
	for _, f := range seen {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Sum is all that was counted in a column.
func (p *Profile) Sum(column int) (sum int64) {
	for i := range p.Samples {
		sum += p.Samples[i].Values[column]
	}
	return sum
}

// Merge adds up profiles of the same types, such as of several starts of one program: stacks
// that are the same become one sample. It is nil of none.
func Merge(profiles ...*Profile) (*Profile, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	merged := *profiles[0]
	merged.Samples, merged.Duration = nil, 0
	places := make(map[string]int)
	for _, p := range profiles {
		if !slices.Equal(p.Types, merged.Types) {
			return nil, fmt.Errorf("profiles of %v and of %v can't be added up", merged.Types, p.Types)
		}
		merged.Duration += p.Duration
		for i := range p.Samples {
			s := &p.Samples[i]
			key := strings.Join(s.Stack, "\n")
			at, known := places[key]
			if !known {
				at = len(merged.Samples)
				places[key] = at
				merged.Samples = append(merged.Samples, Sample{Stack: s.Stack, Values: make([]int64, len(merged.Types))})
			}
			for k, v := range s.Values {
				merged.Samples[at].Values[k] += v
			}
		}
	}
	return &merged, nil
}
