package translate

import (
	"bytes"
	"net/netip"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Who a client is, as proxies before the gateway say and as upstreams are told (RFC 7239, and
// X-Forwarded-For and its like, which are older).

// Trusts reports whether an address is among those of trusted proxies.
func Trusts(trusted []netip.Prefix, a netip.Addr) bool {
	for _, p := range trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Believed reads what a trusted proxy says: the addresses before it, as they came, and
// of these the last that isn't a trusted proxy's itself. before is appended to dst, which is empty.
func Believed(dst []byte, r *request.Request, trusted []netip.Prefix) (before []byte, client netip.Addr, secure bool) {
	client, secure = r.Peer.Addr(), r.Secure
	before = dst
	r.Headers("x-forwarded-for", func(value []byte) bool {
		if len(before) > 0 {
			before = append(before, ", "...)
		}
		before = append(before, value...)
		return true
	})
	if proto, ok := r.Header("x-forwarded-proto"); ok {
		secure = http1.EqualFold(proto, "https")
	}
	for rest := before; len(rest) > 0; {
		last := rest
		if i := bytes.LastIndexByte(rest, ','); i >= 0 {
			rest, last = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if last = bytes.TrimSpace(last); len(last) == 0 {
			continue // no member of the list (RFC 9110 5.6.1)
		}
		if client = hop(last); !client.IsValid() || !Trusts(trusted, client) {
			break
		}
	}
	return before, client, secure
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

// AskedHost is the host that a client asked for, of the gateway or before of a proxy that is
// trusted.
func AskedHost(r *request.Request, trusted bool) []byte {
	if was, ok := r.Header("x-forwarded-host"); ok && trusted {
		return was
	}
	return r.Authority()
}

// AppendForwards appends the fields that say who a client is, but for the host that it
// asked for, which stands at their end without its value.
func AppendForwards(dst []byte, how config.Forwarded, peer netip.Addr, secure bool, before []byte) []byte {
	scheme := "http"
	if secure {
		scheme = "https"
	}
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
