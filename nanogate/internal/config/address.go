package config

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// CheckListen says what is wrong with an address to listen on.
func CheckListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("expected an address to listen on, got %s", form.Quote(address))
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("expected a port from 0 to 65535, got %s", form.Quote(port))
	}
	if host != "" && host != "localhost" {
		if _, err := netip.ParseAddr(host); err != nil {
			return fmt.Errorf("expected an IP address to listen on, got %s", form.Quote(host))
		}
	}
	return nil
}

// Address is where an instance of an upstream listens.
type Address struct {
	IP   netip.AddrPort // unless it is a unix socket or a name
	Unix string         // path of a unix socket
	Name string         // a host name, which discovery has to resolve
	Host string         // the name that IP was found by; "": none
	Port uint16         // of Name
	TLS  bool
	// HTTP2 says that it speaks HTTP/2 and is to be spoken to so (RFC 9113 3.3).
	HTTP2 bool
}

// String is the address as messages and metrics show it.
func (a Address) String() string {
	switch {
	case a.Unix != "":
		return "unix:" + a.Unix
	case a.Name != "":
		return net.JoinHostPort(a.Name, strconv.Itoa(int(a.Port)))
	}
	return a.IP.String()
}

// ParseAddress reads where an instance listens: http://host:port, https://host:port,
// host:port or unix:/path, or h2c:// before host:port for HTTP/2 without TLS.
func ParseAddress(text string) (Address, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		const longest = 107 // bytes that fit into a sockaddr_un
		if path == "" || len(path) > longest {
			return Address{}, fmt.Errorf("expected the path of a unix socket of at most %d bytes, got %s", longest, form.Quote(path))
		}
		return Address{Unix: path}, nil
	}
	rest, tls, http2, port := text, false, false, "80"
	if after, ok := strings.CutPrefix(text, "h2c://"); ok {
		rest, http2 = after, true
	} else if after, ok := strings.CutPrefix(text, "http://"); ok {
		rest = after
	} else if after, ok := strings.CutPrefix(text, "https://"); ok {
		rest, tls, port = after, true, "443"
	} else if scheme, _, ok := strings.Cut(text, "://"); ok {
		return Address{}, fmt.Errorf("expected http://host:port or h2c://host:port, got the scheme %s", form.Quote(scheme))
	} else {
		port = ""
	}
	rest = strings.TrimSuffix(rest, "/")
	if user := strings.LastIndexByte(rest, '@'); user >= 0 {
		return Address{}, fmt.Errorf("expected http://host:port without a user and a password, got %s", form.Quote("***"+rest[user:]))
	}
	if strings.ContainsAny(rest, "/?#") {
		return Address{}, fmt.Errorf("expected http://host:port and nothing after it, got %s", form.Quote(text))
	}
	host := strings.Trim(rest, "[]")
	if h, p, err := net.SplitHostPort(rest); err == nil {
		host, port = h, p
	} else if port == "" {
		return Address{}, fmt.Errorf("expected host:port, got %s", form.Quote(text))
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return Address{}, fmt.Errorf("expected a port from 1 to 65535, got %s", form.Quote(port))
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return Address{IP: netip.AddrPortFrom(ip.Unmap(), uint16(n)), TLS: tls, HTTP2: http2}, nil
	}
	if !isName(host) {
		return Address{}, fmt.Errorf("expected an IP address or a host name, got %s", form.Quote(host))
	}
	return Address{Name: host, Port: uint16(n), TLS: tls, HTTP2: http2}, nil
}

// isName reports whether s is a host name (RFC 1123 2.1).
func isName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(s, "."), ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			return false
		}
	}
	return true
}
