package config

import (
	"crypto/tls"
	"strings"
)

// TLS is how a listener speaks TLS (RFC 8446, RFC 5246).
type TLS struct {
	At           At
	Text         string        // all of it but its place
	Certificates []Certificate // the first is for clients that ask for a name nobody has, or none
	ACME         *ACME         // certificates that the gateway gets by itself, after the others; nil: none
	Kubernetes   bool          // and those of Secrets that the Gateway's listeners in Kubernetes name
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
	{"acme", func(t *TLS, p place) { t.ACME = readACME(p) }},
	{"kubernetes", func(t *TLS, p place) { t.Kubernetes = p.Boolean() }},
	{"min-version", func(t *TLS, p place) {
		if t.MinVersion = tls.VersionTLS12; p.word(tlsVersions...) == "1.3" {
			t.MinVersion = tls.VersionTLS13
		}
	}},
	{"client-ca", func(t *TLS, p place) { t.ClientCA = p.path() }},
	{"client-certificate", func(t *TLS, p place) { t.Optional = p.word("require", "request") == "request" }},
	{"tickets", func(t *TLS, p place) { t.Tickets = p.Boolean() }},
}

func readTLS(p place) *TLS {
	t := &TLS{At: p.At(), Text: p.in.text(p.Node), MinVersion: tls.VersionTLS12, Tickets: true}
	found := readFields(p, t, tlsFields)
	if !p.IsMapping() {
		return t
	}
	_, files := found["certificates"]
	if _, acme := found["acme"]; !files && !acme && !t.Kubernetes {
		p.Problem("such as certificates: [{cert: ./site.pem, key: ./site-key.pem}]", "there is no certificate to show to clients")
	}
	if at, ok := found["client-certificate"]; ok && t.ClientCA == "" {
		at.Problem("add: client-ca: ./clients-ca.pem", "clients' certificates can't be verified without an authority")
	}
	return t
}

// linkSecrets holds listeners whose certificates stand in Kubernetes against what is
// followed there.
func (c *Config) linkSecrets(in *input) {
	if c.Kubernetes != nil {
		return
	}
	told := map[*TLS]bool{}
	for i := range c.Listen {
		if t := c.Listen[i].TLS; t != nil && t.Kubernetes && !told[t] {
			told[t] = true
			in.Problems = append(in.Problems, t.At.Problem("add at the top: kubernetes: {gateway: NAME}", "certificates are to come from Kubernetes, and no Gateway there is followed"))
		}
	}
}

func (t *TLS) readCertificates(p place) {
	items := []place{p}
	if !p.IsMapping() {
		items = p.list()
	}
	for _, item := range items {
		c := Certificate{At: item.At()}
		readFields(item, &c, []known[Certificate]{
			{"cert", func(c *Certificate, p place) { c.Cert = p.path() }},
			{"key", func(c *Certificate, p place) { c.Key = p.path() }},
		})
		if item.IsMapping() && (c.Cert == "" || c.Key == "") {
			item.Problem("such as {cert: ./site.pem, key: ./site-key.pem}", "a certificate is two files, cert and key")
		}
		t.Certificates = append(t.Certificates, c)
	}
	if len(items) == 0 && p.IsList() {
		p.Problem("such as [{cert: ./site.pem, key: ./site-key.pem}]", "there is no certificate in the list")
	}
}

// UpstreamTLS is how TLS is spoken with endpoints. Without it they are verified by the
// system's authorities, by the names that they have in the file.
type UpstreamTLS struct {
	At         At
	CA         string // file of the authorities that they are verified by; "": the system's
	ServerName string // they are asked for and verified by; "": each by its own
	Cert, Key  string // files of what they are shown; "": nothing
	Insecure   bool   // they aren't verified
}

func readUpstreamTLS(p place) *UpstreamTLS {
	t := &UpstreamTLS{At: p.At()}
	readFields(p, t, []known[UpstreamTLS]{
		{"ca", func(t *UpstreamTLS, p place) { t.CA = p.path() }},
		{"server-name", func(t *UpstreamTLS, p place) {
			if t.ServerName = p.text(); t.ServerName != "" && !isName(t.ServerName) {
				p.Problem("such as api.example.com", "expected a host name, got %s", form.Quote(t.ServerName))
			}
		}},
		{"cert", func(t *UpstreamTLS, p place) { t.Cert = p.path() }},
		{"key", func(t *UpstreamTLS, p place) { t.Key = p.path() }},
		{"insecure", func(t *UpstreamTLS, p place) { t.Insecure = p.Boolean() }},
	})
	if (t.Cert == "") != (t.Key == "") {
		p.Problem("such as cert: ./client.pem, key: ./client-key.pem", "a certificate is two files, cert and key")
	}
	if t.Insecure && t.CA != "" {
		p.Problem("remove one of them", "insecure verifies nobody, and ca says by whom")
	}
	return t
}

// linkTLS holds the endpoints of an upstream against its TLS: it is spoken with all of
// them or none.
func (u *Upstream) linkTLS(in *input) {
	if u.TLS == nil {
		return
	}
	for i := range u.Endpoints {
		e := &u.Endpoints[i]
		switch {
		case e.plain:
			in.Problems = append(in.Problems, e.At.Problem("write https://", "the upstream has tls, and this endpoint is without"))
		case e.Address.Unix != "" && u.TLS.ServerName == "" && !u.TLS.Insecure:
			in.Problems = append(in.Problems, e.At.Problem("add to tls: server-name: api.example.com", "a unix socket has no name that it could be verified by"))
		}
		e.Address.TLS = true
	}
}

// isPlain reports whether an endpoint's text says that it is without TLS.
func isPlain(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "h2c://")
}
