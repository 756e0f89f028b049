package snapshot

import "dyno/gate/config"

// Check makes all that a configuration asks for, and throws it away: what is wrong with
// files that it names is found out before it is served. Nothing is connected to.
func Check(c *config.Config) (problems config.Problems) {
	problems = checkLooks(c)
	seen := map[*config.Upstream]bool{}
	check := func(u *config.Upstream) {
		if u == nil || seen[u] {
			return
		}
		seen[u] = true
		if _, err := partsOf(u); err != nil {
			problems = append(problems, u.At.Problem("", "%v", err))
		}
	}
	for _, u := range c.Upstreams {
		check(u)
	}
	for _, route := range c.Routes {
		for i := range route.To {
			check(route.To[i].Direct)
		}
		r := &Route{Name: route.Name, Config: route}
		if problem := r.build(route); problem != nil {
			problems = append(problems, *problem)
		}
		r.close()
	}
	problems.Sort()
	return problems
}
