// Package autocert gets certificates from an ACME authority, Let's Encrypt by default,
// and renews them while the app serves, with golang.org/x/crypto/acme/autocert.
//
//	certs := autocert.New(autocert.Config{Hosts: []string{"shop.example"}, Folder: "/var/lib/shop/certs"})
//	ln, err := net.Listen("tcp", ":443")
//	...
//	log.Fatal(app.ServeTLS(ln, certs))
//
// The authority checks by TLS-ALPN-01, on port 443: nothing else has to be open. By using
// it you accept the authority's terms.
package autocert

import (
	"crypto/tls"
	"errors"
	"slices"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Config configures [New].
type Config struct {
	// Hosts are the names that may have a certificate. Required: otherwise any client
	// could make the server request certificates for any name, until the authority's rate
	// limit refuses more.
	Hosts []string
	// Folder keeps keys and certificates; it is created with mode 0700. Required:
	// authorities issue only so many certificates a week.
	Folder string
	// Email is where the authority sends notices, such as of expiry.
	Email string
	// Directory is the URL of another authority's directory, for tests and companies.
	Directory string
}

// New returns a TLS configuration that gets its certificates at the first handshake
// that needs them. It panics if the config can't work.
func New(config Config) *tls.Config {
	if len(config.Hosts) == 0 || slices.Contains(config.Hosts, "") || config.Folder == "" {
		panic("autocert: Config needs Hosts and Folder")
	}
	m := &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(config.Folder),
		HostPolicy: autocert.HostWhitelist(config.Hosts...), Email: config.Email,
	}
	if config.Directory != "" {
		m.Client = &acme.Client{DirectoryURL: config.Directory}
	}
	out := m.TLSConfig()
	out.MinVersion = tls.VersionTLS12
	get := out.GetCertificate
	out.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if hello.ServerName == "" {
			return nil, errors.New("autocert: the client didn't say which host it wants")
		}
		return get(hello)
	}
	return out
}
