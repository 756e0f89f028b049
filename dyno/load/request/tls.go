package request

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

// TLS is how the load speaks to https targets. The zero value verifies the
// server as any client does and makes a full handshake on each connection.
type TLS struct {
	MinVersion string   `json:"min_version,omitempty"` // "1.2" (default) or "1.3"
	MaxVersion string   `json:"max_version,omitempty"` // "1.2" or "1.3" (default)
	ServerName string   `json:"server_name,omitempty"` // SNI, and what the certificate must be for; default the target's host
	ALPN       []string `json:"alpn,omitempty"`        // default the protocol that is spoken
	Insecure   bool     `json:"insecure,omitempty"`    // accept any certificate
	CAFile     string   `json:"ca_file,omitempty"`     // PEM: trust these instead of the system's
	CertFile   string   `json:"cert_file,omitempty"`   // PEM: the client's certificate
	KeyFile    string   `json:"key_file,omitempty"`    // PEM: its key
	Resume     bool     `json:"resume,omitempty"`      // resume sessions where the server gave a ticket
	KeyLog     string   `json:"key_log,omitempty"`     // file to append the sessions' secrets to, for Wireshark
}

// Protocols by their ALPN names (RFC 7301, RFC 9113 3.3).
const (
	HTTP1 = "http/1.1"
	HTTP2 = "h2"
	HTTP3 = "h3" // RFC 9114 3.1
)

var tlsVersions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// Check reports what is wrong with the settings of a load that speaks protocol, which
// is an ALPN name such as http/1.1, or nil. Files are read when the load begins.
func (t *TLS) Check(protocol string) error {
	for _, v := range []string{t.MinVersion, t.MaxVersion} {
		if _, ok := tlsVersions[v]; v != "" && !ok {
			return i18n.Errorf("request.unknown-tls-version", `TLS version %q is neither "1.2" nor "1.3"`, v)
		}
	}
	switch {
	case protocol == HTTP3 && t.MaxVersion == "1.2":
		return i18n.Errorf("request.http3-tls-version", "HTTP/3 needs TLS 1.3 (RFC 9001 4.2), which is above the highest version allowed (1.2)")
	case t.MinVersion == "1.3" && t.MaxVersion == "1.2":
		return i18n.Errorf("request.tls-versions-crossed", "the lowest TLS version (1.3) is above the highest (1.2)")
	case (t.CertFile == "") != (t.KeyFile == ""):
		return i18n.Errorf("request.client-certificate-half", "a client certificate needs both its certificate and its key file")
	case len(t.ALPN) > 0 && !slices.Contains(t.ALPN, protocol):
		return i18n.Errorf("request.alpn-lacks-protocol", "ALPN %q does not offer %s, the protocol this load speaks", t.ALPN, protocol)
	}
	return nil
}

// Config returns what crypto/tls needs to speak protocol with host, and a function
// that releases it.
func (t *TLS) Config(host, protocol string) (c *tls.Config, release func(), err error) {
	release = func() {}
	c = &tls.Config{
		ServerName: t.ServerName, NextProtos: t.ALPN, InsecureSkipVerify: t.Insecure,
		MinVersion: tlsVersions[t.MinVersion], MaxVersion: tlsVersions[t.MaxVersion],
	}
	if c.ServerName == "" {
		c.ServerName = host
		if h, _, err := net.SplitHostPort(host); err == nil {
			c.ServerName = h
		}
		c.ServerName = strings.Trim(c.ServerName, "[]")
	}
	if len(c.NextProtos) == 0 {
		c.NextProtos = []string{protocol}
	}
	if t.Resume {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	if err := t.files(c); err != nil {
		return nil, nil, err
	}
	if t.KeyLog != "" {
		f, err := os.OpenFile(t.KeyLog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, i18n.Errorf("request.key-log", "key log: %w", err)
		}
		c.KeyLogWriter, release = f, func() { f.Close() }
	}
	return c, release, nil
}

// Client returns the settings for other requests to the same servers, such as for their
// metrics, as any client would make them: certificates and versions are the load's.
func (t *TLS) Client() (*tls.Config, error) {
	c := &tls.Config{
		ServerName: t.ServerName, InsecureSkipVerify: t.Insecure,
		MinVersion: tlsVersions[t.MinVersion], MaxVersion: tlsVersions[t.MaxVersion],
	}
	if err := t.files(c); err != nil {
		return nil, err
	}
	return c, nil
}

func (t *TLS) files(c *tls.Config) error {
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return i18n.Errorf("request.certificates-trust", "certificates to trust: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return i18n.Errorf("request.no-certificate-in-file", "%s holds no certificate in PEM form", t.CAFile)
		}
	}
	if t.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return i18n.Errorf("request.client-certificate", "client certificate %s: %w", t.CertFile, err)
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return nil
}
