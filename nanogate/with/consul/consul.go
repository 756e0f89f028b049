// Package consul has a gateway find the endpoints of upstreams in Consul: consul: of an
// upstream. It is imported for that effect.
package consul

import _ "dyno.example/nanogate/internal/consul" // registers its driver
