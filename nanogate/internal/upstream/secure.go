package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"

	"dyno.example/nanogate/internal/config"
)

// endpointTLS is the TLS configuration of an endpoint, with the TLS sessions that can be resumed.
type endpointTLS struct {
	of     *tls.Config // of the upstream, that it was made from
	config *tls.Config
}

// TLS returns what a handshake with an endpoint is done with; nil if it is spoken to
// without.
func (u *Upstream) TLS(e *Endpoint) *tls.Config {
	if !e.Address.TLS {
		return nil
	}
	of := refusing
	if u.Secure != nil {
		of = u.Secure.Config()
	}
	if s := e.secure.Load(); s != nil && s.of == of {
		return s.config
	}
	s := &endpointTLS{of, of.Clone()}
	if s.config.ServerName == "" {
		s.config.ServerName = nameOf(e.Address)
	}
	s.config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	e.secure.Store(s)
	return s.config
}

// refusing is for an upstream whose TLS couldn't be configured: it trusts no
// certificate.
var refusing = &tls.Config{RootCAs: x509.NewCertPool()}

// nameOf is what an endpoint is verified by.
func nameOf(a config.Address) string {
	switch {
	case a.Host != "":
		return a.Host
	case a.Unix != "":
		return "localhost"
	}
	return a.IP.Addr().String()
}

// authorityOf is an endpoint's own name as a Host has it.
func authorityOf(a config.Address) string {
	switch {
	case a.Unix != "":
		return "localhost"
	case a.Host == "":
		return a.IP.String()
	case a.IP.Port() == 80 && !a.TLS, a.IP.Port() == 443 && a.TLS:
		return a.Host
	}
	return net.JoinHostPort(a.Host, strconv.Itoa(int(a.IP.Port())))
}
