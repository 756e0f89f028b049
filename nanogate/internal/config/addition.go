package config

import (
	"slices"
	"strconv"
	"strings"
)

// Addition is routes and upstreams that stand elsewhere than in the file, as what finds them has
// made them: with [NewRoute] and [NewUpstream], and with places that say of which object they are.
// Of routes it may set what [Route.Problems] checks, and no guards. It isn't changed once it is
// handed over.
type Addition struct {
	Routes    []*Route
	Upstreams []*Upstream
}

// Problems says what is wrong with a route that isn't the file's, held against identity, the
// fields that say who somebody is. Fields of problems go on from that of the route.
func (r *Route) Problems(identity []string) Problems {
	in := newInput("", r.At.Path)
	r.checkAdded(in)
	one := *r
	(&Config{Identity: identity}).identify(in, []*Route{&one})
	return in.Problems
}

// checkAdded is check of a route that isn't the file's.
func (r *Route) checkAdded(in *input) {
	r.check(in.values(r.At))
	if problem := r.checkTemplates(); problem != nil {
		in.Problems = append(in.Problems, *problem)
	}
}

// Problems says what is wrong with an upstream that isn't the file's.
func (u *Upstream) Problems() Problems {
	in := newInput("", u.At.Path)
	report := in.values(u.At)
	hint, message := checkUpstreamName(u.Name)
	report.value(hint, message)
	if u.Kubernetes != nil {
		u.Kubernetes.check(report)
	}
	return in.Problems
}

// values reports problems with what was made of values at a place.
func (in *input) values(at At) report {
	return func(path []string, hint, format string, args ...any) {
		at := at
		for _, step := range path {
			step = strings.TrimPrefix(step, nameMark)
			if at.Field != "" && step[0] != '[' {
				step = "." + step
			}
			at.Field += step
		}
		in.Problems = append(in.Problems, at.Problem(hint, format, args...))
	}
}

// With is the configuration with what stands elsewhere in place of what there was of that. It
// comes after the file's own, and the routes have the priority of [KubernetesRoutes]. What is
// wrong with it, or doesn't go with the file, is a [Problems].
func (c *Config) With(a *Addition) (*Config, error) {
	in := newInput(c.Dir, c.Path)
	with := *c
	own := len(c.own())
	with.Routes, with.Sums, with.Upstreams = slices.Clone(c.own()), slices.Clone(c.Sums[:own]), slices.Clone(c.ownUpstreams())
	with.added.routes, with.added.upstreams = len(a.Routes), len(a.Upstreams)
	taken := map[string]bool{}
	for _, u := range with.Upstreams {
		taken[u.Name] = true
	}
	for _, u := range a.Upstreams {
		one := *u
		one.Text = writeUpstream(&one)
		in.Problems = append(in.Problems, one.Problems()...)
		if taken[u.Name] {
			in.Problems = append(in.Problems, u.At.Problem("", "the name %s is another upstream's", form.Quote(u.Name)))
		}
		taken[u.Name] = true
		with.Upstreams = append(with.Upstreams, &one)
	}
	clear(taken)
	for _, r := range with.Routes {
		taken[r.Name] = true
	}
	for _, r := range a.Routes {
		one := *r
		if one.Priority = kubernetesPriority; c.Kubernetes != nil {
			one.Priority = c.Kubernetes.Priority
		}
		if r.Mirror != nil {
			m := *r.Mirror
			m.Text, one.Mirror = writeMirror(&m).text(), &m
		}
		one.checkAdded(in)
		one.Text, one.Matching = writeRoute(&one), writeMatch(&one.Match).text()+" "+strconv.Itoa(one.Priority)
		if taken[r.Name] {
			in.Problems = append(in.Problems, r.At.Problem("give it a name of its own", "the name %s is another route's", form.Quote(r.Name)))
		}
		taken[r.Name] = true
		with.Routes, with.Sums = append(with.Routes, &one), append(with.Sums, one.sum())
	}
	with.linkRoutes(in, with.Routes[own:], with.Upstreams[len(with.Upstreams)-len(a.Upstreams):])
	if len(in.Problems) > 0 {
		return nil, in.Problems
	}
	return &with, nil
}

func (c *Config) own() []*Route { return c.Routes[:len(c.Routes)-c.added.routes] }

func (c *Config) ownUpstreams() []*Upstream {
	return c.Upstreams[:len(c.Upstreams)-c.added.upstreams]
}
