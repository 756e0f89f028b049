//go:build linux

package gateway_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
)

// What stands in Kubernetes is served beside the file's own routes, through changes of
// either, and while the API server is away.
func TestRoutesInKubernetes(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.URL.Path, r.Header.Get("X-Added"))
	}))
	defer backend.Close()
	host, port, err := net.SplitHostPort(strings.TrimPrefix(backend.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	route := func(name, rule string) string {
		return `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"namespace":"shop","name":"` + name + `"},"spec":{"parentRefs":[{"name":"web"}],"rules":[` + rule + `]}}`
	}
	api.Apply(t,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{"name":"nanogate"},"spec":{"controllerName":"nanogate/gateway"}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"namespace":"shop","name":"web"},"spec":{"gatewayClassName":"nanogate","listeners":[{"name":"http","port":80,"protocol":"HTTP"}]}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"users"},"spec":{"ports":[{"name":"http","port":80}]}}`,
		`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop","name":"users-1","labels":{"kubernetes.io/service-name":"users"}},"addressType":"IPv4","ports":[{"name":"http","port":`+port+`}],"endpoints":[{"addresses":["`+host+`"]}]}`,
		route("a", `{"matches":[{"path":{"value":"/a"}}],"filters":[{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"X-Added","value":"yes"}]}},{"type":"URLRewrite","urlRewrite":{"path":{"type":"ReplacePrefixMatch","replacePrefixMatch":"/b"}}}],"backendRefs":[{"name":"users","port":80}]}`),
	)
	file := func(own string) *config.Config {
		t.Helper()
		c, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:0\nkubernetes: {gateway: web, kubeconfig: "+api.Kubeconfig(t, "shop")+"}\nroutes: [{name: own, match: {path: /own}, respond: {body: "+own+"}}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := file("one")
	g, err := gateway.Start(first, gateway.Options{Loops: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		g.Shutdown(ctx)
	}()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	is := func(path, want string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			resp, err := client.Get("http://" + g.Addresses()[0].String() + path)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				got = fmt.Sprintf("%d %s%s", resp.StatusCode, b, resp.Header.Get("Location"))
			}
			if strings.HasPrefix(got, want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: got %s, want %s", path, got, want)
			}
		}
	}
	is("/own", "200 one")
	is("/a/x", "200 /b/x yes")
	is("/a", "200 /b yes")
	is("/c", "404")
	api.Apply(t, route("c", `{"matches":[{"path":{"value":"/c"}}],"filters":[{"type":"RequestRedirect","requestRedirect":{"scheme":"https","hostname":"c.example"}}]}`))
	is("/c/d?e", "302 https://c.example/c/d?e")
	is("/own", "200 one")

	// The file changes, with the same cluster.
	next, err := config.Parse("f.yaml", []byte(strings.Replace(string(first.Source), "body: one", "body: two", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if problems := g.Apply(next); len(problems) > 0 {
		t.Fatal(problems)
	}
	is("/own", "200 two")
	is("/a/x", "200 /b/x yes")
	if changes := config.Diff(g.Snapshot().Config, next); len(changes) > 0 {
		t.Errorf("what isn't the file's is a difference to it: %v", changes)
	}
	server.Away(true)
	is("/a/x", "200 /b/x yes")
	if _, followed := g.RoutesFrom(); !followed {
		t.Error("nobody says how following goes")
	}
	server.Away(false)
	api.Delete(t, "gateway.networking.k8s.io/v1", "HTTPRoute", "shop", "a")
	is("/a/x", "404")

	// And without it what stands there is served no longer.
	alone, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{name: own, match: {path: /own}, respond: {body: three}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	g.Apply(alone)
	is("/own", "200 three")
	is("/c", "404")
	if _, followed := g.RoutesFrom(); followed {
		t.Error("it is followed still")
	}
}
