package guard

import (
	"slices"
	"strings"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// MTLS admits clients whose certificate was verified and has one of the required names.
// It can forward the name to the upstream.
type MTLS struct {
	rules                      config.MTLS
	missing, unknown, nameless *request.Reply
	expired, disowned          *request.Reply
	takes                      []func(name string) bool // by rules.Forward: which names may be the identity
	now                        func() time.Time
	keeps                      bool // claims, if a later rule or middleware needs them
}

// KeepClaims has requests keep what was verified of them.
func (m *MTLS) KeepClaims() { m.keeps = true }

// NewMTLS makes the guard.
func NewMTLS(rules *config.MTLS) *MTLS {
	m := &MTLS{rules: *rules, now: time.Now,
		missing:  request.Refuse(401, "a client certificate is required", "WWW-Authenticate: Certificate\r\n").For(request.RefusedNoCertificate),
		unknown:  request.Refuse(403, "the client certificate is not among those allowed", "").For(request.RefusedCertificate),
		nameless: request.Refuse(403, "the client certificate names no identity, or more than one", "").For(request.RefusedCertificateName)}
	m.expired = request.Refuse(401, "the client certificate has expired", "WWW-Authenticate: Certificate\r\n").For(request.RefusedCertificateExpired)
	m.disowned = request.Refuse(401, "the client certificate is no longer trusted", "WWW-Authenticate: Certificate\r\n").For(request.RefusedCertificateDisowned)
	m.disowned.Close = true
	m.expired.Close = true // another one takes another connection
	for _, f := range rules.Forward {
		takes := func(string) bool { return true }
		switch {
		case f.Name == "dns" && len(rules.DNS) > 0:
			takes = m.takesDNS
		case f.Name == "uri" && len(rules.URIs) > 0:
			takes = m.takesURI
		}
		m.takes = append(m.takes, takes)
	}
	return m
}

// Check refuses clients without a certificate, or with another one.
func (m *MTLS) Check(r *request.Request) *request.Reply {
	switch {
	case r.Certificate == nil:
		return m.missing
	case r.Certificate.Disowned:
		return m.disowned
	case !m.knows(r.Certificate):
		return m.unknown
	case m.now().After(r.Certificate.Until): // since the handshake
		return m.expired
	}
	if m.keeps {
		r.Verified("mtls", r.Certificate.Claims)
	}
	for i := range m.rules.Forward {
		f := &m.rules.Forward[i]
		who, ok := r.Certificate.Identity(f.Name, m.takes[i])
		if !ok {
			return m.nameless
		}
		r.ForwardText(f.Value, who)
	}
	return nil
}

func (m *MTLS) knows(c *request.Certificate) bool {
	if len(m.rules.Subjects)+len(m.rules.DNS)+len(m.rules.URIs) == 0 {
		return true
	}
	for _, want := range m.rules.Subjects {
		if name, ok := strings.CutPrefix(want, "CN="); want == c.Subject || ok && name == c.Name {
			return true
		}
	}
	return slices.ContainsFunc(c.DNS, m.takesDNS) || slices.ContainsFunc(c.URIs, m.takesURI)
}

func (m *MTLS) takesDNS(name string) bool {
	for _, want := range m.rules.DNS {
		if below, ok := strings.CutPrefix(want, "*"); name == want || ok && len(name) > len(below) && strings.HasSuffix(name, below) {
			return true
		}
	}
	return false
}

func (m *MTLS) takesURI(uri string) bool {
	for _, want := range m.rules.URIs {
		if begin, ok := strings.CutSuffix(want, "*"); uri == want || ok && strings.HasPrefix(uri, begin) && plainBelow(uri[len(begin):]) {
			return true
		}
	}
	return false
}

// plainBelow reports whether what follows in a URI stays below what is before it, whoever
// reads it: no dots to resolve, no escapes, nothing empty, as SPIFFE IDs have it (2.2).
func plainBelow(rest string) bool {
	if strings.ContainsAny(rest, "%\\;?#") || strings.HasPrefix(rest, "/") {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.Contains(rest, "//")
}
