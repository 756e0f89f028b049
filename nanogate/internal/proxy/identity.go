//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// identify finds out who sent a request: the peer, or who proxies that are trusted say
// it was. The fields that tell the upstream are made once for a connection, unless a
// trusted proxy may send another with each request.
func (l *heads) identify(c *client, r *request.Request) {
	c.recheckCertificate()
	if c.forwardsOf != l.snap {
		c.forwardsOf = l.snap
		c.trusted = translate.Trusts(l.snap.Config.Trust, c.peer.Addr())
		if !c.trusted {
			c.forwards = translate.AppendForwards(l.appendCertificate(c.forwards[:0], c, nil), l.snap.Config.Forwarded, c.peer.Addr(), c.secure != nil, nil)
		}
	}
	r.Client, r.Secure, r.Port, r.Certificate = c.peer.Addr(), c.secure != nil, c.conn().port, c.certificate
	if !c.trusted {
		return
	}
	var before []byte
	before, r.Client, r.Secure = translate.Believed(l.chain[:0], r, l.snap.Config.Trust)
	l.chain = before
	var shown []byte
	if l.snap.Config.Certificates {
		shown, _ = r.Header("x-forwarded-client-cert")
	}
	c.forwards = translate.AppendForwards(l.appendCertificate(c.forwards[:0], c, shown), l.snap.Config.Forwarded, c.peer.Addr(), r.Secure, before)
}

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
