package kubernetes

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
	"dyno.example/nanogate/internal/upstream/upstreamtest"
)

// gateway is what follows clusters, and is soon at it again.
func gateway(account string) *Clusters { return keeping("", account) }

// keeping is one with a directory for what was read last.
func keeping(state, account string) *Clusters {
	s := New(Options{Log: slog.New(slog.DiscardHandler), Account: account, State: state})
	s.timing = timing{first: 5 * time.Millisecond, longest: 50 * time.Millisecond}
	return s
}

// of is what an upstream's file would say.
func of(kubeconfig, service, port string) *config.Kubernetes {
	c := config.NewKubernetesCluster()
	c.Kubeconfig = kubeconfig
	return &config.Kubernetes{Cluster: c, Service: service, Port: port}
}

// sliceOf is an EndpointSlice of a Service in the namespace shop.
func sliceOf(service, name string, port int, addresses ...string) string {
	var endpoints []string
	for _, a := range addresses {
		endpoints = append(endpoints, fmt.Sprintf(`{"addresses":[%q],"conditions":{"ready":true},"zone":"a"}`, a))
	}
	return fmt.Sprintf(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop","name":%q,"labels":{"kubernetes.io/service-name":%q}},
"addressType":"IPv4","ports":[{"name":"http","port":%d,"protocol":"TCP"}],"endpoints":[%s]}`, name, service, port, strings.Join(endpoints, ","))
}

// watchAs watches as an upstream does, until the test ends.
func watchAs(t testing.TB, s *Clusters, c *config.Kubernetes) *upstreamtest.Seen {
	t.Helper()
	return upstreamtest.Watch(t, s.Source(c), shown)
}

// followed is what any API server has to do with a source. own is how that talks to it.
func followed(t *testing.T, api, own *kubernetestest.API) {
	config := own.Kubeconfig(t, "shop")
	s := gateway("")
	v := watchAs(t, s, of(config, "users", "http"))
	v.Sees(t, "") // a reading that went well says that there is nobody
	api.Apply(t, sliceOf("users", "users-1", 8080, "10.0.0.1", "10.0.0.2"), sliceOf("orders", "orders-1", 8080, "10.0.1.1"))
	v.Sees(t, "10.0.0.1:8080@a 10.0.0.2:8080@a")
	api.Apply(t, sliceOf("users", "users-2", 8081, "10.0.0.3"))
	v.Sees(t, "10.0.0.1:8080@a 10.0.0.2:8080@a 10.0.0.3:8081@a")
	api.Apply(t, sliceOf("users", "users-1", 8080, "10.0.0.2"))
	v.Sees(t, "10.0.0.2:8080@a 10.0.0.3:8081@a")
	if st := v.Live(t, true); st.Revision == 0 || len(st.Wrong) > 0 || !strings.HasSuffix(st.From, " users:http") {
		t.Errorf("%+v", st)
	}
	other := s.Source(of(config, "users", "http"))
	if got := shown(other.Known()); got != "10.0.0.2:8080@a 10.0.0.3:8081@a" {
		t.Errorf("another upstream of the same begins with %q", got)
	}
	api.Delete(t, "discovery.k8s.io/v1", "EndpointSlice", "shop", "users-2")
	v.Sees(t, "10.0.0.2:8080@a")

	// By the number of the Service's port, which is not that of its endpoints.
	n := watchAs(t, s, of(config, "users", "80"))
	n.Sees(t, "")
	upstreamtest.Eventually(t, func() (string, bool) {
		wrong := n.Status().Wrong
		return strings.Join(wrong, "\n"), len(wrong) == 1 && wrong[0] == "there is no Service users with a TCP port 80"
	})
	api.Apply(t, `{"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"users"},"spec":{"ports":[{"name":"http","port":80,"protocol":"TCP"},{"name":"metrics","port":81,"protocol":"TCP"}]}}`)
	n.Sees(t, "10.0.0.2:8080@a")
	api.Delete(t, "v1", "Service", "shop", "users")
	n.Sees(t, "")
}

func TestFollow(t *testing.T) {
	t.Parallel()
	api := kubernetestest.Start(t).API()
	followed(t, api, api)
}

// A Service with more slices than fit into a page.
func TestPages(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	for i := range 501 {
		api.Apply(t, sliceOf("users", fmt.Sprintf("s%03d", i), 80, fmt.Sprintf("10.0.%d.%d", i/250, i%250)))
	}
	v := watchAs(t, gateway(""), of(api.Kubeconfig(t, "shop"), "users", ""))
	upstreamtest.Eventually(t, func() (string, bool) {
		now := v.Now()
		n := len(strings.Fields(now))
		return fmt.Sprint(n), n == 501
	})
	if n := server.Lists(); n < 2 {
		t.Errorf("%d pages were read", n)
	}
}

// While the API server is away what is known stays, and it is said since when. What
// happened meanwhile is read when it is back.
func TestAway(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.1"))
	v := watchAs(t, gateway(""), of(api.Kubeconfig(t, "shop"), "users", ""))
	v.Sees(t, "10.0.0.1:80@a")
	since := v.Live(t, true).Since
	server.Away(true)
	away := v.Live(t, false)
	if !away.Since.After(since) {
		t.Errorf("it is away since %s, was live since %s", away.Since, since)
	}
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.2"))
	if again := v.Live(t, false); again.Since != away.Since {
		t.Errorf("it is away since %s, and then since %s", away.Since, again.Since)
	}
	v.Sees(t, "10.0.0.1:80@a")
	server.Away(false)
	v.Sees(t, "10.0.0.2:80@a")
	v.Live(t, true)
	if v.WasEmpty() {
		t.Error("it was told that there is nobody")
	}
}

// A gateway that starts while the API server is away knows who there was, and how old that
// is; one that has no directory for it knows nobody. What the server says then is believed.
func TestKept(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.1", "10.0.0.2"), `{"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"users"},"spec":{"ports":[{"name":"http","port":80,"protocol":"TCP"}]}}`)
	state, file := t.TempDir(), api.Kubeconfig(t, "shop")
	const known = "10.0.0.1:80@a 10.0.0.2:80@a"
	for _, port := range []string{"", "80"} {
		v := watchAs(t, keeping(state, ""), of(file, "users", port))
		v.Sees(t, known)
		v.Stop()
	}
	before := time.Now()
	server.Away(true)
	for _, port := range []string{"", "80"} {
		s := keeping(state, "")
		if got := shown(s.Source(of(file, "users", port)).Known()); got != known {
			t.Errorf("port %q: at once %q", port, got)
		}
		v := watchAs(t, s, of(file, "users", port))
		v.Sees(t, known)
		if st := v.Live(t, false); !st.Stored || st.Read.IsZero() || st.Read.After(before) {
			t.Errorf("port %q: %+v", port, st)
		}
		nobody := watchAs(t, gateway(""), of(file, "users", port))
		nobody.Live(t, false)
		if got := nobody.Now(); got != "nothing was told" {
			t.Errorf("without a directory: %q", got)
		}
		if got := keeping(state, "").Source(of(file, "orders", port)).Known(); got != nil {
			t.Errorf("another Service has %v", got)
		}
		server.Away(false)
		v.Live(t, true)
		upstreamtest.Eventually(t, func() (string, bool) {
			st := v.Status()
			return fmt.Sprintf("%+v", st), !st.Stored && st.Read.IsZero()
		})
		v.Sees(t, known)
		server.Away(true)
		v.Live(t, false)
		if v.Status().Stored {
			t.Error("what this run has read isn't an earlier one's")
		}
	}
	server.Away(false)
	api.Delete(t, "discovery.k8s.io/v1", "EndpointSlice", "shop", "s")
	v := watchAs(t, keeping(state, ""), of(file, "users", ""))
	v.Sees(t, "")
}

// What a watch or a page can't go on from any more (410) is read again, and nobody is
// taken out meanwhile.
func TestGone(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.1"))
	v := watchAs(t, gateway(""), of(api.Kubeconfig(t, "shop"), "users", ""))
	v.Sees(t, "10.0.0.1:80@a")
	before := server.Lists()
	server.Away(true)
	v.Live(t, false)
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.2"))
	api.Delete(t, "discovery.k8s.io/v1", "EndpointSlice", "shop", "s")
	api.Apply(t, sliceOf("users", "t", 80, "10.0.0.3"))
	server.Forget() // nobody can be told of the deletion now
	server.Away(false)
	v.Sees(t, "10.0.0.3:80@a")
	if v.Live(t, true); server.Lists() == before {
		t.Error("nothing was read again")
	}
	server.Forget() // and with the connection up
	api.Apply(t, sliceOf("users", "t", 80, "10.0.0.4"))
	v.Sees(t, "10.0.0.4:80@a")
	if v.WasEmpty() {
		t.Error("it was told that there is nobody")
	}
}

// Who may list and not watch is told so; what was read stays.
func TestForbidden(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.1"))
	server.Refuse(func(r *http.Request) (int, string) {
		if r.URL.Query().Get("watch") != "" {
			return http.StatusForbidden, `endpointslices is forbidden: cannot watch resource "endpointslices"`
		}
		return 0, ""
	})
	v := watchAs(t, gateway(""), of(api.Kubeconfig(t, "shop"), "users", ""))
	v.Sees(t, "10.0.0.1:80@a")
	if s := v.Live(t, false); !strings.Contains(s.Err, `the API server responded 403: endpointslices is forbidden`) {
		t.Errorf("%+v", s)
	}
	server.Refuse(nil)
	v.Live(t, true)
}

// A pod's token is replaced before it expires: the file is read again.
func TestInCluster(t *testing.T) {
	server := kubernetestest.Start(t)
	api := server.API()
	server.Expect("first")
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.1"))
	u, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	account := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(account, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("namespace", "shop\n")
	v := watchAs(t, gateway(account), of("", "users", ""))
	if s := v.Live(t, false); !strings.Contains(s.Err, "token: no such file") {
		t.Errorf("%+v", s)
	}
	write("token", "first")
	write("ca.crt", string(api.CA))
	v.Sees(t, "10.0.0.1:80@a")
	v.Live(t, true)
	server.Expect("second")
	server.Away(true)
	server.Away(false)
	upstreamtest.Eventually(t, func() (string, bool) { // at first it may say that the connection has ended
		s := v.Status()
		return fmt.Sprintf("%+v", s), !s.Live && strings.Contains(s.Err, "401")
	})
	write("token", "second")
	api.Apply(t, sliceOf("users", "s", 80, "10.0.0.2"))
	v.Sees(t, "10.0.0.2:80@a")
	v.Live(t, true)
}

func TestConnect(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("token", "t")
	good := file("good", "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}, {name: b, context: {cluster: c, user: u, namespace: shop}}]\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {tokenFile: ./token}}]\n")
	for _, test := range []struct {
		name      string
		c         config.KubernetesCluster
		namespace string
		err       string
	}{
		{"the current context", config.KubernetesCluster{Kubeconfig: good}, "default", ""},
		{"another one", config.KubernetesCluster{Kubeconfig: good, Context: "b"}, "shop", ""},
		{"none of that name", config.KubernetesCluster{Kubeconfig: good, Context: "c"}, "", `there is no context "c"`},
		{"no file", config.KubernetesCluster{Kubeconfig: filepath.Join(dir, "none")}, "", "no such file"},
		{"no kubeconfig", config.KubernetesCluster{Kubeconfig: file("bad", "a: [")}, "", "kubeconfig " + filepath.Join(dir, "bad")},
		{"no user", config.KubernetesCluster{Kubeconfig: file("nouser", "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n")}, "", `there is no user "u"`},
		{"no pod", config.KubernetesCluster{}, "", "name a kubeconfig file"},
	} {
		made, err := connect(&test.c, dir)
		switch {
		case err != nil:
			if test.err == "" || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v", test.name, err)
			}
		case test.err != "":
			t.Errorf("%s: no error", test.name)
		case made.namespace != test.namespace || made.config.BearerTokenFile != filepath.Join(dir, "token"):
			t.Errorf("%s: namespace %s, token %s", test.name, made.namespace, made.config.BearerTokenFile)
		}
	}
	if err := Check(&config.KubernetesCluster{}); err != nil {
		t.Errorf("a configuration for a pod can't be checked elsewhere: %v", err)
	}
}
