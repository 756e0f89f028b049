//go:build linux

package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/naming/endpoints"
	"go.uber.org/zap"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/dns"
	"dyno.example/nanogate/internal/etcd/etcdtest"
	"dyno.example/nanogate/internal/upstream/upstreamtest"
)

// Instances come by etcd's own tools and as plain URLs; what is no instance is told and
// leaves the others.
func TestInstances(t *testing.T) {
	t.Parallel()
	c := clean(t, "/instances")
	m := must[endpoints.Manager](t)(endpoints.NewManager(c, "/instances"))
	v := watch(t, clusters(""), at(server(t), "/instances/"))
	v.Sees(t, "") // a reading that went well says that there is nobody
	if err := m.AddEndpoint(t.Context(), "/instances/b", endpoints.Endpoint{Addr: "10.0.0.2:80", Metadata: map[string]any{"weight": 3, "zone": "z"}}); err != nil {
		t.Fatal(err)
	}
	v.Sees(t, "10.0.0.2:80×3z")
	put(t, c, "/instances/a", "http://10.0.0.1:8080/", "/instances/c", "[2001:db8::1]:80", "/instances/wrong", "not here", "/instancesnot/x", "10.0.0.9:80")
	v.Sees(t, "10.0.0.1:8080×1 10.0.0.2:80×3z [2001:db8::1]:80×1")
	upstreamtest.Eventually(t, func() (string, bool) {
		wrong := v.Status().Wrong
		return strings.Join(wrong, "\n"), len(wrong) == 1 && strings.HasPrefix(wrong[0], "/instances/wrong: expected host:port")
	})
	put(t, c, "/instances/wrong", "10.0.0.3:80", "/instances/c", `{"Op":1,"Addr":"[2001:db8::1]:80"}`)
	v.Sees(t, "10.0.0.1:8080×1 10.0.0.2:80×3z 10.0.0.3:80×1")
	if s := v.Status(); len(s.Wrong) > 0 || !s.Live || s.Revision == 0 || s.Err != "" {
		t.Errorf("%+v", s)
	}
	if err := m.DeleteEndpoint(t.Context(), "/instances/b"); err != nil {
		t.Fatal(err)
	}
	v.Sees(t, "10.0.0.1:8080×1 10.0.0.3:80×1")
	must[*clientv3.DeleteResponse](t)(c.Delete(t.Context(), "/instances/", clientv3.WithPrefix()))
	v.Sees(t, "")
}

// An instance that stops takes itself out, and one that dies is gone after its TTL.
func TestRegistration(t *testing.T) {
	t.Parallel()
	c := clean(t, "/leases")
	v := watch(t, clusters(""), at(server(t), "/leases/"))
	r := Registration{Cluster: at(server(t), "").Cluster, Prefix: "/leases/", Address: "http://10.0.0.1:80", Weight: 2, Zone: "z", TTL: time.Minute}
	ctx, cancel := context.WithCancel(t.Context())
	ended, registered := make(chan error, 1), make(chan bool, 10)
	go func() { ended <- r.Run(ctx, func() { registered <- true }) }()
	<-registered
	v.Sees(t, "10.0.0.1:80×2z")
	m := must[endpoints.Manager](t)(endpoints.NewManager(c, "/leases"))
	if all := must[endpoints.Key2EndpointMap](t)(m.List(t.Context())); all["/leases/10.0.0.1:80"].Addr != "10.0.0.1:80" {
		t.Errorf("etcd's own tools see %v", all)
	}
	// A lease that ends in another way is followed by another one.
	lease := clientv3.LeaseID(must[*clientv3.GetResponse](t)(c.Get(t.Context(), "/leases/10.0.0.1:80")).Kvs[0].Lease)
	must[*clientv3.LeaseRevokeResponse](t)(c.Revoke(t.Context(), lease))
	v.Sees(t, "")
	<-registered
	v.Sees(t, "10.0.0.1:80×2z")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	v.Sees(t, "")

	dies := must[*clientv3.LeaseGrantResponse](t)(c.Grant(t.Context(), 1))
	must[*clientv3.PutResponse](t)(c.Put(t.Context(), "/leases/dies", "10.0.0.2:80", clientv3.WithLease(dies.ID)))
	upstreamtest.Eventually(t, func() (string, bool) { // it may be over by the time that this looks
		told := v.Told()
		return fmt.Sprintf("%q were told", told), slices.Contains(told, "10.0.0.2:80×1") && told[len(told)-1] == ""
	})
	for _, wrong := range []Registration{{Address: "users", TTL: time.Second}, {Address: "10.0.0.1:80", TTL: time.Millisecond}, {Address: "10.0.0.1:80", TTL: time.Second, Weight: -1}} {
		if wrong.Check() == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}

// What a gateway couldn't hear while it was cut off, and what etcd has forgotten by then,
// is read again.
func TestPartition(t *testing.T) {
	t.Parallel()
	c := clean(t, "/partition")
	put(t, c, "/partition/a", "10.0.0.1:80", "/partition/b", "10.0.0.2:80")
	n := between(t, server(t))
	v := watch(t, clusters(""), at(n.address(), "/partition/"))
	v.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	n.set(true)
	v.Live(t, false)
	remove(t, c, "/partition/a")
	put(t, c, "/partition/c", "10.0.0.3:80")
	last := must[*clientv3.PutResponse](t)(c.Put(t.Context(), "/partition/d", "10.0.0.4:80")).Header.Revision
	must[*clientv3.CompactResponse](t)(c.Compact(t.Context(), last, clientv3.WithCompactPhysical()))
	if got := v.Now(); got != "10.0.0.1:80×1 10.0.0.2:80×1" {
		t.Errorf("while it is cut off: %s", got)
	}
	n.set(false)
	v.Sees(t, "10.0.0.2:80×1 10.0.0.3:80×1 10.0.0.4:80×1")
	v.Live(t, true)
	put(t, c, "/partition/a", "10.0.0.1:80")
	v.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1 10.0.0.3:80×1 10.0.0.4:80×1")
	if v.WasEmpty() {
		t.Error("at one time it was told that there is nobody")
	}
}

// All upstreams of a cluster share one connection, and what one of them knows another
// knows at once.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	c := clean(t, "/one")
	n := between(t, server(t))
	s := clusters("")
	of := func(prefix string) *config.Etcd {
		c := at(n.address(), prefix)
		c.Cluster.Timeout = upstreamtest.Patience // or a busy machine has it begin another connection
		return c
	}
	var all []*upstreamtest.Seen
	for _, prefix := range []string{"/one/a/", "/one/b/", "/one/c/", "/one/a/"} {
		put(t, c, prefix+"x", "10.0.0.1:80")
		all = append(all, watch(t, s, of(prefix)))
	}
	for _, v := range all {
		v.Sees(t, "10.0.0.1:80×1")
	}
	put(t, c, "/one/a/y", "10.0.0.2:80", "/one/b/x", "10.0.0.3:80")
	all[0].Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	all[1].Sees(t, "10.0.0.3:80×1")
	all[2].Sees(t, "10.0.0.1:80×1")
	all[3].Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	if got := text(s.Source(of("/one/a/"), config.DNS{}).Known()); got != "10.0.0.1:80×1 10.0.0.2:80×1" {
		t.Errorf("another upstream would know %s", got)
	}
	if got := n.accepted.Load(); got != 1 {
		t.Errorf("%d connections", got)
	}
	for _, v := range all {
		v.Stop()
	}
	if n := s.all.Len(); n != 0 {
		t.Errorf("%d clusters are in use when nobody watches", n)
	}
}

