package request

import (
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"strings"
)

// Certificate is what a client's certificate says, after it was verified. It is made
// once for a connection and isn't changed.
type Certificate struct {
	Subject   string   // as RFC 2253 writes it
	Name      string   // the subject's common name
	DNS, URIs []string // alternative names; DNS in lower case
	Forwarded []byte   // all of it as X-Forwarded-Client-Cert has it
}

// NewCertificate reads a certificate that was verified.
func NewCertificate(c *x509.Certificate) *Certificate {
	r := &Certificate{Subject: c.Subject.String(), Name: c.Subject.CommonName}
	for _, name := range c.DNSNames {
		r.DNS = append(r.DNS, strings.ToLower(name))
	}
	for _, u := range c.URIs {
		r.URIs = append(r.URIs, u.String())
	}
	r.Forwarded = fmt.Appendf(nil, "Hash=%x", sha256.Sum256(c.Raw))
	r.add("Subject", r.Subject)
	for _, u := range r.URIs {
		r.add("URI", u)
	}
	for _, name := range r.DNS {
		r.add("DNS", name)
	}
	return r
}

// add appends an element of X-Forwarded-Client-Cert, quoted. What no field may hold is
// left out.
func (c *Certificate) add(key, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return
	}
	c.Forwarded = append(c.Forwarded, ";"+key+`="`+quoting.Replace(value)+`"`...)
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
