package nano

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
)

// ForwardedFields selects the fields from which a client's address is taken. Only one
// kind is used: the other may have come from the client itself.
type ForwardedFields uint8

const (
	XForwarded ForwardedFields = iota // X-Forwarded-For, -Proto and -Host
	Forwarded                         // Forwarded (RFC 7239)
)

// maxHops is the number of proxies that are followed, from the nearest on. What
// stands before them may be the client's: it must not be able to hide what the
// proxies say behind more of it.
const maxHops = 32

// hop is what a proxy says about the peer that it received the request from.
type hop struct {
	client      netip.AddrPort // not valid: not said, or hidden
	proto, host string
}

// Scheme returns "https" or "http": that of the connection, or what a trusted
// proxy said of the client's.
func (c Ctx) Scheme() string {
	x := c.live()
	if h := x.forwarded(); h.proto != "" {
		return h.proto
	}
	if x.TLS != nil {
		return "https"
	}
	return "http"
}

// forwarded returns what the proxies that are trusted say of the client; nothing
// if the peer isn't one.
func (x *liveRequest) forwarded() hop {
	a := x.app
	switch {
	case len(a.config.TrustedProxies) == 0:
		return hop{}
	case x.said != nil:
		return *x.said
	case x.Unnamed: // its fields are the client's own: a balancer that speaks the PROXY protocol passes them as they come
		return hop{}
	case !x.peer().IsValid() && !x.byUnixSocket(), !a.trusts(x.peer().Addr()):
		return hop{}
	}
	if a.config.Forwarded == Forwarded {
		return a.walk(x.parseForwarded())
	}
	return a.walk(x.xForwarded())
}

// byUnixSocket reports whether the peer of a request without an address is on a unix
// socket. With net/http it may also be one whose address code outside of the app has
// replaced by another form.
func (x *liveRequest) byUnixSocket() bool {
	if x.std == nil {
		return true
	}
	_, unix := x.std.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr)
	return unix
}

// lendForwarded gives d, an exchange for the same request, what the proxies said: d
// doesn't know its peer.
func (x *liveRequest) lendForwarded(d *liveRequest) {
	if len(x.app.config.TrustedProxies) > 0 {
		h := x.forwarded()
		d.said = &h
	}
}

// walk goes from the nearest proxy towards the client, as long as proxies are trusted.
// hops are in the order of the fields. The hop reported by the last trusted proxy
// counts; a hop that can't be read ends the walk.
func (a *App) walk(hops []hop) (found hop) {
	for i := len(hops) - 1; i >= 0; i-- {
		h := hops[i]
		if !h.client.IsValid() {
			return found
		}
		if found = h; !a.trusts(h.client.Addr()) {
			return found
		}
	}
	return found
}

// xForwarded reads X-Forwarded-For and what belongs to it. Proto and Host say one
// thing for all hops, or one for each.
func (x *liveRequest) xForwarded() []hop {
	clients := x.list("X-Forwarded-For")
	protos, hosts := x.list("X-Forwarded-Proto"), x.list("X-Forwarded-Host")
	hops := make([]hop, 0, min(len(clients), maxHops))
	for i := len(clients) - cap(hops); i < len(clients); i++ {
		hops = append(hops, hop{parseNode(clients[i]), protoAt(protos, i, len(clients)), hostAt(hosts, i, len(clients))})
	}
	return hops
}

// list returns the members of all fields of the name.
func (x *liveRequest) list(name string) (members []string) {
	for i := range x.Req.Fields {
		f := &x.Req.Fields[i]
		if !exchange.SameName(f.Name.Of(x.Buf), name) {
			continue
		}
		for member := range strings.SplitSeq(string(f.Value.Of(x.Buf)), ",") {
			members = append(members, strings.Trim(member, " \t"))
		}
	}
	return members
}

// at returns the i-th of n members of a list; a single one counts for all.
func at(list []string, i, n int) string {
	switch len(list) {
	case n:
		return list[i]
	case 1:
		return list[0]
	}
	return ""
}

func protoAt(list []string, i, n int) string { return validProto(at(list, i, n)) }

func hostAt(list []string, i, n int) string { return validHost(at(list, i, n)) }

