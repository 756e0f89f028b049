package gatewayapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/kubernetes"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/upstream/upstreamtest"
)

// served is what a follower has had served.
type served struct {
	mu     sync.Mutex
	more   string
	times  int
	shown  []secure.Bound
	asked  int
	refuse error
}

func (s *served) apply(a *config.Addition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.refuse != nil {
		return s.refuse
	}
	s.more, s.times = "", s.times+1
	for _, r := range a.Routes {
		s.more += r.Match.Path.Text + "\n"
	}
	for _, u := range a.Upstreams {
		s.more += u.Name + "\n"
	}
	return nil
}

func (s *served) certify(all []secure.Bound) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = all
}

func (s *served) has(t testing.TB, part string, want bool) {
	t.Helper()
	upstreamtest.Eventually(t, func() (string, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.more, s.times > 0 && strings.Contains(s.more, part) == want
	})
}

// shop are a class, a Gateway and a Service.
var shop = []string{
	`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{"name":"nanogate"},"spec":{"controllerName":"nanogate/gateway"}}`,
	`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"namespace":"shop","name":"web"},"spec":{"gatewayClassName":"nanogate","listeners":[{"name":"http","port":80,"protocol":"HTTP"}]}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"users"},"spec":{"ports":[{"name":"http","port":80,"protocol":"TCP"}]}}`,
}

func httpRoute(name, service string) string {
	return `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"namespace":"shop","name":"` + name + `"},"spec":{"parentRefs":[{"group":"gateway.networking.k8s.io","kind":"Gateway","name":"web"}],"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/` + name + `"}}],"backendRefs":[{"group":"","kind":"Service","name":"` + service + `","port":80,"weight":1}]}]}}`
}

// follower follows a cluster until the test ends.
func follower(t testing.TB, api *kubernetestest.API, s *served) *Follower {
	t.Helper()
	return followerOf(t, api.Kubeconfig(t, "shop"), "", s)
}

