package config

import (
	"cmp"
	"slices"
)

// Change is a part of the file that is another one in another configuration.
type Change struct {
	Part   string `json:"part"` // "route", "upstream", or the name of another field at the top
	Name   string `json:"name,omitempty"`
	Kind   string `json:"kind"`             // added, removed, changed, moved
	Before string `json:"before,omitempty"` // as YAML on one line, without secrets
	After  string `json:"after,omitempty"`
}

// Kinds of changes. Where a route stands matters among those that match alike.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
	Moved   = "moved"
)

// Diff tells what is different in after, in the order of the parts there; what is gone
// comes last of its kind. What [Config.With] has added is no part of either.
func Diff(before, after *Config) []Change {
	changes := diff("", before.top, after.top)
	changes = append(changes, diff("route", named(before.own(), routeNamed), named(after.own(), routeNamed))...)
	return append(changes, diff("upstream", named(before.ownUpstreams(), upstreamNamed), named(after.ownUpstreams(), upstreamNamed))...)
}

func routeNamed(r *Route) Named { return Named{Name: r.Name, Text: r.Text} }

func upstreamNamed(u *Upstream) Named { return Named{Name: u.Name, Text: u.Text} }

func named[T any](list []T, of func(T) Named) []Named {
	all := make([]Named, len(list))
	for i, v := range list {
		all[i] = of(v)
	}
	return all
}

// diff compares two lists of parts by name. part is empty for fields at the top, which
// are parts by themselves and have no order.
func diff(part string, before, after []Named) (changes []Change) {
	was := make(map[string]int, len(before))
	for i, b := range before {
		was[b.Name] = i
	}
	change := func(name, kind, from, to string) {
		c := Change{Part: part, Name: name, Kind: kind, Before: masked(name, from), After: masked(name, to)}
		if part == "" {
			c.Part, c.Name = name, ""
		}
		changes = append(changes, c)
	}
	last := -1
	for _, a := range after {
		i, ok := was[a.Name]
		delete(was, a.Name)
		switch {
		case !ok:
			change(a.Name, Added, "", a.Text)
		case before[i].Text != a.Text:
			change(a.Name, Changed, before[i].Text, a.Text)
		case part == "route" && i < last:
			change(a.Name, Moved, "", "")
		}
		if ok {
			last = max(last, i)
		}
	}
	gone := make([]int, 0, len(was))
	for _, i := range was {
		gone = append(gone, i)
	}
	slices.SortFunc(gone, cmp.Compare[int])
	for _, i := range gone {
		change(before[i].Name, Removed, before[i].Text, "")
	}
	return changes
}
