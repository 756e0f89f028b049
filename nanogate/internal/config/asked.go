package config

// Asked is somebody who is asked for what the file doesn't say.
type Asked struct {
	Name string // of the field that says so
	At   At
}

// Asked are those who know an upstream's endpoints, but for the static ones.
func (u *Upstream) Asked() (all []Asked) {
	for i := range u.Endpoints {
		if e := &u.Endpoints[i]; e.Address.Name != "" {
			all = append(all, Asked{"dns", e.At})
			break
		}
	}
	if u.Etcd != nil {
		all = append(all, Asked{"etcd", u.Etcd.At})
	}
	if u.Kubernetes != nil {
		all = append(all, Asked{"kubernetes", u.Kubernetes.At})
	}
	if u.Consul != nil {
		all = append(all, Asked{"consul", u.Consul.At})
	}
	return all
}

// Asked is who knows of more routes and upstreams than the file; false: nobody is asked.
func (c *Config) Asked() (who Asked, any bool) {
	if c.Kubernetes == nil {
		return Asked{}, false
	}
	return Asked{"kubernetes", c.Kubernetes.At}, true
}
