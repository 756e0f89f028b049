package config

import "crypto/tls"

// TLS is how a listener speaks TLS (RFC 8446, RFC 5246).
type TLS struct {
	At           At
	Text         string        // all of it but its place
	Certificates []Certificate // the first is for clients that ask for a name nobody has, or none
	MinVersion   uint16        // as crypto/tls has it
	ClientCA     string        // file of the authorities that clients' certificates are verified by; "": none is asked for
	Optional     bool          // clients may have no certificate; what they have is verified all the same
	Tickets      bool          // clients may come back without a whole handshake
}

// Certificate is a certificate with its chain, and its key: two PEM files.
type Certificate struct {
	At        At
	Cert, Key string
}

// tlsVersions are the versions that may be asked for, by their names.
var tlsVersions = []string{"1.2", "1.3"}

// tlsFields are what tls may hold.
var tlsFields = []known[TLS]{
	{"certificates", (*TLS).readCertificates},
	{"min-version", func(t *TLS, p place) {
		if t.MinVersion = tls.VersionTLS12; p.word(tlsVersions...) == "1.3" {
			t.MinVersion = tls.VersionTLS13
		}
	}},
	{"client-ca", func(t *TLS, p place) { t.ClientCA = p.path() }},
	{"client-certificate", func(t *TLS, p place) { t.Optional = p.word("require", "request") == "request" }},
	{"tickets", func(t *TLS, p place) { t.Tickets = p.boolean() }},
}

func readTLS(p place) *TLS {
	t := &TLS{At: p.at(), Text: p.in.text(p.node), MinVersion: tls.VersionTLS12, Tickets: true}
	found := readFields(p, t, tlsFields)
	if !p.isMapping() {
		return t
	}
	if _, ok := found["certificates"]; !ok {
		p.problem("such as certificates: [{cert: ./site.pem, key: ./site-key.pem}]", "there is no certificate to show to clients")
	}
	if at, ok := found["client-certificate"]; ok && t.ClientCA == "" {
		at.problem("add: client-ca: ./clients-ca.pem", "clients' certificates can't be verified without an authority")
	}
	return t
}

func (t *TLS) readCertificates(p place) {
	items := []place{p}
	if !p.isMapping() {
		items = p.list()
	}
	for _, item := range items {
		c := Certificate{At: item.at()}
		readFields(item, &c, []known[Certificate]{
			{"cert", func(c *Certificate, p place) { c.Cert = p.path() }},
			{"key", func(c *Certificate, p place) { c.Key = p.path() }},
		})
		if item.isMapping() && (c.Cert == "" || c.Key == "") {
			item.problem("such as {cert: ./site.pem, key: ./site-key.pem}", "a certificate is two files, cert and key")
		}
		t.Certificates = append(t.Certificates, c)
	}
	if len(items) == 0 && p.isList() {
		p.problem("such as [{cert: ./site.pem, key: ./site-key.pem}]", "there is no certificate in the list")
	}
}