// followerOf is one with a directory for what was served last.
func followerOf(t testing.TB, kubeconfig, state string, s *served) *Follower {
	t.Helper()
	c, err := config.Parse("/f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: {gateway: web, kubeconfig: "+kubeconfig+", addresses: 192.0.2.1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(c, Options{Clusters: kubernetes.New(kubernetes.Options{State: state}), Log: slog.New(slog.DiscardHandler), Apply: s.apply, Patience: upstreamtest.Patience})
	t.Cleanup(f.Close)
	return f
}

// conditions waits until an object's conditions say what they should.
func conditions(t testing.TB, api *kubernetestest.API, kind, name, want string) {
	t.Helper()
	upstreamtest.Eventually(t, func() (string, bool) {
		namespace := "shop"
		if kind == "GatewayClass" {
			namespace = ""
		}
		b, err := json.Marshal(api.Get(t, "gateway.networking.k8s.io/v1", kind, namespace, name)["status"])
		if err != nil {
			t.Fatal(err)
		}
		var status struct {
			gw.RouteStatus
			gw.GatewayStatus
		}
		if err := json.Unmarshal(b, &status); err != nil {
			t.Fatal(err)
		}
		all := status.Conditions
		for _, p := range status.Parents {
			if p.ControllerName == "nanogate/gateway" {
				all = append(all, p.Conditions...)
			}
		}
		var got []string
		for _, c := range all {
			got = append(got, c.Type+" "+string(c.Status)+" "+c.Reason)
		}
		return string(b), strings.Join(got, ", ") == want
	})
}

// followed is what any API server has to do with a follower. own is how that talks to it.
func followed(t *testing.T, api, own *kubernetestest.API) {
	api.Apply(t, shop...)
	s := &served{}
	f := follower(t, own, s)
	s.has(t, "", true)
	conditions(t, api, "GatewayClass", "nanogate", "Accepted True Accepted")
	conditions(t, api, "Gateway", "web", "Accepted True Accepted, Programmed True Programmed")
	api.Apply(t, httpRoute("a", "users"), httpRoute("b", "none"))
	s.has(t, "/a/*\n", true)
	s.has(t, "/b/*\n", true)
	conditions(t, api, "HTTPRoute", "a", "Accepted True Accepted, ResolvedRefs True ResolvedRefs")
	conditions(t, api, "HTTPRoute", "b", "Accepted True Accepted, ResolvedRefs False BackendNotFound")
	api.Apply(t, strings.ReplaceAll(shop[2], `"users"`, `"none"`))
	conditions(t, api, "HTTPRoute", "b", "Accepted True Accepted, ResolvedRefs True ResolvedRefs")
	s.has(t, `kubernetes.shop.none.80`, true)
	api.Delete(t, "gateway.networking.k8s.io/v1", "HTTPRoute", "shop", "a")
	s.has(t, "/a/*\n", false)
	upstreamtest.Eventually(t, func() (string, bool) { st := f.Status(); return st.Err, st.Live && st.Err == "" })
	// All has been said: nobody writes what stands there.
	version := func() any {
		return api.Get(t, "gateway.networking.k8s.io/v1", "HTTPRoute", "shop", "b")["metadata"].(map[string]any)["resourceVersion"]
	}
	before := version()
	api.Apply(t, strings.ReplaceAll(shop[2], `"users"`, `"another"`))
	api.Apply(t, httpRoute("c", "another"))
	conditions(t, api, "HTTPRoute", "c", "Accepted True Accepted, ResolvedRefs True ResolvedRefs")
	if after := version(); after != before {
		t.Errorf("a status was written again: version %v, then %v", before, after)
	}
	f.Close() // or two would write statuses
}

func TestFollow(t *testing.T) {
	t.Parallel()
	api := kubernetestest.Start(t).API()
	followed(t, api, api)
}

// While the API server is away what is served stays.
func TestAway(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, append(shop, httpRoute("a", "users"))...)
	s := &served{}
	f := follower(t, api, s)
	s.has(t, "/a/*\n", true)
	upstreamtest.Eventually(t, func() (string, bool) { st := f.Status(); return st.Err, st.Live })
	server.Away(true)
	upstreamtest.Eventually(t, func() (string, bool) { st := f.Status(); return st.Err, !st.Live && st.Err != "" })
	s.has(t, "/a/*\n", true)
	api.Apply(t, httpRoute("b", "users"))
	server.Away(false)
	s.has(t, "/b/*\n", true)
	upstreamtest.Eventually(t, func() (string, bool) { st := f.Status(); return st.Err, st.Live })
}

// Routes that an earlier run has served are served while the API server is away, or says
// nothing, until it is read.
func TestKept(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, append(shop, httpRoute("a", "users"))...)
	state, file := t.TempDir(), api.Kubeconfig(t, "shop")
	first := &served{}
	f := followerOf(t, file, state, first)
	first.has(t, "/a/*\n", true)
	f.Close()
	before := time.Now()
	server.Away(true)
	s := &served{}
	f = followerOf(t, file, state, s)
	s.has(t, "/a/*\n", true)
	upstreamtest.Eventually(t, func() (string, bool) {
		st := f.Status()
		return fmt.Sprintf("%+v", st), st.Stored && !st.Read.IsZero() && !st.Read.After(before) && !st.Live
	})
	api.Apply(t, httpRoute("b", "users"))
	server.Away(false)
	s.has(t, "/b/*\n", true)
	upstreamtest.Eventually(t, func() (string, bool) { st := f.Status(); return fmt.Sprintf("%+v", st), !st.Stored && st.Live })

	// One that refuses what was served serves nothing, and what is read then.
	f.Close()
	server.Away(true)
	refusing := &served{refuse: errors.New("it doesn't go with the file")}
	followerOf(t, file, state, refusing)
	upstreamtest.Eventually(t, func() (string, bool) {
		refusing.mu.Lock()
		defer refusing.mu.Unlock()
		return "it was never asked", refusing.asked > 0
	})
	refusing.mu.Lock()
	refusing.refuse = nil
	refusing.mu.Unlock()
	server.Away(false)
	refusing.has(t, "/b/*\n", true)
}

