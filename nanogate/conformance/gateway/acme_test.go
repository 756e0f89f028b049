//go:build linux

package gateway_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/conformance/acme/acmetest"
	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/secure/securetest"
)

// fetch asks as net/http does, and returns the response with its content.
func fetch(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(b)
}

// issuing serves over TLS and without, and gets its certificates from an authority. later
// has some time pass and new certificates be served, which is seconds later otherwise.
func issuing(t *testing.T, a *acmetest.Authority, tls string) (g *gateway.Gateway, secure, plain string, later func(time.Duration)) {
	t.Helper()
	ahead := new(atomic.Int64)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "upstream") }))
	t.Cleanup(upstream.Close)
	c, err := config.Parse("test.yaml", fmt.Appendf(nil, `listen: ["127.0.0.1:0", {address: "127.0.0.2:0", tls: false}]
ready: /ready
tls: {acme: {directory: %q, ca: %q, storage: %q, domains: [shop.example], agree: true}%s}
routes: [{to: %s}]
`, a.Directory, a.CA, t.TempDir(), tls, upstream.URL))
	if err != nil {
		t.Fatal(err)
	}
	g, err = gateway.Start(c, gateway.Options{Loops: 2, Log: slog.New(slog.DiscardHandler), ACME: acme.Options{
		Now:   func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		Every: 20 * time.Millisecond, Look: 5 * time.Millisecond, Spread: time.Millisecond, Poll: 5 * time.Millisecond,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		g.Shutdown(ctx)
	})
	secure, plain = g.Addresses()[0].String(), g.Addresses()[1].String()
	a.TLS.To(secure)
	a.HTTP.To(plain)
	return g, secure, plain, func(d time.Duration) {
		ahead.Add(int64(d))
		g.Apply(c)
	}
}

// certified does a handshake as an ordinary client, and returns the certificate it is shown.
func certified(a *acmetest.Authority, address, name string) (*x509.Certificate, error) {
	c, err := tls.Dial("tcp", address, &tls.Config{RootCAs: a.Roots, ServerName: name})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0], nil
}

// Without a certificate a handshake is refused with an alert that says why, and who asks
// whether the gateway is ready is told. Then it comes by itself, by both ways to check.
func TestACME(t *testing.T) {
	for _, kind := range []string{"tls-alpn-01", "http-01"} {
		a := acmetest.Start(t, acmetest.Options{})
		a.Away.Store(true)
		more := ""
		if kind == "tls-alpn-01" { // clients need certificates, and the authority has none
			more = ", client-ca: " + securetest.New(t).Path
		}
		g, secure, plain, later := issuing(t, a, more)
		if kind == "http-01" {
			a.TLS.To("127.0.0.1:1") // nobody is there: the second try is by the other way
		}
		_, err := certified(a, secure, "shop.example")
		if err == nil || !strings.Contains(err.Error(), "tls: unrecognized name") { // alert 112
			t.Errorf("before there is a certificate: %v", err)
		}
		if _, body := fetch(t, "http://"+plain+"/ready"); body != "ready, and without a certificate yet for: shop.example\n" {
			t.Errorf("ready: %q", body)
		}
		problem := func() string { return strings.Join(g.Problems(), "; ") }
		waitFor(t, "a failure to be told", func() bool { return strings.Contains(problem(), "tried 1 times") })
		certificates := func() (all []admin.Certificate) {
			w := httptest.NewRecorder()
			admin.New(g, admin.Options{Local: true}).ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/certificates", nil))
			if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || len(all) != 1 || all[0].Name != "shop.example" {
				t.Fatalf("%s, %v", w.Body, err)
			}
			return all
		}
		if c := certificates()[0]; c.Expires != nil || c.Renews != nil || c.Failures != 1 || c.Next == nil || c.Error == "" {
			t.Errorf("without one: %+v", c)
		}
		a.Away.Store(false)
		waitFor(t, "a certificate", func() bool {
			later(time.Minute)
			_, err := certified(a, secure, "shop.example")
			return err == nil && problem() == ""
		})
		if _, body := fetch(t, "http://"+plain+"/ready"); body != "ready\n" {
			t.Errorf("ready: %q", body)
		}
		if c := certificates()[0]; c.Expires == nil || c.Renews == nil || !c.Renews.Before(*c.Expires) || c.Failures != 0 || c.Next != nil || c.Error != "" {
			t.Errorf("with one: %+v", c)
		}
		if len(g.Expiries()) != 1 {
			t.Errorf("%v", g.Expiries())
		}
		w := httptest.NewRecorder()
		admin.New(g, admin.Options{Local: true}).ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil))
		for _, want := range []string{`nanogate_acme_certificate{name="shop.example"} 1`, `nanogate_acme_orders_total{name="shop.example",result="issued"} 1`, `nanogate_certificate_expiry_seconds{file="`} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("the metrics lack %s", want)
			}
		}
		resp, body := fetch(t, "http://"+plain+""+acme.Path+"unknown")
		if resp.StatusCode != 200 || body != "upstream" {
			t.Errorf("what nobody has promised the authority: %d %q", resp.StatusCode, body)
		}
		if c, err := tls.Dial("tcp", secure, &tls.Config{InsecureSkipVerify: true, ServerName: "shop.example", NextProtos: []string{"acme-tls/1"}}); err == nil {
			t.Error("a handshake for an authority, that nothing is checked for")
			c.Close()
		}
		g.Shutdown(t.Context())
	}
}

// Certificates are renewed under traffic without a handshake that fails.
func TestACMERenewal(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	_, secure, plain, later := issuing(t, a, ", tickets: false")
	first := (*x509.Certificate)(nil)
	waitFor(t, "a certificate", func() (ok bool) {
		later(time.Minute) // for the case that a try fails, which another follows
		c, err := certified(a, secure, "shop.example")
		first = c
		return err == nil
	})
	var traffic sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		traffic.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: a.Roots, ServerName: "shop.example"}}}
			for {
				select {
				case <-over:
					return
				default:
				}
				resp, err := client.Get("https://" + secure + "/")
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
				if resp, body := fetch(t, "http://"+plain+"/"); resp.StatusCode != 200 || body != "upstream" {
					t.Errorf("%d %q", resp.StatusCode, body)
				}
			}
		})
	}
	later(70 * 24 * time.Hour)
	waitFor(t, "another certificate", func() bool {
		later(time.Minute)
		c, err := certified(a, secure, "shop.example")
		return err == nil && c.SerialNumber.Cmp(first.SerialNumber) != 0
	})
	close(over)
	traffic.Wait()
}
