package discovery

import (
	"context"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/driver"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/upstream"
)

// Configuration is where a configuration stands that may change: a file, a key of a store,
// routes beside the file's.
type Configuration interface {
	// Follow tells apply what stands there, at first and whenever it changes, until ctx
	// ends; one call after the other. An error of apply says why that can't be served: what
	// was served goes on. It logs what goes wrong, and returns an error only if it can't go
	// on at all.
	Follow(ctx context.Context, apply func(Document) error) error
	// Status says how following goes.
	Status() upstream.SourceStatus
}

// Document is a configuration, or a part of one, as it stands there now.
type Document struct {
	Name string // that messages call it by: a file's path, "etcd:/nanogate/config"
	Dir  string // where relative paths in it start from
	Text []byte // of a whole configuration
	By   string // what brings it, as versions show it: "file", "etcd"
	// Addition is what is there in addition to the file's routes; nil: it is as it was.
	Addition *config.Addition
	// Certificates are those that are there for listeners which ask for them; they come without
	// anything else.
	Certificates []secure.Bound
}

// Config reads a document that is a whole configuration. What is wrong with it is a
// [config.Problems].
func (d *Document) Config() (*config.Config, error) {
	return config.ParseIn(d.Dir, d.Name, d.Text)
}

// RouteDriver is a driver for routes and upstreams that stand beside the file's.
type RouteDriver struct {
	// Check reads the files that it needs, and connects to nobody.
	Check func(*config.Config) error
	// Same is equal for configurations beside which the same stands.
	Same func(*config.Config) string
	// Open makes what tells of them, as a [config.Addition]. s has the clients
	// that a gateway's upstreams use too. It connects to nobody before it is followed.
	Open func(c *config.Config, s *Set) (Configuration, error)
}

var routeDrivers driver.Kind[RouteDriver]

// RegisterRoutes is [Register] for routes that stand elsewhere: name is a field at the top
// of a configuration.
func RegisterRoutes(name string, d RouteDriver) { routeDrivers.Register(name, d) }

// RouteDriverOf is the driver for the routes that a configuration asks for; false: it asks for
// none, or for one that isn't linked in, of which [Missing] tells.
func RouteDriverOf(c *config.Config) (RouteDriver, bool) {
	asked, any := c.RouteSource()
	if !any {
		return RouteDriver{}, false
	}
	return routeDrivers.Find(asked.Name)
}

// CheckRoutes is [Check] for the routes that stand elsewhere.
func CheckRoutes(c *config.Config) (problems config.Problems) {
	asked, _ := c.RouteSource()
	if b, ok := RouteDriverOf(c); ok {
		if err := b.Check(c); err != nil {
			problems = append(problems, asked.At.Problem("", "%v", err))
		}
	}
	return problems
}
