package config

import "strings"

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
		// PEM file of the authorities that they are verified by. Default: the system's
		{"ca", func(t *UpstreamTLS, p place) { t.CA = p.path() }},
		// The name that they are asked for and verified by. Default: each one's own
		{"server-name", func(t *UpstreamTLS, p place) {
			if t.ServerName = p.text(); t.ServerName != "" && !isName(t.ServerName) {
				p.Problem("such as api.example.com", "expected a host name, got %s", form.Quote(t.ServerName))
			}
		}},
		// PEM file of the gateway's certificate. Default: none
		{"cert", func(t *UpstreamTLS, p place) { t.Cert = p.path() }},
		// PEM file of its key.
		{"key", func(t *UpstreamTLS, p place) { t.Key = p.path() }},
		// They aren't verified. Default: `false`
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
