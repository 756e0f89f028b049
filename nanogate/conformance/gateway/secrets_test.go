//go:build linux

package gateway_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
	"dyno.example/nanogate/internal/secure/securetest"
)

// A certificate in a Secret is shown, and replaced while requests come, on connections that
// are kept and on new ones, without one that fails.
func TestCertificateInSecret(t *testing.T) {
	t.Parallel()
	api := kubernetestest.Start(t).API()
	ca := securetest.New(t)
	secret := func(name string) {
		t.Helper()
		f := ca.Issue(name, time.Hour, name, "site.example")
		var parts [2]string
		for i, path := range []string{f.Cert, f.Key} {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = base64.StdEncoding.EncodeToString(b)
		}
		api.Apply(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop","name":"site"},"type":"kubernetes.io/tls","data":{"tls.crt":%q,"tls.key":%q}}`, parts[0], parts[1]))
	}
	secret("first")
	api.Apply(t,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{"name":"nanogate"},"spec":{"controllerName":"nanogate/gateway"}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"namespace":"shop","name":"web"},"spec":{"gatewayClassName":"nanogate","listeners":[{"name":"https","port":443,"protocol":"HTTPS","hostname":"site.example","tls":{"certificateRefs":[{"name":"site"}]}}]}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"namespace":"shop","name":"a"},"spec":{"parentRefs":[{"name":"web"}],"rules":[{"matches":[{"path":{"value":"/a"}}],"filters":[{"type":"RequestRedirect","requestRedirect":{"hostname":"b.example"}}]}]}}`,
	)
	c, err := config.Parse("f.yaml", []byte("listen: {address: 127.0.0.1:0, tls: {kubernetes: true}}\nkubernetes: {gateway: web, kubeconfig: "+api.Kubeconfig(t, "shop")+"}\nroutes: [{match: {path: /own}, respond: {body: own}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Start(c, gateway.Options{Loops: 2, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		g.Shutdown(ctx)
	}()
	at := "https://" + g.Addresses()[0].String()
	client := func(keep bool, name string) *http.Client {
		tr := &http.Transport{DisableKeepAlives: !keep, TLSClientConfig: &tls.Config{ServerName: name, RootCAs: ca.Pool}}
		t.Cleanup(tr.CloseIdleConnections)
		return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	// ask makes a request, and returns the certificate that was shown and the response.
	ask := func(c *http.Client) (name, got string) {
		r, err := http.NewRequest(http.MethodGet, at+"/a", nil)
		if err != nil {
			return "", err.Error()
		}
		r.Host = "site.example"
		resp, err := c.Do(r)
		if err != nil {
			return "", err.Error()
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return "", err.Error()
		}
		return resp.TLS.PeerCertificates[0].Subject.CommonName, resp.Header.Get("Location")
	}
	shown := func(name string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			got, response := ask(client(false, "site.example"))
			if got == name && strings.HasPrefix(response, "https://b.example") {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%q is shown, and the response is %q", got, response)
			}
		}
	}
	shown("first")
	if _, response := ask(client(false, "unknown.example")); response == "" || strings.HasPrefix(response, "https://") {
		t.Errorf("for a name that no listener has: %q", response)
	}
	stop := make(chan struct{})
	var asking sync.WaitGroup
	for _, keep := range []bool{false, true} {
		asking.Go(func() {
			c := client(keep, "site.example")
			for n := 0; ; n++ {
				select {
				case <-stop:
					if n == 0 {
						t.Error("nothing was asked")
					}
					return
				default:
				}
				if _, got := ask(c); !strings.HasPrefix(got, "https://b.example") {
					t.Errorf("keep %v, request %d: %s", keep, n, got)
					return
				}
			}
		})
	}
	for _, name := range []string{"second", "third", "fourth"} {
		secret(name)
		shown(name)
	}
	if _, told := g.Expiries()["Secret shop/site"]; !told {
		t.Errorf("nobody says when it expires: %v", g.Expiries())
	}
	// Another file rebuilds the listener's TLS, with the same certificate.
	next, err := config.Parse("f.yaml", []byte(strings.Replace(string(c.Source), "kubernetes: true", `kubernetes: true, min-version: "1.3"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if problems := g.Apply(next); len(problems) > 0 {
		t.Error(problems)
	}
	shown("fourth")
	close(stop)
	asking.Wait()
}