// etcd that is stopped and comes back, as it was and with nothing in it.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := etcdtest.Start(t, filepath.Join(dir, "data"), freeport.Address(t))
	c := client(t, first.Address)
	put(t, c, "/s/a", "10.0.0.1:80", "/s/b", "10.0.0.2:80")
	s := clusters(filepath.Join(dir, "state"))
	v := watch(t, s, at(first.Address, "/s/"))
	v.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	first.Close()
	v.Live(t, false)
	v.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")

	// A gateway that starts now knows them from disk, and one without that disk nobody.
	v.Stop()
	again := watch(t, clusters(filepath.Join(dir, "state")), at(first.Address, "/s/"))
	if got := text(again.Known()); got != "10.0.0.1:80×1 10.0.0.2:80×1" {
		t.Errorf("at once: %s", got)
	}
	again.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	if s := again.Live(t, false); !s.Stored {
		t.Errorf("%+v", s)
	}
	nobody := watch(t, clusters(""), at(first.Address, "/s/"))
	nobody.Live(t, false)
	if got := nobody.Now(); got != "nothing was told" {
		t.Errorf("without a state it was told %q", got)
	}

	second := etcdtest.Start(t, filepath.Join(dir, "data"), first.Address)
	again.Live(t, true)
	nobody.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	put(t, c, "/s/c", "10.0.0.3:80")
	again.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1 10.0.0.3:80×1")
	if again.WasEmpty() || nobody.WasEmpty() {
		t.Error("at one time it was told that there is nobody")
	}

	// Another store at the same address is believed: it responds.
	second.Close()
	again.Live(t, false)
	etcdtest.Start(t, filepath.Join(dir, "other"), first.Address)
	again.Sees(t, "")
	if s := again.Live(t, true); s.Stored {
		t.Errorf("%+v", s)
	}
}

