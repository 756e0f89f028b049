package snapshot

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/mirror"
)

// mirror makes what mirrors a route's requests. Without it the route is served all the
// same, as its clients lack nothing. The record goes on as long as the configuration of the
// mirror stays the same, whatever else of the route changes.
func (m *making) mirror(r, before *Route) {
	c := r.Config.Mirror
	if c == nil {
		return
	}
	u, err := m.target(&c.To)
	if err == nil {
		o := mirror.Options{Host: c.Host, Workers: m.b.compare}
		if o.Host == "" && r.Config.Host == "upstream" { // the first endpoint's name is none of the shadow's
			o.Host = r.Config.Host
		}
		if log := m.b.Telemetry.Log; log != nil {
			o.Redact = log.Redacts
		}
		if before != nil && before.Mirror != nil && before.Config.Mirror.Text == c.Text {
			o.Before = before.Mirror.Record
		}
		if r.Mirror, err = mirror.New(c, u, o); err == nil {
			r.Shadow = m.shadow(r, o.Host)
		}
	}
	if err != nil {
		r.Mirror, r.With = nil, r.With.Without(filter.Mirror)
		m.s.Problems = append(m.s.Problems, c.At.Problem("", "nothing is mirrored: %v", err))
	}
}

// shadow makes the route as which mirrored requests are sent: it has nothing but their time
// limit, and they aren't retried.
func (m *making) shadow(r *Route, host string) *Route {
	c := &config.Route{Name: r.Name, Host: host, Timeout: r.Config.Mirror.Timeout, Retry: config.Retry{Attempts: 1}}
	return &Route{Name: r.Name, Config: c, Mirror: r.Mirror, With: filter.SetOf(filter.Shadow), Retries: make([]Allowance, m.loops())}
}
