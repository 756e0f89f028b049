package load

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/netip"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/request"
)

// split resolves the target and divides the load among the loops. secure is nil
// for http.
func (s *Spec) split(ctx context.Context, secure *tls.Config) ([]engine.Share, error) {
	u, dial, err := request.ParseTarget(s.Target)
	if err != nil {
		return nil, err
	}
	program, err := s.program(u.Host)
	if err != nil {
		return nil, err
	}
	target, addr := s.Link.Unix, netip.AddrPort{}
	if target == "" {
		if addr, err = request.Resolve(ctx, dial); err != nil {
			return nil, err
		}
		target = addr.String()
	}
	for _, from := range s.Link.Sources {
		if from.Is4() != addr.Addr().Is4() {
			return nil, fmt.Errorf("source address %v can't connect to %v: one is IPv4, the other IPv6", from, addr)
		}
	}
	log := engine.NewErrorLog(s.Seed)
	var shares []engine.Share
	for i, loops := 0, s.loops(); i < loops; i++ {
		quota, ends := s.quota(program, i, loops)
		if ends && quota == 0 {
			continue // others send what there is
		}
		sh := engine.Share{
			Program: program, Target: target, Addr: addr, TLS: secure, Link: &s.Link, Profile: &s.Profile,
			Seed: s.Seed, Warmup: s.Warmup, Timeout: s.Timeout, Patience: s.drain(), Pacing: s.Pacing, Stamps: s.KernelTimestamps, Sampler: s.Sampler,
			Part: i, Parts: loops, Connections: part(s.Profile.Connections, i, loops), Quota: quota, CPU: -1, Errors: log,
		}
		sh.Most = max(sh.Connections, part(s.Profile.MostConnections(), i, loops))
		if len(s.CPUs) > 0 {
			sh.CPU = s.CPUs[i%len(s.CPUs)]
		}
		shares = append(shares, sh)
	}
	return shares, nil
}

// program compiles the load's requests, which go to host.
func (s *Spec) program(host string) (*engine.Program, error) {
	if s.Link.WebSocket != nil {
		return engine.NewMessages(s.Requests, s.Feeds, s.Seed, host)
	}
	return engine.NewProgram(s.Requests, s.Feeds, s.Seed, host, s.Link.Version())
}

// quota is how many requests one of the loops sends at most: its part of the requests
// configured, or as many as there are rows for in feeds that end the load.
func (s *Spec) quota(p *engine.Program, i, loops int) (n uint64, ends bool) {
	n, ends = p.UntilStop(i, loops)
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

// secure returns the TLS settings for an https target, nil for http, and a
// function that releases what they hold.
func (s *Spec) secure() (c *tls.Config, release func(), err error) {
	u, _, err := request.ParseTarget(s.Target)
	if err != nil {
		return nil, nil, err
	}
	if !request.Secure(u) {
		return nil, func() {}, nil
	}
	return s.TLS.Config(u.Host, s.Link.Protocol())
}
