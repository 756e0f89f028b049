package secure

import (
	"crypto/tls"
	"strings"
)

// ProtocolACME is the ALPN protocol of an authority that validates a name (RFC 8737 6.2).
// The connection ends after the handshake.
const ProtocolACME = "acme-tls/1"

// vouch returns the challenge certificate for an authority that validates a name (RFC
// 8737 3). For others it returns nil, and with it the usual handshake. The authority
// needs no client certificate: it isn't served anything.
func (s *Server) vouch(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	if len(hello.SupportedProtos) != 1 || hello.SupportedProtos[0] != ProtocolACME {
		return nil, nil
	}
	c := s.issuer.Certificate(strings.ToLower(hello.ServerName))
	if c == nil {
		return nil, nil
	}
	return &tls.Config{Certificates: []tls.Certificate{*c}, NextProtos: hello.SupportedProtos, MinVersion: tls.VersionTLS12}, nil
}
