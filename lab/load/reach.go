package load

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"dyno/lab/load/internal/engine"
	"dyno/lab/load/request"
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
	for until := time.Now().Add(patience); ; {
		conn, err := d.DialContext(ctx, network, address)
		if err == nil {
			return conn.Close()
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

// whyUnreachable is the heart of an error of connecting.
func whyUnreachable(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return engine.ExplainConnect(errno)
	}
	var call *net.OpError
	if errors.As(err, &call) {
		return call.Err.Error()
	}
	return err.Error()
}
