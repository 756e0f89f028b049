package secure

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure/securetest"
)

// serving is a server with a certificate of an authority that asks for one of clients.
func serving(t *testing.T, ca, clients *securetest.Authority, name string) (url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.Config.ErrorLog, server.EnableHTTP2 = log.New(io.Discard, "", 0), true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue(name, time.Hour, name).Pair(t)}}
	if clients != nil {
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.RequireAndVerifyClientCert, clients.Pool
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// Who is asked is verified by the authorities of the file, by the name that is said, and is
// shown our certificate.
func TestTransport(t *testing.T) {
	ca, other := securetest.New(t), securetest.New(t)
	own := ca.Issue("gateway", time.Hour, "gateway")
	open, named, closed := serving(t, ca, nil, "127.0.0.1"), serving(t, ca, nil, "id.example"), serving(t, ca, ca, "127.0.0.1")
	for _, c := range []struct {
		name, url string
		rules     config.ProviderTLS
		problem   string
	}{
		{"its authority", open, config.ProviderTLS{CA: ca.Path}, ""},
		{"the system's authorities", open, config.ProviderTLS{}, "certificate signed by unknown authority"},
		{"another authority", open, config.ProviderTLS{CA: other.Path}, "certificate signed by unknown authority"},
		{"another name", named, config.ProviderTLS{CA: ca.Path}, "doesn't contain any IP SANs"},
		{"the name that is said", named, config.ProviderTLS{CA: ca.Path, ServerName: "id.example"}, ""},
		{"a name that it hasn't got", open, config.ProviderTLS{CA: ca.Path, ServerName: "id.example"}, "wanted to match id.example"},
		{"no certificate of ours", closed, config.ProviderTLS{CA: ca.Path}, "Get "}, // by TLS 1.3 we may have sent the request before the alert comes, and what that is read as varies
		{"our certificate", closed, config.ProviderTLS{CA: ca.Path, Cert: own.Cert, Key: own.Key}, ""},
	} {
		by, err := NewTransport(c.rules, config.At{})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: by}).Get(c.url)
		if err == nil {
			resp.Body.Close()
			if resp.Proto != "HTTP/2.0" {
				t.Errorf("%s: by %s", c.name, resp.Proto)
			}
		}
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", c.name, err, c.problem)
		}
		by.Close()
	}
}

// A file that changes is used for the next connection; one that can't be used changes nothing.
func TestTransportFilesThatChange(t *testing.T) {
	old, next := securetest.New(t), securetest.New(t)
	first, second := serving(t, old, nil, "127.0.0.1"), serving(t, next, nil, "127.0.0.1")
	by, err := NewTransport(config.ProviderTLS{CA: old.Path}, config.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer by.Close()
	asks := func(url string) bool {
		resp, err := (&http.Client{Transport: by}).Get(url)
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	}
	replace := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(old.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		by.client.look()
	}
	if !asks(first) || asks(second) {
		t.Error("before")
	}
	replace([]byte("broken"))
	if !asks(first) || asks(second) {
		t.Error("a file that can't be used has changed something")
	}
	text, err := os.ReadFile(next.Path)
	if err != nil {
		t.Fatal(err)
	}
	replace(text)
	if asks(first) || !asks(second) {
		t.Error("afterwards")
	}
}

func TestTransportFiles(t *testing.T) {
	_, err := NewTransport(config.ProviderTLS{CA: "/nowhere/ca.pem"}, config.At{Path: "f.yaml", Line: 7, Column: 3, Field: "routes[0].oidc.tls"})
	if want := "f.yaml:7:3: routes[0].oidc.tls: ca: open /nowhere/ca.pem: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
