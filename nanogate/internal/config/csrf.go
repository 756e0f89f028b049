package config

// CSRF refuses requests that change something and that another site had a browser send.
type CSRF struct {
	At    At
	Trust []Origin // that may all the same; each one exactly
}

// readCSRF reads fields, or off, which is for routes with oidc.
func (r *Route) readCSRF(p place) {
	if !p.IsMapping() {
		if r.NoCSRF = readOff(p); !r.NoCSRF {
			r.CSRF = &CSRF{At: p.At()}
		}
		return
	}
	r.CSRF = &CSRF{At: p.At()}
	readFields(p, r.CSRF, []known[CSRF]{
		// Origins whose pages may. Default: none
		{"trust", func(c *CSRF, p place) {
			for _, item := range p.list() {
				if origin, ok := readOrigin(item, item.text()); ok {
					c.Trust = append(c.Trust, origin)
				}
			}
		}},
	})
}
