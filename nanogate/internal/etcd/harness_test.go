//go:build linux

package etcd

import (
	"context"
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
	"dyno.example/nanogate/internal/etcd/embedded"
	"dyno.example/nanogate/internal/upstream"
)

// patience is how long a test waits for what must come. It is never the time that
// anything takes.
const patience = 30 * time.Second

// running is the server of all tests that don't hurt it. Each has a prefix of its own.
var running struct {
	once sync.Once
	dir  string
	*embedded.Server
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if running.dir != "" { // the server ends with this process: to stop it in order takes seconds
		os.RemoveAll(running.dir)
	}
	os.Exit(code)
}

// server is the address of the running server.
func server(t testing.TB) string {
	t.Helper()
	running.once.Do(func() {
		if running.dir, running.err = os.MkdirTemp("", "etcd"); running.err == nil {
			running.Server, running.err = embedded.Start(running.dir, embedded.Options{Listen: "127.0.0.1:0", Fast: true})
		}
	})
	if running.err != nil {
		t.Fatal(running.err)
	}
	return running.Address
}

// own starts a server of the test's own.
func own(t testing.TB, dir, listen string) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(dir, embedded.Options{Listen: listen, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// client is a client beside the one that is tested.
func client(t testing.TB, address string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + address}, DialTimeout: patience, Logger: zap.NewNop()})
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

// seen is what an upstream was told.
type seen struct {
	source *Source
	stop   func()
	mu     sync.Mutex
	now    string
	told   []string // at any time
	empty  bool     // it was told that there is nobody
}

// watch watches as an upstream does, until the test ends.
func watch(t testing.TB, s *Clusters, c *config.Etcd) *seen {
	t.Helper()
	return watchSource(t, s.Source(c, config.DNS{Every: time.Second, Timeout: patience}))
}

// watchSource watches a source in the same way.
func watchSource(t testing.TB, source *Source) *seen {
	t.Helper()
	v := &seen{source: source, now: "nothing was told"}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.source.Watch(ctx, func(all []upstream.Instance) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.now = text(all)
			v.told = append(v.told, v.now)
			v.empty = v.empty || len(all) == 0
		})
	}()
	v.stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(v.stop)
	return v
}

func text(all []upstream.Instance) string {
	var b []string
	for _, in := range all {
		b = append(b, fmt.Sprintf("%s×%d%s", in.Address, in.Weight, in.Zone))
	}
	return strings.Join(b, " ")
}

func (v *seen) get() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// wasEmpty reports whether it was told at any time that there is nobody.
func (v *seen) wasEmpty() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.empty
}

// sees waits until it was told just these.
func (v *seen) sees(t testing.TB, want string) {
	t.Helper()
	eventually(t, func() (string, bool) { now := v.get(); return fmt.Sprintf("%q, want %q", now, want), now == want })
}

// live waits until the source is live, or isn't.
func (v *seen) live(t testing.TB, want bool) upstream.SourceStatus {
	t.Helper()
	var s upstream.SourceStatus
	eventually(t, func() (string, bool) {
		s = v.source.Status()
		return fmt.Sprintf("%+v", s), s.Live == want && (want || s.Err != "")
	})
	return s
}

// eventually waits for what must come.
func eventually(t testing.TB, is func() (string, bool)) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		text, ok := is()
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatal(text)
		}
	}
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
