package request

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"strings"
	"time"
)

// Certificate is what a client's certificate says, after it was verified. It is made
// once for a connection and isn't changed.
type Certificate struct {
	Subject   string   // as RFC 2253 writes it
	Name      string   // the subject's common name
	DNS, URIs []string // alternative names; DNS in lower case
	Forwarded []byte   // all of it as X-Forwarded-Client-Cert has it
	Until     time.Time
	Claims    Claims // the names, as the guard's claims
	Disowned  bool   // none of the authorities that there are now vouches for it

	owner string // its only common name, if there are no alternative names; else ""
}

// NewCertificate reads a certificate that was verified.
func NewCertificate(c *x509.Certificate) *Certificate {
	r := &Certificate{Subject: c.Subject.String(), Name: c.Subject.CommonName, Until: c.NotAfter}
	for _, name := range c.DNSNames {
		r.DNS = append(r.DNS, strings.ToLower(name))
	}
	for _, u := range c.URIs {
		r.URIs = append(r.URIs, u.String())
	}
	if len(c.DNSNames)+len(c.URIs)+len(c.IPAddresses)+len(c.EmailAddresses) == 0 && commonNames(c) == 1 {
		r.owner = c.Subject.CommonName
	}
	r.Claims = Claims{"subject": r.Subject, "name": r.Name, "dns": r.DNS, "uris": r.URIs}
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

// Disown returns the certificate as one that no authority vouches for any more.
func (c *Certificate) Disown() *Certificate {
	disowned := *c
	disowned.Disowned = true
	return &disowned
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

func commonNames(c *x509.Certificate) (n int) {
	for _, part := range c.Subject.Names {
		if part.Type.Equal(commonName) {
			n++
		}
	}
	return n
}

var commonName = asn1.ObjectIdentifier{2, 5, 4, 3}

// Identity returns a certificate's subject by its names of a kind, "dns", "uri" or "cn",
// among those accepted: there must be exactly one, or the identity would be ambiguous. A
// common name counts only where there are no alternative names (RFC 9525 2, 6.1); a
// wildcard is no identity, and neither is a name that a field can't hold as it is.
func (c *Certificate) Identity(kind string, taken func(name string) bool) (identity string, ok bool) {
	names := c.DNS
	switch kind {
	case "uri":
		names = c.URIs
	case "cn":
		return c.owner, Identifies(c.owner) && taken(c.owner)
	}
	for _, name := range names {
		if !taken(name) {
			continue
		}
		if ok || !Identifies(name) || kind == "dns" && strings.Contains(name, "*") {
			return "", false
		}
		identity, ok = name, true
	}
	return identity, ok
}

// Identifies reports whether a field can hold a name as it is, and whoever reads it takes it
// for this one only: visible characters of ASCII, and spaces between them.
func Identifies(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' })
}
