package regression

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Grown is a function that costs more CPU time a request in the new version.
type Grown struct {
	Function string         `json:"function"`
	Old      float64        `json:"old_ns"` // ns a request, of its own
	New      float64        `json:"new_ns"`
	More     stats.Interval `json:"more_ns"`
	// Within is the nearest caller that costs no more than before: the cost has moved there
	// from other functions, and is not new. Empty if there is none.
	Within string `json:"moved_within,omitempty"`
}

// Sampled are the starts of one version, each with where its CPU time went, and what a
// request cost altogether, in ns.
type Sampled struct {
	Starts []*sampled.Process
	Cost   float64
}

const (
	leastSamples = 30   // of a start: fewer show the largest functions only
	leastOfIt    = 10   // of a function, in all starts of the new version: fewer may be chance, though all starts agree
	leastShare   = 0.01 // of the cost: smaller functions are not looked at
	mostGrown    = 5    // that are named
)

// GrownFunctions says which functions account for a growth, the most important first. A
// function has grown if it costs more a request in the new version's starts than in the old
// one's: Welch's interval at 95 % for all functions together, starts being the unit. Cost
// that a caller's other functions have less of has moved and is not new (as FBDetect tells
// cost shifts from regressions: Yao and others, SOSP 2024). It is nil with fewer than two
// starts of either version that were seen often enough.
func GrownFunctions(old, new Sampled) []Grown {
	o, n := old.functions(), new.functions()
	if len(o) < 2 || len(n) < 2 {
		return nil
	}
	names := largest(o, old.Cost)
	for _, name := range largest(n, new.Cost) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	level := 1 - (1-0.95)/float64(max(len(names), 1))
	var list []Grown
	for _, name := range names {
		if new.samplesOf(name) < leastOfIt {
			continue
		}
		before, after := costsOf(o, name, selfCost), costsOf(n, name, selfCost)
		g := Grown{Function: name, Old: mean(before), New: mean(after), More: stats.UnpairedDifference(after, before, level)}
		if g.More.Level > 0 && g.More.Low > 0 {
			g.Within = movedWithin(name, g.More.Estimate, new, o, n)
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b Grown) int {
		return cmp.Or(cmp.Compare(len(a.Within), 0)-cmp.Compare(len(b.Within), 0), cmp.Compare(b.More.Estimate, a.More.Estimate))
	})
	return list[:min(len(list), mostGrown)]
}

// cost is what a function costs a request, in ns, in one start.
type cost struct{ self, total float64 }

func selfCost(c cost) float64  { return c.self }
func totalCost(c cost) float64 { return c.total }

// functions are the costs in each start that was seen often enough.
func (s *Sampled) functions() (starts []map[string]cost) {
	for _, p := range s.Starts {
		if !seen(p) {
			continue
		}
		each := s.Cost / float64(p.Samples)
		costs := map[string]cost{}
		for _, f := range p.Functions() {
			costs[f.Name] = cost{each * float64(f.Self), each * float64(f.Total)}
		}
		starts = append(starts, costs)
	}
	return starts
}

// samplesOf is how often a function itself was seen to run, in all starts.
func (s *Sampled) samplesOf(name string) (n int) {
	for _, p := range s.Starts {
		for _, f := range p.Functions() {
			if f.Name == name {
				n += f.Self
			}
		}
	}
	return n
}

// seen reports whether a start was sampled often enough.
func seen(p *sampled.Process) bool { return p.Samples >= leastSamples }

// enough is how many starts were.
func enough(starts []*sampled.Process) (n int) {
	for _, p := range starts {
		if seen(p) {
			n++
		}
	}
	return n
}

// largest are the functions that have a share of the cost worth looking at, by name.
func largest(starts []map[string]cost, all float64) (names []string) {
	sums := map[string]float64{}
	for _, costs := range starts {
		for name, c := range costs {
			sums[name] += c.self / float64(len(starts))
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

func costsOf(starts []map[string]cost, name string, of func(cost) float64) (list []float64) {
	for _, costs := range starts {
		list = append(list, of(costs[name]))
	}
	return list
}

// movedWithin is the caller nearest to a function that grew by so much whose own total
// can't have grown by half of that.
func movedWithin(name string, more float64, new Sampled, o, n []map[string]cost) string {
	callers := map[string]int{}
	for _, p := range new.Starts {
		for caller, times := range p.Callers(name) {
			callers[caller] += times
		}
	}
	within, smallest := "", math.Inf(1)
	for caller := range callers {
		before, after := costsOf(o, caller, totalCost), costsOf(n, caller, totalCost)
		change := stats.UnpairedDifference(after, before, 0.95)
		// The nearest one has the least apart from the function itself. What costs next to
		// nothing in one version was not there to move anything within.
		if mean(before) < more/2 || change.Level == 0 || change.High > more/2 {
			continue
		}
		if total := mean(after); total < smallest {
			within, smallest = caller, total
		}
	}
	return within
}

// Message says it in a sentence, of a subject under a load.
func (g *Grown) Message(subject, group string) i18n.Message {
	name := g.Function
	if at := strings.LastIndex(name, "/"); at >= 0 {
		name = name[at+1:]
	}
	if g.Within != "" {
		return i18n.New("regression.function-moved", "%s under %s: %s costs %.3g µs a request more (%.3g to %.3g): %.3g instead of %.3g; it has moved within %s, which costs no more than before", subject, group, name, g.More.Estimate/1e3, g.More.Low/1e3, g.More.High/1e3, g.New/1e3, g.Old/1e3, g.Within)
	}
	return i18n.New("regression.function-grew", "%s under %s: %s costs %.3g µs a request more (%.3g to %.3g): %.3g instead of %.3g", subject, group, name, g.More.Estimate/1e3, g.More.Low/1e3, g.More.High/1e3, g.New/1e3, g.Old/1e3)
}

// Grew adds to the checks of a pair whose CPU time has regressed which functions grew, from
// the processes of both versions that were sampled, or why that isn't known.
func (r *Result) Grew(p Pair, old, new []*sampled.Process, failed error) {
	const ns = 1e3 // in a µs, which the metric has
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Subject != p.New || c.Metric != "cpu" || c.Decision != Regression {
			continue
		}
		if failed != nil {
			r.Remarks = append(r.Remarks, i18n.New("regression.functions-not-known", "%s under %s: which function grew isn't known: %v", c.Subject, c.Group, failed))
			continue
		}
		if enough(old) < 2 || enough(new) < 2 {
			r.Remarks = append(r.Remarks, i18n.New("regression.too-few-samples", "%s under %s: which function grew isn't known: it takes two starts of each version with %d samples, one for each millisecond of CPU time, and the old version has %d such starts, the new one %d; longer trials or more load have more", c.Subject, c.Group, leastSamples, enough(old), enough(new)))
			continue
		}
		c.Functions = GrownFunctions(Sampled{Starts: old, Cost: ns * c.Old.Estimate}, Sampled{Starts: new, Cost: ns * c.New.Estimate})
		for i := range c.Functions {
			r.Remarks = append(r.Remarks, c.Functions[i].Message(c.Subject, c.Group))
		}
		if len(c.Functions) == 0 {
			r.Remarks = append(r.Remarks, i18n.New("regression.no-function-grew", "%s under %s: no function by itself accounts for the growth, as far as %d and %d starts that were sampled can tell", c.Subject, c.Group, enough(old), enough(new)))
		}
	}
}
