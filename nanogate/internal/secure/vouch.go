package secure

import (
	"crypto/tls"
	"strings"
)

// ProtocolACME is what an authority asks for that checks whether a name is ours (RFC 8737
// 6.2). Nothing is said after the handshake.
const ProtocolACME = "acme-tls/1"

// vouch shows an authority that checks a name what it expects (RFC 8737 3). Others get
// nil, and with it the handshake that everybody gets. No certificate is asked of the
// authority: it isn't a client that anything is served to.
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
