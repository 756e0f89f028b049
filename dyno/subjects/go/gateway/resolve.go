package gateway

import (
	"context"
	"net"
	"time"
)

// boundedFor is how long a look-up may take where there is a bound.
const boundedFor = 50 * time.Millisecond

// dialer is how connections to the upstream are opened. "patient" and "bounded" look its
// name up for each, at the name server on the upstream's port: without a time limit of
// their own, or for 50 ms, after which the last address that was found is taken.
func (s *Settings) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 5 * time.Second}
	if s.Resolver == "" || s.Resolver == "address" {
		return d.DialContext
	}
	names := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return d.DialContext(ctx, network, s.Upstream)
	}}
	_, port, err := net.SplitHostPort(s.Upstream)
	if err != nil {
		return d.DialContext // which will say so
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
