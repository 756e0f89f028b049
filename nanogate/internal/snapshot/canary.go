package snapshot

import (
	"cmp"
	"log/slog"

	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/config"
)

// canary makes a route's canary, or takes over the one before: as long as its
// configuration and its upstream stay the same it goes on, and stays rolled back if it was,
// whatever else of the route changes.
func (m *making) canary(r, before *Route) *config.Problem {
	c := r.Config.Canary
	if c == nil {
		return nil
	}
	u, err := m.target(&c.To)
	if err != nil {
		problem := c.To.At.Problem("", "%v", err)
		return &problem
	}
	r.CanaryTo = u
	if before != nil && before.Canary != nil && before.CanaryTo == u && before.Config.Canary.Text == c.Text {
		r.Canary = before.Canary
		return nil
	}
	r.Canary = canary.New(c, r.Name, m.loops(), cmp.Or(m.b.Log, slog.Default()), m.b.now())
	return nil
}
