package secure

import (
	"crypto/tls"
	"errors"
	"strings"
)

// byName finds certificates by the names they are for.
type byName struct {
	exact, below map[string][]*tls.Certificate // below: by what follows "*."
	first        *tls.Certificate
}

// newByName takes certificates in their order: of several for a name the first that the
// client can use is shown.
func newByName(all []*tls.Certificate) *byName {
	n := &byName{exact: map[string][]*tls.Certificate{}, below: map[string][]*tls.Certificate{}, first: all[0]}
	for _, c := range all {
		for _, name := range namesOf(c) {
			name = strings.ToLower(name)
			if rest, ok := strings.CutPrefix(name, "*."); ok {
				n.below[rest] = append(n.below[rest], c)
			} else {
				n.exact[name] = append(n.exact[name], c)
			}
		}
	}
	return n
}

// namesOf are the names a certificate is for. Its common name is one only if it has no
// others (RFC 6125 6.4.4).
func namesOf(c *tls.Certificate) []string {
	if len(c.Leaf.DNSNames) == 0 && len(c.Leaf.IPAddresses) == 0 && c.Leaf.Subject.CommonName != "" {
		return []string{c.Leaf.Subject.CommonName}
	}
	return c.Leaf.DNSNames
}

// get returns the certificate for the name that a client asks for (RFC 6066 3): one for
// exactly that, else one for all names beside it, else the first.
func (n *byName) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.TrimSuffix(strings.ToLower(hello.ServerName), ".")
	fit := n.exact[name]
	if len(fit) == 0 {
		if _, rest, ok := strings.Cut(name, "."); ok {
			fit = n.below[rest]
		}
	}
	if len(fit) == 0 {
		return n.first, nil
	}
	for _, c := range fit[:len(fit)-1] {
		if hello.SupportsCertificate(c) == nil {
			return c, nil
		}
	}
	return fit[len(fit)-1], nil
}

var errNoCertificate = errors.New("there is no certificate to show")
