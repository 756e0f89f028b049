//go:build linux

// Package embedded is an etcd server of one member in this process, on loopback: for
// trying discovery out, and for tests. It is no place for what must not be lost.
package embedded

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// Server is a running etcd.
type Server struct {
	Address string // host:port that clients connect to

	etcd  *embed.Etcd
	close func()
}

// Close stops the server. It may be called again.
func (s *Server) Close() { s.close() }

// Failed receives why the server has stopped, unless it was stopped.
func (s *Server) Failed() <-chan error { return s.etcd.Err() }

// Options are what isn't usual.
type Options struct {
	Listen string        // host:port on loopback; port 0 takes any
	Fast   bool          // it doesn't wait for the disk, and elects itself soon: for tests
	Login  time.Duration // how long a login lasts that isn't used; 0: etcd's default
}

// CheckListen says what is wrong with an address to listen on.
func CheckListen(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return fmt.Errorf("expected a loopback address such as 127.0.0.1:2379, got %q: anyone that can reach it can change where requests go", address)
	}
	return nil
}

// ready is how long a start may take: a large store is read first.
const ready = time.Minute

// Start starts a server with its data in dir, and waits until it serves.
func Start(dir string, o Options) (*Server, error) {
	if err := CheckListen(o.Listen); err != nil {
		return nil, err
	}
	c := embed.NewConfig()
	c.Dir, c.Name = dir, "nanogate"
	client, peer := url.URL{Scheme: "http", Host: o.Listen}, url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer} // it has no peers
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop()) // errors are returned
	// Old revisions are read only by watches that were cut off for a moment.
	c.AutoCompactionMode, c.AutoCompactionRetention = embed.CompactorModeRevision, "10000"
	if o.Fast {
		c.UnsafeNoFsync, c.TickMs, c.ElectionMs, c.BcryptCost = true, 10, 100, 4
	}
	if o.Login > 0 {
		c.AuthTokenTTL = uint(max(1, o.Login/time.Second))
	}
	e, err := embed.StartEtcd(c)
	if err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	select {
	case <-e.Server.ReadyNotify():
	case err = <-e.Err():
	case <-e.Server.StopNotify():
		err = errors.New("it has stopped")
	case <-time.After(ready):
		err = fmt.Errorf("it isn't ready after %s", ready)
	}
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	return &Server{Address: listening(e.Clients, o.Listen), etcd: e, close: sync.OnceFunc(e.Close)}, nil
}

// listening is where clients connect to.
func listening(all []net.Listener, otherwise string) string {
	for _, l := range all {
		return l.Addr().String()
	}
	return otherwise
}
