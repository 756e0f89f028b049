package guard_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net/url"
	"testing"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/request"
)

func TestMTLS(t *testing.T) {
	uri, _ := url.Parse("spiffe://example.com/billing/one")
	shown := request.NewCertificate(&x509.Certificate{
		NotAfter: time.Now().Add(time.Hour),
		Subject:  pkix.Name{CommonName: "billing", Organization: []string{"example, inc"}}, DNSNames: []string{"Billing.example.com"}, URIs: []*url.URL{uri},
	})
	for _, c := range []struct {
		name  string
		rules config.MTLS
		want  int // of the response; 0: it passes
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
		if reply := g.Check(&request.Request{Certificate: shown}); reply != nil {
			got = reply.Status
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if reply := g.Check(&request.Request{}); reply == nil || reply.Status != 401 {
			t.Errorf("%s: without a certificate: %v", c.name, reply)
		}
	}
	r := &request.Request{Certificate: shown}
	g := guard.NewMTLS(&config.MTLS{DNS: []string{"*.example.com"}, URIs: []string{"spiffe://x/*"}})
	if n := testing.AllocsPerRun(100, func() { g.Check(r) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A certificate says whom it is for by exactly one name of the kind that is asked for.
func TestMTLSIdentity(t *testing.T) {
	uris := func(texts ...string) (all []*url.URL) {
		for _, text := range texts {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, u)
		}
		return all
	}
	named := func(names ...string) (subject pkix.Name) {
		for _, name := range names {
			subject.Names = append(subject.Names, pkix.AttributeTypeAndValue{Type: []int{2, 5, 4, 3}, Value: name})
			subject.CommonName = name
		}
		return subject
	}
	for _, c := range []struct {
		name  string
		shown x509.Certificate
		rules config.MTLS
		kind  string
		want  string // "": refused
	}{
		{"the one URI", x509.Certificate{URIs: uris("spiffe://a/b")}, config.MTLS{}, "uri", "spiffe://a/b"},
		{"one of two URIs", x509.Certificate{URIs: uris("spiffe://a/b", "spiffe://a/c")}, config.MTLS{}, "uri", ""},
		{"the one that is taken", x509.Certificate{URIs: uris("urn:x", "spiffe://a/c")}, config.MTLS{URIs: []string{"spiffe://*"}}, "uri", "spiffe://a/c"},
		{"below what is taken", x509.Certificate{URIs: uris("spiffe://a/billing/b/c")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", "spiffe://a/billing/b/c"},
		{"dots that lead out", x509.Certificate{URIs: uris("spiffe://a/billing/../admin")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", ""},
		{"dots at the end", x509.Certificate{URIs: uris("spiffe://a/billing/..")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", ""},
		{"escaped dots", x509.Certificate{URIs: uris("spiffe://a/billing/%2e%2e/admin")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", ""},
		{"an escaped slash", x509.Certificate{URIs: uris("spiffe://a/billing/..%2fadmin")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", ""},
		{"parameters", x509.Certificate{URIs: uris("spiffe://a/billing/..;/admin")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", ""},
		{"an empty segment", x509.Certificate{URIs: uris("spiffe://a/billing//admin")}, config.MTLS{URIs: []string{"spiffe://a/billing/*"}}, "uri", ""},
		{"no URI", x509.Certificate{DNSNames: []string{"a.example"}}, config.MTLS{}, "uri", ""},
		{"a name by another rule", x509.Certificate{DNSNames: []string{"a.example"}, URIs: uris("urn:x")}, config.MTLS{DNS: []string{"a.example"}, URIs: []string{"urn:y"}}, "uri", ""},
		{"the DNS name", x509.Certificate{DNSNames: []string{"A.example"}, Subject: named("b")}, config.MTLS{}, "dns", "a.example"},
		{"a DNS name of many", x509.Certificate{DNSNames: []string{"*.example"}}, config.MTLS{}, "dns", ""},
		{"the common name", x509.Certificate{Subject: named("ann smith")}, config.MTLS{}, "cn", "ann smith"},
		{"beside alternative names", x509.Certificate{Subject: named("ann"), DNSNames: []string{"b.example"}}, config.MTLS{}, "cn", ""},
		{"beside an address", x509.Certificate{Subject: named("ann"), EmailAddresses: []string{"bob@b.example"}}, config.MTLS{}, "cn", ""},
		{"two common names", x509.Certificate{Subject: named("ann", "bob")}, config.MTLS{}, "cn", ""},
		{"no common name", x509.Certificate{}, config.MTLS{}, "cn", ""},
		{"a space around it", x509.Certificate{Subject: named("ann ")}, config.MTLS{}, "cn", ""},
		{"a line in it", x509.Certificate{Subject: named("ann\r\nx-admin: 1")}, config.MTLS{}, "cn", ""},
		{"not of ASCII", x509.Certificate{Subject: named("аnn")}, config.MTLS{}, "cn", ""}, // a Cyrillic a
	} {
		c.rules.Forward = []config.Claim{{Name: c.kind, Value: "x-user-id"}}
		c.shown.NotAfter = time.Now().Add(time.Hour)
		r := &request.Request{Certificate: request.NewCertificate(&c.shown)}
		reply := guard.NewMTLS(&c.rules).Check(r)
		got := ""
		if lines := string(r.Forwards()); lines != "" {
			got = lines[len("x-user-id: ") : len(lines)-len("\r\n")]
		}
		if got != c.want || (reply == nil) != (c.want != "") || reply != nil && reply.Status != 403 {
			t.Errorf("%s: %q, got %+v, want %q", c.name, got, reply, c.want)
		}
	}
	spiffe := request.NewCertificate(&x509.Certificate{NotAfter: time.Now().Add(time.Hour), URIs: uris("urn:x", "spiffe://a/c")})
	g := guard.NewMTLS(&config.MTLS{URIs: []string{"spiffe://*"}, Forward: []config.Claim{{Name: "uri", Value: "x-user-id"}}})
	head := &http1.Request{}
	r := &request.Request{}
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(head, nil)
		r.Certificate = spiffe
		g.Check(r)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A certificate that has expired since its handshake isn't one any more, and the client has
// to come again.
func TestMTLSExpires(t *testing.T) {
	g := guard.NewMTLS(&config.MTLS{})
	for name, c := range map[string]struct {
		until time.Duration
		want  int
	}{"valid": {time.Hour, 0}, "expired": {-time.Second, 401}} {
		reply := g.Check(&request.Request{Certificate: request.NewCertificate(&x509.Certificate{NotAfter: time.Now().Add(c.until)})})
		if c.want == 0 && reply != nil || c.want != 0 && (reply == nil || reply.Status != c.want || !reply.Close) {
			t.Errorf("%s: %+v", name, reply)
		}
	}
}
