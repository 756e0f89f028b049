package request

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// ParseTarget splits a target into what is dialled and what is sent as Host. A ws or wss
// URL is the http or https URL of its handshake (RFC 6455 3); grpc and grpcs are HTTP/2
// without and with TLS.
func ParseTarget(target string) (u *url.URL, dial string, err error) {
	u, err = url.Parse(target)
	if err != nil {
		return nil, "", i18n.Errorf("request.bad-target-url", "target %q is not a URL: %w", target, err)
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	}
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return nil, "", i18n.Errorf("request.target-without-host", "target %q names no host; write it as http://host:port/path", target)
	case u.Scheme == "http" && port == "":
		port = "80"
	case u.Scheme == "https" && port == "":
		port = "443"
	case (u.Scheme == "grpc" || u.Scheme == "grpcs") && port == "":
		return nil, "", i18n.Errorf("request.target-without-port", "target %q names no port, and gRPC has none of its own; write it as %s://host:port/package.Service/Method", target, u.Scheme)
	case !slices.Contains([]string{"http", "https", "grpc", "grpcs"}, u.Scheme):
		return nil, "", i18n.Errorf("request.unknown-scheme", "target %q: scheme %q can't be loaded, only http and https, ws and wss, grpc and grpcs", target, u.Scheme)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, "", i18n.Errorf("request.bad-target-port", "target %q: the port must be from 1 to 65535, not %s", target, port)
	}
	return u, joinHostPort(u.Hostname(), port), nil
}

// Secure reports whether a target is spoken to over TLS.
func Secure(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "grpcs" }

func joinHostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// Resolve looks up what a target is dialled as.
func Resolve(ctx context.Context, hostport string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return netip.AddrPort{}, i18n.Errorf("request.target", "target %q: %w", hostport, err)
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return netip.AddrPort{}, i18n.Errorf("request.target", "target %q: %w", hostport, err)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, &UnreachableError{hostport, i18n.From(err)}
	}
	best := addrs[0]
	for _, a := range addrs {
		if a.Unmap().Is4() { // servers that listen on "localhost" most often mean 127.0.0.1
			best = a
			break
		}
	}
	return netip.AddrPortFrom(best.Unmap(), uint16(number)), nil
}

// UnreachableError says that no connection to the target came up.
type UnreachableError struct {
	Target string       // host and port
	Why    i18n.Message // such as "connection refused"
}

func (e *UnreachableError) Error() string { return e.Message().String() }

// Message implements [i18n.Messager].
func (e *UnreachableError) Message() i18n.Message {
	return i18n.New("request.connecting", "connecting to %s: %s", e.Target, e.Why)
}
