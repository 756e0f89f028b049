//go:build linux

package etcd

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/etcd/etcdtest"
	"dyno.example/nanogate/internal/upstream"
	"dyno.example/nanogate/internal/upstream/upstreamtest"
)

// running is the server of all tests that don't hurt it. Each has a prefix of its own.
var running struct {
	once sync.Once
	dir  string
	*etcdtest.Server
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if running.Server != nil {
		running.Kill()
	}
	os.RemoveAll(running.dir)
	os.Exit(code)
}

// server is the address of the running server.
func server(t testing.TB) string {
	t.Helper()
	running.once.Do(func() {
		if running.dir, running.err = os.MkdirTemp("", "etcd"); running.err == nil {
			running.Server, running.err = etcdtest.Open(running.dir, "127.0.0.1:0")
		}
	})
	if running.err != nil {
		t.Fatal(running.err)
	}
	return running.Address
}

// client is a client beside the one that is tested.
func client(t testing.TB, address string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + address}, DialTimeout: upstreamtest.Patience, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// must fails the test on an error of what comes before it.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// put writes keys and values in turn.
func put(t testing.TB, c *clientv3.Client, kvs ...string) {
	t.Helper()
	for i := 0; i < len(kvs); i += 2 {
		must[*clientv3.PutResponse](t)(c.Put(t.Context(), kvs[i], kvs[i+1]))
	}
}

// clean returns a client of the running server, with nothing below a prefix: a test may
// run again.
func clean(t testing.TB, prefix string) *clientv3.Client {
	t.Helper()
	c := client(t, server(t))
	must[*clientv3.DeleteResponse](t)(c.Delete(t.Context(), prefix, clientv3.WithPrefix()))
	return c
}

func remove(t testing.TB, c *clientv3.Client, key string) {
	t.Helper()
	must[*clientv3.DeleteResponse](t)(c.Delete(t.Context(), key))
}

// impatient is as usual but soon.
var impatient = timing{check: 100 * time.Millisecond, keepAlive: 10 * time.Second, first: 5 * time.Millisecond, longest: 100 * time.Millisecond, save: time.Millisecond}

// clusters are those of a gateway.
func clusters(state string) *Clusters {
	s := New(Options{State: state, Log: slog.New(slog.DiscardHandler)})
	s.timing = impatient
	return s
}

// at is what an upstream's file would say.
func at(address, prefix string) *config.Etcd {
	c := config.NewEtcdCluster("http://" + address)
	c.Timeout = 2 * time.Second
	return &config.Etcd{Cluster: c, Prefix: prefix}
}

// watch watches as an upstream does, until the test ends.
func watch(t testing.TB, s *Clusters, c *config.Etcd) *upstreamtest.Seen {
	t.Helper()
	return upstreamtest.Watch(t, s.Source(c, config.DNS{Every: time.Second, Timeout: upstreamtest.Patience}), text)
}

func text(all []upstream.Instance) string {
	var b []string
	for _, in := range all {
		b = append(b, fmt.Sprintf("%s×%d%s", in.Address, in.Weight, in.Zone))
	}
	return strings.Join(b, " ")
}

// network is between a client and a server, and can be cut.
type network struct {
	net.Listener
	to       string
	accepted atomic.Int32
	mu       sync.Mutex
	cut      bool
	open     map[net.Conn]bool
}

func between(t testing.TB, to string) *network {
	t.Helper()
	n := &network{Listener: must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0")), to: to, open: map[net.Conn]bool{}}
	t.Cleanup(func() { n.Close(); n.set(true) })
	go func() {
		for {
			c, err := n.Accept()
			if err != nil {
				return
			}
			go n.pass(c)
		}
	}()
	return n
}

func (n *network) address() string { return n.Addr().String() }

// set cuts the network or mends it. What was connected is not any more.
func (n *network) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	for c := range n.open {
		c.Close()
	}
}

func (n *network) keep(c net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open[c] = true
	return !n.cut
}

func (n *network) pass(c net.Conn) {
	defer c.Close()
	if !n.keep(c) {
		return
	}
	n.accepted.Add(1)
	s, err := net.Dial("tcp", n.to)
	if err != nil {
		return
	}
	defer s.Close()
	n.keep(s)
	go func() { defer s.Close(); io.Copy(s, c) }()
	io.Copy(c, s)
}
