package config

import (
	"slices"

	"dyno.example/nanogate/internal/filters"
)

// Filter is one that a route asks for by a field of its own name, see [filters.All].
type Filter struct {
	Kind *filters.Kind
	Make filters.Maker
}

// filterFields are the fields of routes by which they ask for filters.
func filterFields() (all []known[Route]) {
	for i := range filters.All {
		kind := &filters.All[i]
		all = append(all, known[Route]{kind.Name, func(r *Route, p place) {
			r.Filters = append(r.Filters, Filter{kind, kind.Read(p.Place)})
		}})
	}
	return all
}

// FilterOf is the route's filter of that kind; nil if it doesn't ask for one.
func (r *Route) FilterOf(kind *filters.Kind) *Filter {
	i := slices.IndexFunc(r.Filters, func(f Filter) bool { return f.Kind == kind })
	if i < 0 {
		return nil
	}
	return &r.Filters[i]
}
