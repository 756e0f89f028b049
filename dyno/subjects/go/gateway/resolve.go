package gateway

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// boundedFor is how long a look-up may take where there is a bound.
const boundedFor = 50 * time.Millisecond

// dialer is how connections to the upstream are opened. "patient" and "bounded" look its
// name up for each, at the upstream's name server: without a time limit of
// their own, or for 50 ms, after which the last address that was found is taken.
func (s *Settings) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 5 * time.Second}
	if s.Resolver == "" || s.Resolver == "address" {
		return d.DialContext
	}
	_, port, err := net.SplitHostPort(s.Upstream)
	if err != nil {
		return d.DialContext // which will say so
	}
	names := resolverAt(nameServerOf(port))
	if _, err := lookUpOnce(names); err != nil {
		names = resolverAt(s.Upstream)
	}
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		ask, cancel := ctx, func() {}
		if s.Resolver == "bounded" {
			ask, cancel = context.WithTimeout(ctx, boundedFor)
		}
		found, err := names.LookupHost(ask, "stall.upstream.test.")
		cancel()
		host := "127.0.0.1" // the one address that there is, and the last that was found
		switch {
		case err == nil && len(found) > 0:
			host = found[0]
		case s.Resolver == "patient":
			return nil, err
		}
		return d.DialContext(ctx, network, net.JoinHostPort(host, port))
	}
}

// nameServerOf is where the upstream's name server is, if it may listen on the port of DNS;
// go/upstream reckons it as well. Else it is on the upstream's own port only.
func nameServerOf(port string) string {
	n, _ := strconv.ParseUint(port, 10, 16)
	return fmt.Sprintf("127.53.%d.%d:53", n>>8, n&0xff)
}

func resolverAt(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
}

// lookUpOnce asks for a name that is never late. Where nobody listens that fails at once.
func lookUpOnce(names *net.Resolver) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return names.LookupHost(ctx, "upstream.test.")
}