// A server that takes its time is waited for so long.
func TestKeptLate(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	api.Apply(t, append(shop, httpRoute("a", "users"))...)
	state, file := t.TempDir(), api.Kubeconfig(t, "shop")
	first := &served{}
	f := followerOf(t, file, state, first)
	first.has(t, "/a/*\n", true)
	f.Close()
	hang := make(chan struct{})
	defer close(hang)
	server.Refuse(func(r *http.Request) (int, string) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
		return http.StatusServiceUnavailable, "late"
	})
	c, err := config.Parse("/f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: {gateway: web, kubeconfig: "+file+", timeout: 1m}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := &served{}
	f = Follow(c, Options{Clusters: kubernetes.New(kubernetes.Options{State: state}), Log: slog.New(slog.DiscardHandler), Apply: s.apply, Patience: time.Millisecond})
	defer f.Close()
	s.has(t, "/a/*\n", true)
	if st := f.Status(); st.Err != "" || st.Live {
		t.Errorf("%+v", st)
	}
}

// What can't be served is said in the Gateway's status.
func TestRefused(t *testing.T) {
	t.Parallel()
	api := kubernetestest.Start(t).API()
	api.Apply(t, shop...)
	s := &served{refuse: errors.New("it doesn't go with the file")}
	follower(t, api, s)
	conditions(t, api, "Gateway", "web", "Accepted True Accepted, Programmed False Invalid")
}

// What other controllers say of a route stays.
func TestOthersStatus(t *testing.T) {
	now := time.Unix(1000, 0)
	ours := func(p *gw.ParentReference) bool { return p.Name == "web" }
	foreign := gw.RouteParentStatus{ControllerName: "example.com/other", ParentRef: gw.ParentReference{Name: "web"}}
	own := gw.RouteParentStatus{ControllerName: "nanogate/gateway", ParentRef: gw.ParentReference{Name: "web"}}
	own.Conditions = append(own.Conditions, condition("Accepted", true, "Accepted", "", 1))
	first := parents([]gw.RouteParentStatus{foreign}, []gw.RouteParentStatus{own}, "nanogate/gateway", ours, now)
	if len(first) != 2 || first[1].ControllerName != foreign.ControllerName {
		t.Fatalf("%+v", first)
	}
	again := parents(first, []gw.RouteParentStatus{own}, "nanogate/gateway", ours, now.Add(time.Hour))
	if at := again[0].Conditions[0].LastTransitionTime; !at.Time.Equal(now) {
		t.Errorf("it is so since %s", at)
	}
	own.Conditions[0].Status = "False"
	if at := parents(first, []gw.RouteParentStatus{own}, "nanogate/gateway", ours, now.Add(time.Hour))[0].Conditions[0].LastTransitionTime; at.Time.Equal(now) {
		t.Errorf("it is otherwise since %s", at)
	}
	// Another nanogate serves another Gateway of the class, and says what it says of that.
	beside := gw.RouteParentStatus{ControllerName: "nanogate/gateway", ParentRef: gw.ParentReference{Name: "other"}}
	if both := parents([]gw.RouteParentStatus{beside}, []gw.RouteParentStatus{own}, "nanogate/gateway", ours, now); len(both) != 2 || both[1].ParentRef.Name != "other" {
		t.Errorf("%+v", both)
	}
	if gone := parents(first, nil, "nanogate/gateway", ours, now); len(gone) != 1 || gone[0].ControllerName != foreign.ControllerName {
		t.Errorf("%+v", gone)
	}
}
