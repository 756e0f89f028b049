package config

import "crypto/tls"

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
	// The first one is for clients that ask for no name, or for one that none is for.
	{"certificates", (*TLS).readCertificates},
	// Certificates that the gateway gets by itself, see [ACME](acme.md).
	{"acme", func(t *TLS, p place) { t.ACME = readACME(p) }},
	// Certificates of the Secrets that the Gateway's listeners name. Default: `false`
	{"kubernetes", func(t *TLS, p place) { t.Kubernetes = p.Boolean() }},
	// The lowest version of TLS. Default: `1.2`
	{"min-version", func(t *TLS, p place) {
		if t.MinVersion = tls.VersionTLS12; p.word(tlsVersions...) == "1.3" {
			t.MinVersion = tls.VersionTLS13
		}
	}},
	// PEM file of the authorities that clients' certificates are verified by. Default: none
	{"client-ca", func(t *TLS, p place) { t.ClientCA = p.path() }},
	// Whether clients need a certificate; what they show is verified all the same. Default:
	// `require`
	{"client-certificate", func(t *TLS, p place) { t.Optional = p.word("require", "request") == "request" }},
	// Clients may resume TLS sessions, without a full handshake.
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
			// PEM file of the certificate and its chain. Default: required
			{"cert", func(c *Certificate, p place) { c.Cert = p.path() }},
			// PEM file of its key. Default: required
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
