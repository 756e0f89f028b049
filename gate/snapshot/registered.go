package snapshot

import (
	"dyno/gate/config"
	"dyno/gate/etcd"
	"dyno/gate/upstream"
)

// registered reads what etcd is logged in to with, where an upstream's instances
// register. Its source is the builder's to make, as all upstreams share it.
func registered(c *config.Upstream, _ *upstream.Parts) error {
	if c.Etcd == nil {
		return nil
	}
	return etcd.Check(&c.Etcd.Cluster)
}
