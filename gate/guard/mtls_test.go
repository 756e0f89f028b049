package guard_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net/url"
	"testing"

	"dyno/gate/config"
	"dyno/gate/guard"
	"dyno/gate/request"
)

func TestMTLS(t *testing.T) {
	uri, _ := url.Parse("spiffe://example.com/billing/one")
	shown := request.NewCertificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "billing", Organization: []string{"example, inc"}}, DNSNames: []string{"Billing.example.com"}, URIs: []*url.URL{uri},
	})
	for _, c := range []struct {
		name  string
		rules config.MTLS
		want  int // of the answer; 0: it passes
	}{
		{"any", config.MTLS{}, 0},
		{"common name", config.MTLS{Subjects: []string{"CN=other", "CN=billing"}}, 0},
		{"whole subject", config.MTLS{Subjects: []string{`CN=billing,O=example\, inc`}}, 0},
		{"a part of the subject", config.MTLS{Subjects: []string{`O=example\, inc`}}, 403},
		{"longer common name", config.MTLS{Subjects: []string{"CN=billing2"}}, 403},
		{"DNS name", config.MTLS{DNS: []string{"billing.example.com"}}, 0},
		{"DNS name below", config.MTLS{DNS: []string{"*.example.com"}}, 0},
		{"another's DNS name", config.MTLS{DNS: []string{"*.ling.example.com", "example.com", "*.illing.example.com"}}, 403},
		{"URI", config.MTLS{URIs: []string{"spiffe://example.com/billing/one"}}, 0},
		{"URI begins", config.MTLS{URIs: []string{"spiffe://example.com/billing/*"}}, 0},
		{"another URI", config.MTLS{URIs: []string{"spiffe://example.com/billing", "spiffe://example.com/admin/*"}}, 403},
		{"one of several", config.MTLS{Subjects: []string{"CN=other"}, URIs: []string{"spiffe://example.com/*"}}, 0},
	} {
		g := guard.NewMTLS(&c.rules)
		got := 0
		if answer := g.Check(&request.Request{Certificate: shown}); answer != nil {
			got = answer.Status
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if answer := g.Check(&request.Request{}); answer == nil || answer.Status != 401 {
			t.Errorf("%s: without a certificate: %v", c.name, answer)
		}
	}
	r := &request.Request{Certificate: shown}
	g := guard.NewMTLS(&config.MTLS{DNS: []string{"*.example.com"}, URIs: []string{"spiffe://x/*"}})
	if n := testing.AllocsPerRun(100, func() { g.Check(r) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
