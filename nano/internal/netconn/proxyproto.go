package netconn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// ProxyHeader is what a proxy says of a connection by the PROXY protocol
// (haproxy.org, proxy-protocol.txt, versions 1 and 2).
type ProxyHeader struct {
	Client netip.AddrPort // not valid if the proxy speaks for itself or doesn't know
}

var (
	errNoProxy  = errors.New("PROXY protocol header: missing")
	errBadProxy = errors.New("PROXY protocol header: malformed")
)

const (
	proxyV1Most = 107     // bytes of a version 1 line, with its end
	proxyV2Most = 4 << 10 // bytes of a version 2 header that are taken, with its TLVs
	proxyV2Sign = "\r\n\r\n\x00\r\nQUIT\n"
)

// ParseProxyHeader reads a header from the start of b. n is its length; 0 without
// an error: it isn't complete.
func ParseProxyHeader(b []byte) (h ProxyHeader, n int, err error) {
	switch {
	case Begins(b, proxyV2Sign):
		return parseProxyV2(b)
	case Begins(b, "PROXY "):
		return parseProxyV1(b)
	}
	return h, 0, errNoProxy
}

// Begins reports whether b begins with s, as far as it goes.
func Begins(b []byte, s string) bool {
	n := min(len(b), len(s))
	return string(b[:n]) == s[:n]
}

func parseProxyV1(b []byte) (h ProxyHeader, n int, err error) {
	end := bytes.IndexByte(b[:min(len(b), proxyV1Most)], '\n')
	switch {
	case end < 0 && len(b) >= proxyV1Most:
		return h, 0, errBadProxy
	case end < 0:
		return h, 0, nil
	case end < len("PROXY ") || b[end-1] != '\r':
		return h, 0, errBadProxy
	}
	parts := strings.Split(string(b[:end-1]), " ")
	if parts[1] == "UNKNOWN" {
		return h, end + 1, nil
	}
	if len(parts) != 6 {
		return h, 0, errBadProxy
	}
	if h.Client, err = proxyV1Address(parts[1], parts[2], parts[4]); err != nil {
		return ProxyHeader{}, 0, err
	}
	if _, err = proxyV1Address(parts[1], parts[3], parts[5]); err != nil {
		return ProxyHeader{}, 0, err
	}
	return h, end + 1, nil
}

func proxyV1Address(family, address, port string) (netip.AddrPort, error) {
	a, err := netip.ParseAddr(address)
	p, ok := ParsePort(port)
	if err != nil || !ok || a.Zone() != "" || family != "TCP4" && family != "TCP6" || a.Is4() != (family == "TCP4") {
		return netip.AddrPort{}, errBadProxy
	}
	return netip.AddrPortFrom(a.Unmap(), p), nil
}

// ParsePort reads a decimal port without sign or leading zeros.
func ParsePort(s string) (uint16, bool) {
	if s == "" || s[0] == '+' || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return uint16(n), err == nil
}

func parseProxyV2(b []byte) (h ProxyHeader, n int, err error) {
	const fixed = len(proxyV2Sign) + 4
	if len(b) < fixed {
		return h, 0, nil
	}
	command, family := b[12], b[13]
	n = fixed + int(binary.BigEndian.Uint16(b[14:]))
	if command>>4 != 2 || command&15 > 1 || n > proxyV2Most {
		return h, 0, errBadProxy
	}
	if len(b) < n {
		return h, 0, nil
	}
	if command&15 == 0 { // LOCAL: the proxy speaks for itself, as in health checks
		return h, n, nil
	}
	addresses := b[fixed:n]
	switch family {
	case 0x11: // TCP over IPv4; TLVs follow the addresses
		return proxyV2Address(addresses, 4, n)
	case 0x21: // TCP over IPv6
		return proxyV2Address(addresses, 16, n)
	case 0x00, 0x12, 0x22, 0x31, 0x32: // not known, or not TCP
		return h, n, nil
	}
	return h, 0, errBadProxy
}

// proxyV2Address takes the source of two addresses of size bytes.
func proxyV2Address(b []byte, size, n int) (h ProxyHeader, _ int, err error) {
	if len(b) < 2*size+4 {
		return h, 0, errBadProxy
	}
	a, _ := netip.AddrFromSlice(b[:size])
	h.Client = netip.AddrPortFrom(a.Unmap(), binary.BigEndian.Uint16(b[2*size:]))
	return h, n, nil
}
