package snapshot

import "dyno/gate/mirror"

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
		o := mirror.Options{Host: r.Config.Host}
		if log := m.b.Looks.Log; log != nil {
			o.Redact = log.Redacts
		}
		if before != nil && before.Mirror != nil && before.Config.Mirror.Text == c.Text {
			o.Before = before.Mirror.Record
		}
		r.Mirror, err = mirror.New(c, u, o)
	}
	if err != nil {
		r.Mirror = nil
		m.s.Problems = append(m.s.Problems, c.At.Problem("", "nothing is mirrored: %v", err))
	}
}
