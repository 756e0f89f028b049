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
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
)

// A gateway that starts while the API server and Consul are away serves with what an
// earlier run knew: routes, and the endpoints of upstreams.
func TestStartWhileAway(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }))
	defer backend.Close()
	host, port, err := net.SplitHostPort(strings.TrimPrefix(backend.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	consul := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("index") != "0" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("X-Consul-Index", "7")
		fmt.Fprintf(w, `[{"Node":{"Node":"n","Address":%q},"Service":{"ID":"s","Port":%s}}]`, host, port)
	}))
	defer consul.Close()
	api.Apply(t,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{"name":"nanogate"},"spec":{"controllerName":"nanogate/gateway"}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"namespace":"shop","name":"web"},"spec":{"gatewayClassName":"nanogate","listeners":[{"name":"http","port":80,"protocol":"HTTP"}]}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"users"},"spec":{"ports":[{"name":"http","port":80}]}}`,
		`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop","name":"users-1","labels":{"kubernetes.io/service-name":"users"}},"addressType":"IPv4","ports":[{"name":"http","port":`+port+`}],"endpoints":[{"addresses":["`+host+`"]}]}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"namespace":"shop","name":"a"},"spec":{"parentRefs":[{"name":"web"}],"rules":[{"matches":[{"path":{"value":"/a"}}],"backendRefs":[{"name":"users","port":80}]}]}}`,
	)
	c, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:0\nkubernetes: {gateway: web, kubeconfig: "+api.Kubeconfig(t, "shop")+"}\nroutes: [{match: {path: /consul}, to: c}]\nupstreams: {c: {consul: {service: s, address: \""+consul.URL+"\"}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	// served runs a gateway until it has responded as it should.
	served := func() {
		t.Helper()
		g, err := gateway.Start(c, gateway.Options{Loops: 1, Log: slog.New(slog.DiscardHandler), State: state})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := g.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		}()
		for path, body := range map[string]string{"/a": "200 /a", "/consul": "200 /consul"} {
			for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
				resp, err := client.Get("http://" + g.Addresses()[0].String() + path)
				if err != nil {
					t.Fatal(err)
				}
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if got := fmt.Sprintf("%d %s", resp.StatusCode, b); strings.HasPrefix(got, body) {
					break
				} else if time.Now().After(end) {
					t.Fatalf("%s: got %s, want %s", path, got, body)
				}
			}
		}
	}
	served()
	server.Away(true)
	consul.CloseClientConnections()
	consul.Close()
	served()
}
