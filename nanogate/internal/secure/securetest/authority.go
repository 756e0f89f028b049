// Package securetest makes certificates for tests.
package securetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates. Its own is in the file Path.
type Authority struct {
	Path string
	Pool *x509.CertPool

	t    testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New makes an authority whose files are in a folder of the test's.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{t: t, dir: t.TempDir(), Pool: x509.NewCertPool()}
	a.key = newKey(t)
	der := a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "authority " + a.dir}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, a.key, time.Hour)
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a.cert = cert
	a.Pool.AddCert(cert)
	a.Path = filepath.Join(a.dir, "ca.pem")
	a.write(a.Path, "CERTIFICATE", der)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign signs a certificate for key, by the authority or itself if that has none yet.
func (a *Authority) sign(c *x509.Certificate, key *ecdsa.PrivateKey, valid time.Duration) (der []byte) {
	a.t.Helper()
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		a.t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = serial, time.Now().Add(-2*time.Hour), time.Now().Add(valid)
	der, err = x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

// Files are those of a certificate and its key.
type Files struct{ Cert, Key string }

// Issue makes a certificate for names (host names, IP addresses, URIs; the first is the
// common name) that is valid so long from now, in files of that name.
func (a *Authority) Issue(file string, valid time.Duration, names ...string) Files {
	a.t.Helper()
	c := &x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if len(names) > 0 {
		c.Subject = pkix.Name{CommonName: names[0], Organization: []string{"tests"}}
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else if u, err := url.Parse(name); err == nil && u.Scheme != "" {
			c.URIs = append(c.URIs, u)
		} else {
			c.DNSNames = append(c.DNSNames, name)
		}
	}
	key := newKey(a.t)
	f := Files{filepath.Join(a.dir, file+".pem"), filepath.Join(a.dir, file+"-key.pem")}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(f.Cert, "CERTIFICATE", a.sign(c, key, valid))
	a.write(f.Key, "PRIVATE KEY", der)
	return f
}

// write replaces a file as a whole.
func (a *Authority) write(path, kind string, der []byte) {
	a.t.Helper()
	err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// Pair reads a certificate and its key.
func (f Files) Pair(t testing.TB) tls.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}
