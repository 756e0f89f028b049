package config

import "strings"

// ProviderTLS is how TLS is spoken with a server that the gateway asks about identities: an
// identity provider, a server of keys or of tokens. Without it they are verified by the
// system's authorities, by the names in their URLs. There is none that isn't verified, as
// whoever is on the way could let in anybody.
type ProviderTLS struct {
	CA         string // file of the authorities that it is verified by; "": the system's
	ServerName string // it is asked for and verified by; "": that of the URL
	Cert, Key  string // files of what it is shown; "": nothing
}

// Upstream is the same as upstreams have it.
func (t *ProviderTLS) Upstream() *UpstreamTLS {
	return &UpstreamTLS{CA: t.CA, ServerName: t.ServerName, Cert: t.Cert, Key: t.Key}
}

func readProviderTLS(p place) (ProviderTLS, At) {
	t := readUpstreamTLS(p)
	if t.Insecure {
		p.Problem("name who signs its certificate: tls: {ca: ./ca.pem}", "who is asked about identities is verified: otherwise whoever is on the way could let in anybody")
	}
	return ProviderTLS{CA: t.CA, ServerName: t.ServerName, Cert: t.Cert, Key: t.Key}, t.At
}

// checkProviderTLS holds tls, if it is there, against what the field of that name says of
// where is asked.
func checkProviderTLS(found map[string]place, name, url string) {
	if at, ok := found["tls"]; ok && url != "" && !strings.HasPrefix(url, "https://") {
		at.Problem("remove it", "tls is for an https URL, and %s is none", name)
	}
}
