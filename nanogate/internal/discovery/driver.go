// Package discovery is where a gateway finds what its file doesn't say: the endpoints of
// upstreams, routes that stand elsewhere, the configuration itself. What finds them is a
// driver each, which registers itself when its package is linked in, as those of
// database/sql do; nobody above this package knows one by its name.
package discovery

import (
	"errors"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/driver"
	"dyno.example/nanogate/internal/upstream"
)

// Driver finds the endpoints of upstreams in one way.
type Driver struct {
	// Check reads the files that an upstream which asks for it names, such as those with
	// credentials. It connects to nobody. nil: there are none.
	Check func(*config.Upstream) error
	// Open makes what finds endpoints for one gateway. It connects to nobody yet.
	Open func(Options) Client
}

// Client finds endpoints for one gateway, whose upstreams may share what it asks by.
type Client interface {
	// Endpoints makes the source of an upstream that asks for it. It connects to nobody
	// before it is watched.
	Endpoints(*config.Upstream) (upstream.Source, error)
}

var drivers driver.Kind[Driver]

// Register makes a driver known under the field of an upstream that asks for it. It is for
// the init of the driver's package; a second one of a name is a panic.
func Register(name string, d Driver) { drivers.Register(name, d) }

// Missing says what a configuration asks for that isn't linked in, and how it would be.
func Missing(c *config.Config) (problems config.Problems) {
	if asked, any := c.RouteSource(); any {
		if _, linked := routeDrivers.Find(asked.Name); !linked {
			problems = append(problems, missing(asked))
		}
	}
	for _, u := range c.Upstreams {
		for _, asked := range u.Sources() {
			if _, linked := drivers.Find(asked.Name); !linked {
				problems = append(problems, missing(asked))
			}
		}
	}
	problems.Sort()
	return problems
}

func missing(asked config.Source) config.Problem {
	return asked.At.Problem("import "+driver.Import(asked.Name), "this program can't ask %s, as nothing that does is linked in", asked.Name)
}

// Check reads the files that an upstream's sources need. It connects to nobody. What isn't
// linked in is told by [Missing].
func Check(u *config.Upstream) (err error) {
	for _, asked := range u.Sources() {
		if d, linked := drivers.Find(asked.Name); linked && d.Check != nil {
			err = errors.Join(err, d.Check(u))
		}
	}
	return err
}
