//go:build linux

package proxy

import (
	"bytes"
	"net/netip"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/nano/wire/http1"
)

// identify finds out who sent a request: the peer, or who proxies that are trusted say
// it was. The fields that tell the upstream are made once for a connection, unless a
// trusted proxy may send another with each request.
func (l *loop) identify(c *client, r *request.Request) {
	if c.forwardsOf != l.snap {
		c.forwardsOf = l.snap
		c.trusted = trusts(l.snap.Config.Trust, c.peer.Addr())
		if !c.trusted {
			c.forwards = l.appendForwards(l.appendCertificate(c.forwards[:0], c, nil), c.peer.Addr(), schemeOf(c.secure != nil), nil)
		}
	}
	r.Client, r.Secure, r.Port, r.Certificate = c.peer.Addr(), c.secure != nil, c.conn().port, c.certificate
	if !c.trusted {
		return
	}
	var before []byte
	before, r.Client, r.Secure = l.believed(r)
	shown, _ := r.Header("x-forwarded-client-cert")
	c.forwards = l.appendForwards(l.appendCertificate(c.forwards[:0], c, shown), c.peer.Addr(), schemeOf(r.Secure), before)
}

// appendCertificate appends the field that says what certificate a client has shown,
// here or, before, to a proxy that is trusted.
func (l *loop) appendCertificate(dst []byte, c *client, before []byte) []byte {
	if l.snap.Config.Forwarded == config.ForwardedOff || len(before) == 0 && c.certificate == nil {
		return dst
	}
	dst = append(append(dst, "X-Forwarded-Client-Cert: "...), before...)
	if c.certificate != nil {
		if len(before) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c.certificate.Forwarded...)
	}
	return append(dst, "\r\n"...)
}

func schemeOf(secure bool) string {
	if secure {
		return "https"
	}
	return "http"
}

func trusts(trusted []netip.Prefix, a netip.Addr) bool {
	for _, p := range trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// believed reads what a trusted proxy says: the addresses before it, as they came, and
// of these the last that isn't a trusted proxy's itself.
func (l *loop) believed(r *request.Request) (before []byte, client netip.Addr, secure bool) {
	client, secure = r.Peer.Addr(), r.Secure
	l.chain = l.chain[:0]
	r.Headers("x-forwarded-for", func(value []byte) bool {
		if len(l.chain) > 0 {
			l.chain = append(l.chain, ", "...)
		}
		l.chain = append(l.chain, value...)
		return true
	})
	if proto, ok := r.Header("x-forwarded-proto"); ok {
		secure = http1.EqualFold(proto, "https")
	}
	for rest := l.chain; len(rest) > 0; {
		last := rest
		if i := bytes.LastIndexByte(rest, ','); i >= 0 {
			rest, last = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		a, err := netip.ParseAddr(string(bytes.TrimSpace(last)))
		if err != nil {
			break // nobody can say who was before that
		}
		if client = a.Unmap(); !trusts(l.snap.Config.Trust, client) {
			break
		}
	}
	return l.chain, client, secure
}

// appendForwards appends the fields that say who a client is, but for the host that it
// asked for, which stands at their end without its value.
func (l *loop) appendForwards(dst []byte, peer netip.Addr, scheme string, before []byte) []byte {
	how := l.snap.Config.Forwarded
	if how == config.ForwardedOff {
		return dst
	}
	if how != config.ForwardedX {
		dst = append(dst, "Forwarded: "...)
		for rest := before; len(rest) > 0; {
			var one []byte
			one, rest, _ = bytes.Cut(rest, []byte(","))
			if a, err := netip.ParseAddr(string(bytes.TrimSpace(one))); err == nil {
				dst = append(appendNode(append(dst, "for="...), a), ", "...)
			}
		}
		dst = append(append(appendNode(append(dst, "for="...), peer), ";proto="...), scheme...)
		dst = append(dst, "\r\n"...)
	}
	if how != config.ForwardedRFC {
		dst = append(dst, "X-Forwarded-For: "...)
		if len(before) > 0 {
			dst = append(append(dst, before...), ", "...)
		}
		if peer.IsValid() {
			dst = peer.AppendTo(dst)
		} else {
			dst = append(dst, "unknown"...)
		}
		dst = append(append(dst, "\r\nX-Forwarded-Proto: "...), scheme...)
		dst = append(dst, "\r\nX-Forwarded-Host: "...)
	}
	return dst
}

// appendNode appends an address as Forwarded wants it (RFC 7239 6).
func appendNode(dst []byte, a netip.Addr) []byte {
	switch {
	case !a.IsValid():
		return append(dst, "unknown"...)
	case a.Is4():
		return a.AppendTo(dst)
	}
	dst = append(a.AppendTo(append(dst, `"[`...)), `]"`...)
	return dst
}
