package guard_test

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/secure/securetest"
)

// Who has its certificate from an authority of one's own is asked what it is and about
// tokens; without being told of the authority nobody is let in.
func TestProviderTLS(t *testing.T) {
	ca := securetest.New(t)
	with := &tls.Config{Certificates: []tls.Certificate{ca.Issue("id", time.Hour, "127.0.0.1").Pair(t)}}
	known := config.ProviderTLS{CA: ca.Path}

	l := loginsAt(t, oidctest.NewTLS(t, with), func(o *config.OIDC) { o.TLS = known }).ready()
	b := l.browser()
	b.logIn("/")
	a := b.get("/", page)
	if a.status != 200 {
		t.Errorf("a login: %+v, %s", a, l.log)
	}
	token := strings.TrimPrefix(a.authorization(), "Bearer ")
	asks := newAsking(t, l.provider.URL+oidctest.Introspect, func(i *config.Introspect) { i.TLS = known })
	if status, _ := asks.status(token); status != 200 {
		t.Errorf("introspection: %d, %s", status, asks.log)
	}
	doubts := newAsking(t, l.provider.URL+oidctest.Introspect, nil)
	if status, _ := doubts.status(token); status != 503 || !strings.Contains(doubts.log.String(), "unknown authority") {
		t.Errorf("introspection by the system's authorities: %d, %s", status, doubts.log)
	}
}
