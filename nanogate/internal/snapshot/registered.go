package snapshot

import (
	"errors"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/consul"
	"dyno.example/nanogate/internal/etcd"
	"dyno.example/nanogate/internal/kubernetes"
	"dyno.example/nanogate/internal/upstream"
)

// registered reads what etcd is logged in to with, where an upstream's instances
// register, and the same of Kubernetes and Consul. Its sources are the builder's to make,
// as upstreams share what they are asked by, and its log.
func registered(c *config.Upstream, _ *upstream.Parts) (err error) {
	if c.Etcd != nil {
		err = etcd.Check(&c.Etcd.Cluster)
	}
	if c.Kubernetes != nil {
		err = errors.Join(err, kubernetes.Check(&c.Kubernetes.Cluster))
	}
	if c.Consul != nil {
		err = errors.Join(err, consul.Check(c.Consul))
	}
	return err
}
