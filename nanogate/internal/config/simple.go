package config

// Simple is the configuration of a gateway that sends everything to one address.
func Simple(listen, to string) (*Config, error) {
	if err := CheckListen(listen); err != nil {
		return nil, err
	}
	a, err := ParseAddress(to)
	if err != nil {
		return nil, err
	}
	c := newConfig("")
	c.Listen = []Listener{{Address: listen}}
	r := NewRoute(At{}, "all")
	r.Strip = c.Identity
	u := NewUpstream(At{}, to)
	u.Text = to
	u.Endpoints = []Endpoint{{Address: a, Weight: 1}}
	r.To = []Target{{Direct: u, Weight: 1}}
	r.Text = "{to: " + form.Quote(to) + "}"
	c.Routes, c.Sums = []*Route{r}, []Sum{r.sum()}
	return c, nil
}
