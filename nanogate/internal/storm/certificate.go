//go:build linux

package storm

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certify makes the certificate that the gateway and upstreams have, signed by itself.
func (s *Storm) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		return err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "storm"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour),
		DNSNames: []string{"storm.example"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(crand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	s.authorities = x509.NewCertPool()
	s.authorities.AddCert(c)
	s.certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "EC PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(s.options.Folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s *Storm) serverTLS(protocol string) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{s.certificate}, NextProtos: []string{protocol}}
}

func (s *Storm) clientTLS(protocol string) *tls.Config {
	return &tls.Config{RootCAs: s.authorities, ServerName: "storm.example", NextProtos: []string{protocol}}
}
