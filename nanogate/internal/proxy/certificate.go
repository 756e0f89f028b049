//go:build linux

package proxy

import (
	"crypto/x509"
	"time"

	"dyno.example/nanogate/internal/config"
)

// recheckCertificate looks again at the certificate that a client has shown when other authorities
// vouch for clients than at the handshake: to take one out of client-ca is how certificates
// are withdrawn, and connections may be open for days.
func (c *client) recheckCertificate() {
	if !c.hasCertificate() {
		return
	}
	now := c.greeting.Authorities()
	if now == c.vouching {
		return
	}
	c.vouching = now
	if now != nil {
		between := x509.NewCertPool()
		for _, one := range c.shown[1:] {
			between.AddCert(one)
		}
		// That it has expired since is for the guard to say.
		at := min(time.Now().Unix(), c.certificate.Until.Unix())
		if _, err := c.shown[0].Verify(x509.VerifyOptions{Roots: now, Intermediates: between, CurrentTime: time.Unix(at, 0), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err == nil {
			return
		}
	}
	c.certificate, c.forwardsOf = c.certificate.Disown(), nil
}

// hasCertificate reports whether a client has shown one that somebody vouches for.
func (c *client) hasCertificate() bool { return c.certificate != nil && !c.certificate.Disowned }

// appendCertificate appends the field that says what certificate a client has shown,
// here or, before, to a proxy that is trusted.
func (l *heads) appendCertificate(dst []byte, c *client, before []byte) []byte {
	if l.snap.Config.Forwarded == config.ForwardedOff || len(before) == 0 && !c.hasCertificate() {
		return dst
	}
	dst = append(append(dst, "X-Forwarded-Client-Cert: "...), before...)
	if c.hasCertificate() {
		if len(before) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c.certificate.Forwarded...)
	}
	return append(dst, "\r\n"...)
}
