package runner

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// certificate is what the subjects of one run that listen with TLS are given: a
// key of its own and a certificate for the loopback address, signed by itself.
type certificate struct {
	dir  string
	pool *x509.CertPool
}

// certificateLife is longer than any run.
const certificateLife = 365 * 24 * time.Hour

func newCertificate(scratch string) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "dyno"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(certificateLife),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, DNSNames: []string{"localhost"},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	c := &certificate{pool: x509.NewCertPool()}
	if c.dir, err = os.MkdirTemp(scratch, "tls-"); err != nil {
		return nil, err
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	c.pool.AppendCertsFromPEM(cert)
	err = errors.Join(
		os.WriteFile(c.file(), cert, 0o600),
		os.WriteFile(c.keyFile(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	)
	if err != nil {
		c.remove()
		return nil, err
	}
	return c, nil
}

func (c *certificate) file() string    { return filepath.Join(c.dir, "cert.pem") }
func (c *certificate) keyFile() string { return filepath.Join(c.dir, "key.pem") }

// env is the environment that makes a subject listen with TLS.
func (c *certificate) env() map[string]string {
	return map[string]string{"DYNO_TLS_CERT": c.file(), "DYNO_TLS_KEY": c.keyFile()}
}

// config trusts the certificate and no other.
func (c *certificate) config() *tls.Config { return &tls.Config{RootCAs: c.pool} }

// remove removes the files; a nil certificate has none.
func (c *certificate) remove() {
	if c != nil {
		os.RemoveAll(c.dir)
	}
}

// certificateFor makes a certificate if a subject that dyno starts is to listen with
// TLS; it is nil if none is.
func certificateFor(s *study.Study, cells []study.Cell, scratch string) (*certificate, error) {
	for _, sub := range s.Subjects {
		if sub.URL != "" || !speaksTLS(cells, sub.Name) {
			continue
		}
		c, err := newCertificate(scratch)
		if err != nil {
			return nil, i18n.Errorf("runner.making-certificate", "making a certificate for subjects that speak TLS: %w", err)
		}
		return c, nil
	}
	return nil, nil
}

// speaksTLS reports whether some cell of the subject does.
func speaksTLS(cells []study.Cell, subject string) bool {
	for i := range cells {
		if c := &cells[i]; c.Subject == subject && c.TLS != "" {
			return true
		}
	}
	return false
}

// security is how the load speaks to a contender in a cell.
func (own *certificate) security(c *contender, cell *study.Cell) request.TLS {
	if cell.TLS == "" {
		return request.TLS{}
	}
	t := request.TLS{CAFile: c.CAFile, Insecure: c.Insecure, Resume: cell.TLS == study.TLSResumed}
	if c.URL == "" {
		t.CAFile = own.file()
	}
	return t
}

// trust is the TLS of requests to it before the load.
func (own *certificate) trust(c *contender, cell *study.Cell) (*tls.Config, error) {
	switch {
	case cell.TLS == "":
		return nil, nil
	case c.URL == "":
		return own.config(), nil
	}
	return trustOf(c)
}

// metricsTrust is the TLS of requests for its metrics: the load's, or as the subject's
// ca_file and insecure say.
func (own *certificate) metricsTrust(c *contender, cell *study.Cell, url string) (*tls.Config, error) {
	switch {
	case !strings.HasPrefix(url, "https:"):
		return nil, nil
	case cell.TLS != "" && c.URL == "" && c.CAFile == "" && !c.Insecure:
		return own.config(), nil
	}
	return trustOf(c)
}

// trustOf trusts what the subject's ca_file and insecure say, or else the system's
// certificates.
func trustOf(c *contender) (*tls.Config, error) {
	t := request.TLS{CAFile: c.CAFile, Insecure: c.Insecure}
	return t.Client()
}
