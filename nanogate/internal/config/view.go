package config

// View is the configuration as it is shown: what was read, not what it was read from,
// and without secrets.
type View struct {
	File      string   `json:"file,omitempty"`
	Listen    []string `json:"listen"`
	Admin     string   `json:"admin,omitempty"`
	Top       []Named  `json:"top,omitempty"` // all that is not routes and upstreams
	Routes    []Named  `json:"routes"`
	Upstreams []Named  `json:"upstreams"`
}

// Named is a part of the file by its name and place.
type Named struct {
	Name string `json:"name"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"` // without places and styles: equal if it says the same
}

// View returns the configuration as it is shown.
func (c *Config) View() View {
	v := View{File: c.Path, Admin: c.Admin.Address, Listen: []string{}, Routes: []Named{}, Upstreams: []Named{}}
	for _, l := range c.Listen {
		v.Listen = append(v.Listen, l.Address)
	}
	for _, t := range c.top {
		v.Top = append(v.Top, Named{t.Name, t.Line, masked(t.Name, t.Text)})
	}
	for _, r := range c.Routes {
		v.Routes = append(v.Routes, Named{r.Name, r.At.Line, masked("", r.Text)})
	}
	for _, u := range c.Upstreams {
		v.Upstreams = append(v.Upstreams, Named{u.Name, u.At.Line, masked("", u.Text)})
	}
	return v
}