// A login that is lost is made again, with the password that there is by then.
func TestLoginLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := etcdtest.Start(t, filepath.Join(dir, "data"), freeport.Address(t))
	root := client(t, s.Address)
	put(t, root, "/s/a", "10.0.0.1:80")
	ctx := t.Context()
	must[*clientv3.AuthRoleAddResponse](t)(root.RoleAdd(ctx, "reader"))
	must[*clientv3.AuthRoleGrantPermissionResponse](t)(root.RoleGrantPermission(ctx, "reader", "/s/", clientv3.GetPrefixRangeEnd("/s/"), clientv3.PermissionType(clientv3.PermRead)))
	must[*clientv3.AuthUserAddResponse](t)(root.UserAdd(ctx, "root", "root"))
	must[*clientv3.AuthUserGrantRoleResponse](t)(root.UserGrantRole(ctx, "root", "root"))
	must[*clientv3.AuthUserAddResponse](t)(root.UserAdd(ctx, "keeper", "sesame-one"))
	must[*clientv3.AuthUserGrantRoleResponse](t)(root.UserGrantRole(ctx, "keeper", "reader"))
	must[*clientv3.AuthEnableResponse](t)(root.AuthEnable(ctx))
	admin := must[*clientv3.Client](t)(clientv3.New(clientv3.Config{Endpoints: []string{s.Address}, Username: "root", Password: "root", DialTimeout: upstreamtest.Patience, Logger: zap.NewNop()}))
	defer admin.Close()

	file := filepath.Join(dir, "password")
	writeFile(t, file, "sesame-one\n")
	c := at(s.Address, "/s/")
	c.Cluster.User.Text, c.Cluster.Password.File = "keeper", file
	state := filepath.Join(dir, "state")
	v := watch(t, clusters(state), c)
	v.Sees(t, "10.0.0.1:80×1")
	must[*clientv3.AuthUserChangePasswordResponse](t)(admin.UserChangePassword(ctx, "keeper", "sesame-two"))
	upstreamtest.Eventually(t, func() (string, bool) {
		s := v.Live(t, false)
		return "why it isn't live: " + s.Err, s.Err == "etcdserver: authentication failed, invalid user ID or password"
	})
	put(t, admin, "/s/b", "10.0.0.2:80")
	writeFile(t, file, "sesame-two\n")
	v.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1")
	v.Live(t, true)

	// etcd forgets who is logged in when it restarts.
	s.Close()
	v.Live(t, false)
	etcdtest.Start(t, filepath.Join(dir, "data"), s.Address)
	v.Live(t, true)
	put(t, admin, "/s/c", "10.0.0.3:80")
	v.Sees(t, "10.0.0.1:80×1 10.0.0.2:80×1 10.0.0.3:80×1")

	// A prefix that it may not read is told, and asked for again.
	other := *c
	other.Prefix = "/other/"
	if s := watch(t, clusters(""), &other).Live(t, false); !strings.Contains(s.Err, "permission denied") {
		t.Errorf("of a prefix that it may not read: %s", s.Err)
	}
	if v.WasEmpty() {
		t.Error("at one time it was told that there is nobody")
	}
	v.Stop()
	for _, f := range must[[]os.DirEntry](t)(os.ReadDir(state)) {
		b := must[[]byte](t)(os.ReadFile(filepath.Join(state, f.Name())))
		if text := string(b); strings.Contains(text, "sesame") || strings.Contains(text, "keeper") {
			t.Errorf("credentials in %s: %s", f.Name(), b)
		}
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A peer that takes connections and says nothing is away too.
func TestSilence(t *testing.T) {
	t.Parallel()
	ln := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	defer ln.Close()
	c := at(ln.Addr().String(), "/s/")
	c.Cluster.Timeout = 50 * time.Millisecond
	if s := watch(t, clusters(""), c).Live(t, false); s.Err != "no response in 50ms" {
		t.Errorf("why it isn't live: %s", s.Err)
	}
}

// Host names are resolved; those that can't be leave the others, and what was there when
// there are no others.
func TestHostNames(t *testing.T) {
	t.Parallel()
	c := clean(t, "/names/")
	put(t, c, "/names/a", "10.0.0.9:80", "/names/b", "http://users.example:81")
	source := clusters("").Source(at(server(t), "/names/"), config.DNS{})
	answers := map[string]string{"users.example": "10.0.0.1", "more.example": "10.0.0.2"}
	source.names = dns.For(config.DNS{Every: time.Hour, Timeout: upstreamtest.Patience}, func(_ context.Context, host string) ([]netip.Addr, error) {
		if answers[host] == "" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{netip.MustParseAddr(answers[host])}, nil
	})
	v := upstreamtest.Watch(t, source, text)
	v.Sees(t, "10.0.0.9:80×1 10.0.0.1:81×1")
	put(t, c, "/names/c", `{"Addr":"more.example:82","Metadata":{"weight":2}}`)
	v.Sees(t, "10.0.0.9:80×1 10.0.0.1:81×1 10.0.0.2:82×2")
	remove(t, c, "/names/b")
	v.Sees(t, "10.0.0.9:80×1 10.0.0.2:82×2")
	put(t, c, "/names/c", "unknown.example:80")
	v.Sees(t, "10.0.0.9:80×1")
	remove(t, c, "/names/a")
	put(t, c, "/names/d", "also-unknown.example:80")
	upstreamtest.Eventually(t, func() (string, bool) {
		return "the last change isn't known", len(source.names.Found()) == 0 && source.follow.Load().count() == 2
	})
	if got := v.Now(); got != "10.0.0.9:80×1" {
		t.Errorf("with names only that can't be resolved: %s", got)
	}
	put(t, c, "/names/e", "users.example:80")
	v.Sees(t, "10.0.0.1:80×1")
	must[*clientv3.DeleteResponse](t)(c.Delete(t.Context(), "/names/", clientv3.WithPrefix()))
	v.Sees(t, "")
}
