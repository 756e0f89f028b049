package guard

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure/securetest"
)

// A provider that has its certificate from an authority of one's own is asked for keys.
func TestJWTProviderTLS(t *testing.T) {
	ca := securetest.New(t)
	with := &tls.Config{Certificates: []tls.Certificate{ca.Issue("id", time.Hour, "127.0.0.1").Pair(t)}}
	known := config.ProviderTLS{CA: ca.Path}
	i := newIssuer(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b, err := os.ReadFile(i.file)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s", b)
	}))
	server.TLS = with
	server.StartTLS()
	t.Cleanup(server.Close)
	rules := i.rules()
	rules.JWKS, rules.TLS = server.URL, known
	g := newJWT(t, rules)
	for ends := time.Now().Add(30 * time.Second); g.current() == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(ends) {
			t.Fatalf("keys never come: %v", g.source.Err())
		}
	}
	if got := status(t, g, "Authorization: Bearer "+i.usual(t, nil)+"\r\n"); got != 200 {
		t.Errorf("by keys of a URL: %d", got)
	}
}
