package secure

import (
	"crypto/tls"
	"errors"
	"slices"
	"strings"
)

// byName finds certificates by the names they are for.
type byName struct {
	exact, below map[string][]*tls.Certificate // below: by what follows "*."
	first        *tls.Certificate              // nil: there is none yet
	awaited      []string                      // names whose own certificate isn't there yet
	bound        bindings
}

// newByName takes certificates in their order: of several for a name the first that the
// client can use is presented. For a name whose own is awaited nothing is, rather than
// that of another name.
func newByName(all []*tls.Certificate, awaited []string) *byName {
	n := &byName{exact: map[string][]*tls.Certificate{}, below: map[string][]*tls.Certificate{}, awaited: awaited}
	if len(all) > 0 {
		n.first = all[0]
	}
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

// get returns the certificate for the name that a client requests (RFC 6066 3): one that is
// bound to it, else one for exactly that name, else a wildcard that matches it, else one
// that is bound to any, else the first. With nil crypto/tls sends the alert that the name
// isn't known here (112, RFC 6066 3).
func (n *byName) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.TrimSuffix(strings.ToLower(hello.ServerName), ".")
	fit := n.bound.of(name)
	if len(fit) == 0 {
		fit = n.exact[name]
	}
	_, rest, below := strings.Cut(name, ".")
	if len(fit) == 0 && below {
		fit = n.below[rest]
	}
	switch {
	case len(fit) > 0:
	case slices.Contains(n.awaited, name), below && slices.Contains(n.awaited, "*."+rest):
		return nil, nil
	case len(n.bound.any) > 0:
		fit = n.bound.any
	default:
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
