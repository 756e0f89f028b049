package load

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/internal/http3"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// reachPause is between attempts of [Reach].
const reachPause = 50 * time.Millisecond

// Reach connects to the target of a spec once and hangs up. With a patience above
// 0 it tries again until a connection is accepted or that much time is over. The
// error is that of the last attempt, an [request.UnreachableError].
func Reach(ctx context.Context, s *Spec, patience time.Duration) error {
	_, address, err := request.ParseTarget(s.Target)
	if err != nil {
		return err
	}
	network := "tcp"
	if s.Link.Unix != "" {
		network, address = "unix", s.Link.Unix
	}
	timeout := s.Timeout
	if timeout == 0 {
		timeout = request.DefaultTimeout
	}
	d := net.Dialer{Timeout: min(engine.ConnectPatient, timeout)}
	try := func() error {
		conn, err := d.DialContext(ctx, network, address)
		if err == nil {
			conn.Close()
		}
		return err
	}
	if s.Link.HTTP3 {
		try = func() error { return s.reachHTTP3(ctx, address, d.Timeout) }
	}
	for until := time.Now().Add(patience); ; {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Now().Add(reachPause).After(until) {
			return &request.UnreachableError{Target: address, Why: whyUnreachable(err)}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(reachPause):
		}
	}
}

// reachHTTP3 makes a QUIC handshake and hangs up.
func (s *Spec) reachHTTP3(ctx context.Context, address string, timeout time.Duration) error {
	server, err := request.Resolve(ctx, address)
	if err != nil {
		return err
	}
	secure, release, err := s.secure()
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := http3.Dial(ctx, netip.Addr{}, server, secure)
	if err != nil {
		return err
	}
	conn.Close()
	return nil
}

// whyUnreachable is the heart of an error of connecting.
func whyUnreachable(err error) i18n.Message {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return engine.ExplainConnect(errno)
	}
	var call *net.OpError
	if errors.As(err, &call) {
		return i18n.From(call.Err)
	}
	return i18n.From(err)
}
