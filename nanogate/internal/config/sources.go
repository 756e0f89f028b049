package config

// Source is where something is found that the file doesn't say itself.
type Source struct {
	Name string // of the field that says so
	At   At
}

// Sources are where an upstream's endpoints are found, but for the static ones.
func (u *Upstream) Sources() (all []Source) {
	for i := range u.Endpoints {
		if e := &u.Endpoints[i]; e.Address.Name != "" {
			all = append(all, Source{"dns", e.At})
			break
		}
	}
	if u.Etcd != nil {
		all = append(all, Source{"etcd", u.Etcd.At})
	}
	if u.Kubernetes != nil {
		all = append(all, Source{"kubernetes", u.Kubernetes.At})
	}
	if u.Consul != nil {
		all = append(all, Source{"consul", u.Consul.At})
	}
	return all
}

// RouteSource is where more routes and upstreams are found than the file has; false: nowhere.
func (c *Config) RouteSource() (s Source, ok bool) {
	if c.Kubernetes == nil {
		return Source{}, false
	}
	return Source{"kubernetes", c.Kubernetes.At}, true
}
