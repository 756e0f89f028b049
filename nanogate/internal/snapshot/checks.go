package snapshot

import "dyno.example/nanogate/internal/config"

// checkMakers make a route's guards, limits and observers. Each adds its own to the
// route if the configuration asks for it, in the order in which requests meet them; an
// error makes the route one that answers 503. Who builds one adds it here.
var checkMakers = []func(c *config.Route, r *Route) error{guards, rules, hosts, limits, grpcJSON, caching}

// checks makes all that the route asks for.
func (r *Route) checks(c *config.Route) error {
	for _, add := range checkMakers {
		if err := add(c, r); err != nil {
			return err
		}
	}
	return nil
}
