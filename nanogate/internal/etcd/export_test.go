//go:build linux

package etcd

// What tests of the gateway as a whole need of this package's own.
var (
	Clean    = clean
	Server   = server
	Gateways = clusters
)
