//go:build linux

package proxy

import (
	"bytes"
	"net/netip"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// identify finds out who sent a request: the peer, or who proxies that are trusted say
// it was. The fields that tell the upstream are made once for a connection, unless a
// trusted proxy may send another with each request.
func (l *heads) identify(c *client, r *request.Request) {
	c.recheckCertificate()
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
	var shown []byte
	if l.snap.Config.Certificates {
		shown, _ = r.Header("x-forwarded-client-cert")
	}
	c.forwards = l.appendForwards(l.appendCertificate(c.forwards[:0], c, shown), c.peer.Addr(), schemeOf(r.Secure), before)
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
func (l *heads) believed(r *request.Request) (before []byte, client netip.Addr, secure bool) {
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
		if last = bytes.TrimSpace(last); len(last) == 0 {
			continue // no member of the list (RFC 9110 5.6.1)
		}
		if client = hop(last); !client.IsValid() || !trusts(l.snap.Config.Trust, client) {
			break
		}
	}
	return l.chain, client, secure
}

// hop reads who a proxy says was before it: an address, which some write with a port. What
// can't be read is nobody's address, and not that of the proxy, which may be let in where
// its clients aren't.
func hop(entry []byte) netip.Addr {
	text := string(entry)
	a, err := netip.ParseAddr(text)
	if err != nil {
		if with, err := netip.ParseAddrPort(text); err == nil {
			a = with.Addr()
		} else if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
			a, _ = netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		}
	}
	if a.Zone() != "" {
		return netip.Addr{}
	}
	return a.Unmap()
}

// askedHost is the host that a client asked for, of the gateway or before of a proxy that is
// trusted.
func askedHost(r *request.Request, trusted bool) []byte {
	if was, ok := r.Header("x-forwarded-host"); ok && trusted {
		return was
	}
	return r.Authority()
}

// appendForwards appends the fields that say who a client is, but for the host that it
// asked for, which stands at their end without its value.
func (l *heads) appendForwards(dst []byte, peer netip.Addr, scheme string, before []byte) []byte {
	how := l.snap.Config.Forwarded
	if how == config.ForwardedOff {
		return dst
	}
	if how != config.ForwardedX {
		dst = append(dst, "Forwarded: "...)
		for rest := before; len(rest) > 0; {
			var one []byte
			one, rest, _ = bytes.Cut(rest, []byte(","))
			if one = bytes.TrimSpace(one); len(one) > 0 {
				dst = append(appendNode(append(dst, "for="...), hop(one)), ", "...)
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
