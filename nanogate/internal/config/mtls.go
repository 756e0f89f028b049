package config

import "strings"

// MTLS lets in whose certificate was verified and has one of the names; without names
// all that were verified.
type MTLS struct {
	At       At
	Subjects []string // "CN=name", or the whole subject as RFC 2253 writes it
	DNS      []string // in lower case; "*.example.com" is any name below
	URIs     []string // a star at the end is any rest
	Forward  []Claim  // "dns", "uri" or "cn", and the field that says whom the certificate is for
}

func readMTLS(p place) *MTLS {
	m := &MTLS{At: p.At()}
	readFields(p, m, []known[MTLS]{
		// `CN=name`, or the whole subject as RFC 2253 writes it.
		{"subjects", func(m *MTLS, p place) {
			for _, item := range p.list() {
				text := item.text()
				if text != "" && !strings.Contains(text, "=") {
					item.Problem("write CN="+text, "expected a subject such as CN=billing or CN=billing,O=example, got %s", form.Quote(text))
				}
				m.Subjects = append(m.Subjects, text)
			}
			p.notEmpty(len(m.Subjects))
		}},
		// DNS names; `*.example.com` is any name below.
		{"dns-names", func(m *MTLS, p place) {
			for _, item := range p.list() {
				text := strings.ToLower(item.text())
				if text != "" && !isName(strings.TrimPrefix(text, "*.")) {
					item.Problem("such as billing.example.com or *.example.com", "expected a host name, got %s", form.Quote(text))
				}
				m.DNS = append(m.DNS, text)
			}
			p.notEmpty(len(m.DNS))
		}},
		// URIs; a star at the end is any rest.
		{"uris", func(m *MTLS, p place) {
			for _, item := range p.list() {
				text := item.text()
				if text != "" && !strings.Contains(text, ":") {
					item.Problem("such as spiffe://example.com/billing/*", "expected a URI, got %s", form.Quote(text))
				}
				m.URIs = append(m.URIs, text)
			}
			p.notEmpty(len(m.URIs))
		}},
	})
	return m
}

// notEmpty refuses a list of nobody, which could be taken for everybody.
func (p place) notEmpty(n int) {
	if n == 0 && p.IsList() {
		p.Problem("remove it, or give names", "the list is empty, which could mean nobody or everybody")
	}
}

// linkMTLS finds routes that want certificates that no listener asks for.
func (c *Config) linkMTLS(in *input) {
	for _, l := range c.Listen {
		if l.TLS != nil && l.TLS.ClientCA != "" {
			return
		}
	}
	for _, r := range c.Routes {
		if r.MTLS != nil {
			in.Problems = append(in.Problems, r.MTLS.At.Problem("add to tls: client-ca: ./clients-ca.pem", "no listener verifies clients' certificates, so nobody could be let in"))
		}
	}
}
