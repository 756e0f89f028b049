package explain

import (
	"cmp"
	"maps"
	"slices"
)

// ServerTiming is a part of slow requests' time of which the service itself told, in Server-Timing; ns.
// Such parts may overlap, and are within stages of the budget.
type ServerTiming struct {
	Name     string  `json:"name"`
	Text     string  `json:"text,omitempty"` // what it said of it, of most of the slow requests' time
	Ordinary float64 `json:"ordinary"`       // mean of ordinary ones that they are held against
	Slow     float64 `json:"slow"`           // mean of slow requests; those that were told nothing of it count as 0
	Requests int     `json:"requests"`       // slow requests that were told of it
}

// mostTimings is how many parts are told.
const mostTimings = 16

// toldOf are the means of what ordinary requests were told, by name, ns.
func toldOf(list []request) map[string]float64 {
	mean, weights := map[string]float64{}, 0.0
	for i := range list {
		w := weight(list[i].Record)
		weights += w
		for _, part := range list[i].ServerTiming {
			mean[part.Name] += w * float64(part.Took)
		}
	}
	for name := range mean {
		mean[name] /= weights
	}
	return mean
}

// serverTimings sets what the service said of its time, what slow requests had most more of first.
func (t *tally) serverTimings(e *Explanation) {
	parts, texts, weights := map[string]*ServerTiming{}, map[string]map[string]float64{}, 0.0
	of := func(name string) *ServerTiming {
		if parts[name] == nil {
			parts[name], texts[name] = &ServerTiming{Name: name}, map[string]float64{}
		}
		return parts[name]
	}
	for i := range t.pairs {
		p := &t.pairs[i]
		w := weight(p.Record)
		weights += w
		for _, part := range p.ServerTiming {
			one := of(part.Name)
			one.Slow += w * float64(part.Took)
			one.Requests++
			texts[part.Name][part.Text] += w * float64(part.Took)
		}
		for name, ns := range p.told {
			of(name).Ordinary += w * ns
		}
	}
	for name, one := range parts {
		one.Slow, one.Ordinary = one.Slow/weights, one.Ordinary/weights
		if said := texts[name]; len(said) > 0 {
			one.Text = slices.MaxFunc(slices.Sorted(maps.Keys(said)), func(a, b string) int { return cmp.Compare(said[a], said[b]) })
		}
		e.ServerTiming = append(e.ServerTiming, *one)
	}
	slices.SortFunc(e.ServerTiming, func(a, b ServerTiming) int {
		return cmp.Or(cmp.Compare(b.Slow-b.Ordinary, a.Slow-a.Ordinary), cmp.Compare(a.Name, b.Name))
	})
	e.ServerTiming = e.ServerTiming[:min(len(e.ServerTiming), mostTimings)]
}
