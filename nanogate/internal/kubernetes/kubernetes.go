// Package kubernetes finds the endpoints of upstreams in a Kubernetes cluster, by the
// EndpointSlices of their Services.
//
// What was read last stays as long as nothing newer can be read: while the API server is
// away, while it refuses the credentials, after a restart of the gateway (it is kept on
// disk). A set is empty only if a reading that went well says so.
package kubernetes

import (
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/shared"
	"dyno.example/nanogate/internal/state"
)

// Clusters are the Kubernetes clusters of a gateway. All that is followed in one shares
// its connections.
type Clusters struct {
	log     *slog.Logger
	account string // directory with the credentials of the gateway's pod
	timing  timing
	state   *state.Dir // with what was read last

	all shared.Map[*cluster] // those in use
}

// Options are what the configuration doesn't say.
type Options struct {
	Log *slog.Logger
	// Account is the directory with the token, ca.crt and namespace of the pod that the
	// gateway runs in; "": where Kubernetes puts it.
	Account string
	State   string // directory for what was read last; "": it isn't kept
}

// serviceAccount is where a pod finds its credentials.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// New makes what follows clusters. It connects to nobody yet.
func New(o Options) *Clusters {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Account == "" {
		o.Account = serviceAccount
	}
	return &Clusters{log: o.Log, account: o.Account, timing: usual, state: state.Open(o.State)}
}

// timing is how long is waited between tries.
type timing struct {
	first   time.Duration // before the second try; each later one waits twice as long
	longest time.Duration
}

var usual = timing{first: 200 * time.Millisecond, longest: 10 * time.Second}

// use returns a cluster. Each use ends with [Clusters.leave].
func (s *Clusters) use(c *config.KubernetesCluster) *cluster {
	return s.all.Use(c.Same(), func() *cluster { return &cluster{config: c, account: s.account} })
}

// leave ends a use of a cluster.
func (s *Clusters) leave(c *cluster) {
	if s.all.Leave(c.config.Same()) {
		c.discard(nil)
	}
}
