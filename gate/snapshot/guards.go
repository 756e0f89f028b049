package snapshot

import (
	"dyno/gate/config"
	"dyno/gate/guard"
)

// guards makes a route's guards. Addresses come first, as they cost least; then what a
// browser may ask without credentials (Fetch standard 4.8); then who it is.
func guards(c *config.Route, r *Route) error {
	if !c.Access.Empty() {
		r.Guards = append(r.Guards, guard.NewAccess(c.Access))
	}
	if c.CORS != nil {
		r.Guards = append(r.Guards, guard.NewCORS(c.CORS))
	}
	if c.MTLS != nil {
		r.Guards = append(r.Guards, guard.NewMTLS(c.MTLS))
	}
	if c.Keys != nil {
		g, err := guard.NewKeys(c.Keys)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if c.Basic != nil {
		g, err := guard.NewBasic(c.Basic)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if c.JWT != nil {
		g, err := guard.NewJWT(c.JWT)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	return nil
}
