package snapshot

import (
	"slices"
	"strings"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/filters"
	"dyno.example/nanogate/internal/middleware"
)

// Listed is a filter as people are shown it.
type Listed struct {
	Name  string
	Phase filter.Phase
	Heads bool       // it is asked about the heads of requests, and in the route's chain
	With  filter.Set // what has a hand in the exchange itself for it
}

// FiltersOf lists those that a route of a configuration asks for. offers are the middleware
// that there is.
func FiltersOf(c *config.Config, route *config.Route, offers middleware.Offers) []Listed {
	r := &Route{Config: route, uses: usesOf(c, route, offers), sessionCookies: sessionCookiesOf(c)}
	all := list(func(k *kind) (names []string) {
		switch {
		case !k.asked(route, r):
		case k.phase == filter.Middleware:
			for _, use := range r.uses.all {
				names = append(names, " "+use.Name)
			}
		default:
			names = []string{""}
		}
		return names
	}, func(k *filters.Kind) bool { return route.FilterOf(k) != nil })
	if c.Caches { // then all routes have it
		id := filter.Invalidate
		at := slices.IndexFunc(all, func(f Listed) bool { return f.Phase > id.Phase() || f.With.Before(id) == 0 && f.With != 0 })
		if at < 0 {
			at = len(all)
		}
		all = slices.Insert(all, at, Listed{id.String(), id.Phase(), false, filter.SetOf(id)})
	}
	return all
}

// Where says where a filter acts: "check" is on the head of a request, the others are slots
// ([filter.Slot]). Middleware is
// at sending, head and download too, if it looks at responses, which is known when it is made.
func (f *Listed) Where() string {
	at := []string{}
	if f.Heads {
		at = append(at, "check")
	}
	for with := f.With; with != 0; {
		var id filter.ID
		id, with = with.First()
		for _, s := range id.Slots() {
			at = append(at, s.String())
		}
	}
	if len(at) == 0 { // how often and where a request is tried
		return "tries"
	}
	return strings.Join(at, ", ")
}

// list lists kinds: those of the table as often as asked says, which gives what is added to
// the name each time.
func list(asked func(*kind) []string, has func(*filters.Kind) bool) (all []Listed) {
	for i := range kinds {
		k := &kinds[i]
		for _, more := range asked(k) {
			all = append(all, Listed{k.name + more, k.phase, k.make != nil, k.with})
		}
	}
	for i := range filters.All {
		if k := &filters.All[i]; has(k) {
			all = append(all, Listed{k.Name, k.Phase, true, 0})
		}
	}
	slices.SortStableFunc(all, func(a, b Listed) int { return int(a.Phase) - int(b.Phase) })
	return all
}
