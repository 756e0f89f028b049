package secure

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bound are certificates that aren't in files, for clients that request a hostname
// (SNI). The names in them aren't compared.
type Bound struct {
	Hostname     string // in lower case; "*.example.com": any below it, however deep; "": any
	Certificates []Named
}

// Named is a certificate with what it is called where it stands, such as "Secret
// shop/site".
type Named struct {
	Name             string
	*tls.Certificate // with its Leaf; isn't changed
}

// Bind makes certificates be presented from the next handshake on in place of those that
// were bound before. Existing connections go on. Those of a hostname come before those of
// files, those of any hostname after the files' that are for exactly the name requested.
func (s *Server) Bind(all []Bound) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.EqualFunc(all, s.bound, func(a, b Bound) bool {
		return a.Hostname == b.Hostname && slices.Equal(a.Certificates, b.Certificates)
	}) {
		return
	}
	s.bound = all
	s.make()
}

// boundProblem says which of them clients won't take, and why.
func (s *Server) boundProblem(now time.Time) (err error) {
	for name, c := range s.boundByName() {
		if late := timely(c.Leaf, now); late != nil {
			err = errors.Join(err, fmt.Errorf("certificate of %s: %w", name, late))
		}
	}
	return err
}

func (s *Server) boundByName() map[string]*tls.Certificate {
	all := map[string]*tls.Certificate{}
	for i := range s.bound {
		for _, c := range s.bound[i].Certificates {
			all[c.Name] = c.Certificate
		}
	}
	return all
}

// bindings are bound certificates by the hostnames they are for.
type bindings struct {
	exact, below map[string][]*tls.Certificate // below: by what follows "*."
	any          []*tls.Certificate
}

func newBindings(all []Bound) (b bindings) {
	b.exact, b.below = map[string][]*tls.Certificate{}, map[string][]*tls.Certificate{}
	for i := range all {
		for _, c := range all[i].Certificates {
			if all[i].Hostname == "" {
				b.any = append(b.any, c.Certificate)
			} else if rest, ok := strings.CutPrefix(all[i].Hostname, "*."); ok {
				b.below[rest] = append(b.below[rest], c.Certificate)
			} else {
				b.exact[all[i].Hostname] = append(b.exact[all[i].Hostname], c.Certificate)
			}
		}
	}
	return b
}

// of returns the certificates of the hostname that is nearest to a name: just that one,
// else the longest of those that it is below; nil if there is none.
func (b *bindings) of(name string) []*tls.Certificate {
	if fit := b.exact[name]; len(fit) > 0 {
		return fit
	}
	for _, rest, ok := strings.Cut(name, "."); ok; _, rest, ok = strings.Cut(rest, ".") {
		if fit := b.below[rest]; len(fit) > 0 {
			return fit
		}
	}
	return nil
}
