package guard

import (
	"strings"

	"dyno/gate/config"
	"dyno/gate/request"
)

// MTLS lets in who has shown a certificate that was verified, and that has one of the
// names asked for.
type MTLS struct {
	rules            config.MTLS
	missing, unknown *request.Answer
}

// NewMTLS makes the guard.
func NewMTLS(rules *config.MTLS) *MTLS {
	return &MTLS{*rules,
		request.Refuse(401, "a client certificate is needed", "WWW-Authenticate: Certificate\r\n"),
		request.Refuse(403, "the client certificate is not one of those taken here", "")}
}

// Check refuses who has no certificate, or another one.
func (m *MTLS) Check(r *request.Request) *request.Answer {
	switch {
	case r.Certificate == nil:
		return m.missing
	case !m.knows(r.Certificate):
		return m.unknown
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
	for _, want := range m.rules.DNS {
		for _, name := range c.DNS {
			if below, ok := strings.CutPrefix(want, "*"); name == want || ok && len(name) > len(below) && strings.HasSuffix(name, below) {
				return true
			}
		}
	}
	for _, want := range m.rules.URIs {
		for _, uri := range c.URIs {
			if begin, ok := strings.CutSuffix(want, "*"); uri == want || ok && strings.HasPrefix(uri, begin) {
				return true
			}
		}
	}
	return false
}
