package load

import (
	"context"
	"fmt"
	"net"
	"net/netip"
)

// share is one loop's part of a load.
type share struct {
	spec        *Spec
	program     *program
	addr        netip.AddrPort
	secure      bool
	host        string // as sent in Host
	part, parts int
	connections int
	quota       uint64 // requests to send at most; 0: no limit
	cpu         int    // -1: anywhere
	errors      *errorLog
}

// split resolves the target and divides the load among the loops.
func (s *Spec) split(ctx context.Context) ([]share, error) {
	u, dial, err := parseTarget(s.Target)
	if err != nil {
		return nil, err
	}
	program, err := s.program(u.Host)
	if err != nil {
		return nil, err
	}
	addr, err := resolve(ctx, dial)
	if err != nil {
		return nil, err
	}
	log := newErrorLog(s.Seed)
	var shares []share
	for i, loops := 0, s.loops(); i < loops; i++ {
		quota, ends := s.quota(program, i, loops)
		if ends && quota == 0 {
			continue // others send what there is
		}
		sh := share{
			spec: s, program: program, addr: addr, secure: u.Scheme == "https", host: u.Host, part: i, parts: loops,
			connections: part(s.Profile.Connections, i, loops), quota: quota, cpu: -1, errors: log,
		}
		if len(s.CPUs) > 0 {
			sh.cpu = s.CPUs[i%len(s.CPUs)]
		}
		shares = append(shares, sh)
	}
	return shares, nil
}

// quota is how many requests one of the loops sends at most: its part of the
// requests asked for, or as many as there are rows for in feeds that end the
// load.
func (s *Spec) quota(p *program, i, loops int) (n uint64, ends bool) {
	n, ends = p.untilStop(i, loops)
	if s.MaxRequests == 0 {
		return n, ends
	}
	asked := uint64(part(int(s.MaxRequests), i, loops))
	if ends {
		return min(n, asked), true
	}
	return asked, true
}

// part divides n into parts as evenly as can be and returns the i-th.
func part(n, i, parts int) int {
	p := n / parts
	if i < n%parts {
		p++
	}
	return p
}

func resolve(ctx context.Context, hostport string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("target %q: %w", hostport, err)
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("target %q: %w", hostport, err)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, &UnreachableError{hostport, err.Error()}
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
	Target string // host and port
	Why    string // such as "connection refused"
}

func (e *UnreachableError) Error() string { return "connecting to " + e.Target + ": " + e.Why }

// unreachable is the error for a share of which no connection came up.
func (sh *share) unreachable() error {
	sh.errors.mu.Lock()
	defer sh.errors.mu.Unlock()
	why := sh.errors.first["connect"]
	if why == "" {
		why = fmt.Sprintf("no answer within %v", min(connectPatient, sh.spec.Timeout))
	}
	return &UnreachableError{sh.addr.String(), why}
}