func validProto(s string) string {
	if s = strings.ToLower(s); s == "http" || s == "https" {
		return s
	}
	return ""
}

// validHost returns s if it can be the Host of a request (RFC 9110 7.2).
func validHost(s string) string {
	name, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && strings.IndexByte(s[i:], ']') < 0 {
		name, port = s[:i], s[i+1:]
		if _, ok := netconn.ParsePort(port); !ok {
			return ""
		}
	}
	if strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]") {
		if a, err := netip.ParseAddr(name[1 : len(name)-1]); err != nil || !a.Is6() || a.Zone() != "" {
			return ""
		}
		return s
	}
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return ""
		}
	}
	if name == "" {
		return ""
	}
	return s
}

// parseNode reads the address of a client, with or without a port, IPv6 in
// brackets or, without a port, bare.
func parseNode(s string) netip.AddrPort {
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return netip.AddrPortFrom(a.Unmap(), 0)
	}
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && strings.IndexByte(s[i:], ']') < 0 {
		host, port = s[:i], s[i+1:]
	}
	bracketed := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	if bracketed {
		host = host[1 : len(host)-1]
	}
	a, err := netip.ParseAddr(host)
	if err != nil || a.Zone() != "" || a.Is6() != bracketed {
		return netip.AddrPort{}
	}
	if port == "" {
		if host == s || bracketed && len(s) == len(host)+2 {
			return netip.AddrPortFrom(a.Unmap(), 0)
		}
		return netip.AddrPort{}
	}
	p, ok := netconn.ParsePort(port)
	if !ok {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a.Unmap(), p)
}

// parseForwarded reads the Forwarded fields of the request. A field with any error in
// it is not used, nor are those before it.
func (x *liveRequest) parseForwarded() (hops []hop) {
	for i := range x.Req.Fields {
		f := &x.Req.Fields[i]
		if !exchange.SameName(f.Name.Of(x.Buf), "Forwarded") {
			continue
		}
		hops = appendForwarded(hops, string(f.Value.Of(x.Buf)))
	}
	return hops[max(len(hops)-maxHops, 0):]
}

// appendForwarded reads one field (RFC 7239 4). It gives no hops if that is wrong.
func appendForwarded(hops []hop, s string) []hop {
	for {
		var h hop
		for {
			name, value, rest, ok := forwardedPair(s)
			if !ok {
				return nil
			}
			switch strings.ToLower(name) {
			case "for":
				h.client = parseNode(value)
			case "proto":
				h.proto = validProto(value)
			case "host":
				h.host = validHost(value)
			}
			s = strings.TrimLeft(rest, " \t")
			if !strings.HasPrefix(s, ";") {
				break
			}
			s = s[1:]
		}
		hops = append(hops, h)
		switch {
		case s == "":
			return hops
		case s[0] != ',':
			return nil
		}
		s = s[1:]
	}
}

// forwardedPair reads one name=value, the value quoted or not.
func forwardedPair(s string) (name, value, rest string, ok bool) {
	name, rest, ok = strings.Cut(strings.TrimLeft(s, " \t"), "=")
	if !ok || !http1.ValidToken(name) {
		return "", "", "", false
	}
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, ";, \t")
		if end < 0 {
			end = len(rest)
		}
		return name, rest[:end], rest[end:], http1.ValidToken(rest[:end])
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return name, b.String(), rest[i+1:], true
		case c == '\\' && i+1 < len(rest):
			i++
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", "", false
}

// trusts reports whether a client's address is taken from this peer. Peers on unix
// sockets have no address: the mode of the socket's file decides which processes can
// connect.
func (a *App) trusts(peer netip.Addr) bool {
	if len(a.config.TrustedProxies) == 0 {
		return false
	}
	if !peer.IsValid() {
		return true
	}
	peer = peer.Unmap()
	for _, p := range a.config.TrustedProxies {
		if p.Contains(peer) {
			return true
		}
	}
	return false
}

// awaitsProxy reports whether connections of the peer begin with a header.
func (a *App) awaitsProxy(peer netip.AddrPort) bool {
	return a.config.ProxyProtocol && a.trusts(peer.Addr())
}
