//go:build linux

package embeddedetcd

import (
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/etcd/embedded"
)

func init() {
	discovery.RegisterLocal("etcd", discovery.LocalDriver{CheckListen: embedded.CheckListen, Start: start})
}

func start(dir, listen string) (discovery.Local, error) {
	s, err := embedded.Start(dir, embedded.Options{Listen: listen})
	if err != nil {
		return nil, err
	}
	return server{s}, nil
}

// server is one that runs.
type server struct{ *embedded.Server }

// Where implements [discovery.Local].
func (s server) Where() string { return s.Address }
