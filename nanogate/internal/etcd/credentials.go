package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"dyno.example/nanogate/internal/config"
)

// credentials are what a client logs in with.
type credentials struct {
	user, password string
	tls            *tls.Config // nil: not encrypted
}

// Check reads what a cluster is logged in to with, as a login does. It opens no
// connection.
func Check(c *config.EtcdCluster) error {
	_, err := credentialsOf(c)
	return err
}

func credentialsOf(c *config.EtcdCluster) (credentials, error) {
	user, err := secretOf(c.User)
	if err != nil {
		return credentials{}, fmt.Errorf("etcd's user: %w", err)
	}
	password, err := secretOf(c.Password)
	if err != nil {
		return credentials{}, fmt.Errorf("etcd's password: %w", err)
	}
	made := credentials{user: user, password: password}
	if !c.TLS() {
		return made, nil
	}
	made.tls = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.Name}
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return credentials{}, fmt.Errorf("etcd's CA: %w", err)
		}
		made.tls.RootCAs = x509.NewCertPool()
		if !made.tls.RootCAs.AppendCertsFromPEM(pem) {
			return credentials{}, fmt.Errorf("etcd's CA: %s has no certificate in PEM", c.CA)
		}
	}
	if c.Cert != "" {
		pair := func() (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
			return &pair, err
		}
		if _, err := pair(); err != nil {
			return credentials{}, fmt.Errorf("the certificate for etcd: %w", err)
		}
		// Read at each handshake: certificates are renewed while connections go on.
		made.tls.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair() }
	}
	return made, nil
}

// secretOf reads a secret from where it stands.
func secretOf(s config.Secret) (string, error) {
	switch {
	case s.File != "":
		b, err := os.ReadFile(s.File)
		if err != nil {
			return "", err
		}
		text := strings.TrimRight(string(b), "\r\n")
		if text == "" {
			return "", fmt.Errorf("%s is empty", s.File)
		}
		return text, nil
	case s.Env != "":
		text := os.Getenv(s.Env)
		if text == "" {
			return "", fmt.Errorf("the environment has no %s", s.Env)
		}
		return text, nil
	}
	return s.Text, nil
}
