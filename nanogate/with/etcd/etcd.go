// Package etcd has a gateway find the endpoints of upstreams in etcd: etcd: of an upstream.
// It is imported for that effect.
package etcd

import _ "dyno.example/nanogate/internal/etcd" // registers its driver
