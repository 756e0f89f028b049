// Package etcd finds the instances of upstreams in etcd, where they register below a
// prefix of keys; registers instances there; and follows a configuration under a key.
//
// What was read last stays as long as nothing newer can be read: while etcd is away,
// while it refuses the login, after a restart of the gateway (it is kept on disk). A set
// is empty only if a reading that went well says so.
package etcd

import (
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/dns"
	"dyno.example/nanogate/internal/shared"
	"dyno.example/nanogate/internal/state"
)

// Clusters are the etcd clusters of a gateway. All that is followed in one cluster
// shares a connection, a login and a stream of watches.
type Clusters struct {
	state  *state.Dir
	log    *slog.Logger
	timing timing
	lookup dns.Lookup // resolves names of hosts; nil: the system's resolver does

	all shared.Map[*cluster] // those in use
}

// Options are what the configuration doesn't say.
type Options struct {
	State string // directory for what was read last; "": it isn't kept
	Log   *slog.Logger
}

// New makes the set of clusters. It opens no connection yet.
func New(o Options) *Clusters {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Clusters{state: state.Open(o.State), log: o.Log, timing: usual}
}

// timing is how long things take or are waited for.
type timing struct {
	check     time.Duration // between two looks whether what was read is still right
	keepAlive time.Duration // of silence before a ping is sent, and the timeout of its response
	first     time.Duration // before the second try; each later one waits twice as long
	longest   time.Duration // between two tries
	save      time.Duration // from a change until it is on disk
}

// The server refuses pings more often than every five seconds.
var usual = timing{check: 10 * time.Second, keepAlive: 6 * time.Second, first: 100 * time.Millisecond, longest: 10 * time.Second, save: time.Second}

// use returns a cluster. Each use ends with [Clusters.leave].
func (s *Clusters) use(c *config.EtcdCluster) *cluster {
	return s.all.Use(c.Same(), func() *cluster { return newCluster(c, s.timing) })
}

// leave ends a use of a cluster, and its connection with the last.
func (s *Clusters) leave(c *cluster) {
	if s.all.Leave(c.config.Same()) {
		c.close()
	}
}
