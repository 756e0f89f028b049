package subject

import (
	"context"
	"fmt"
	"maps"
	"net"
	"strconv"
)

// upstreamVariable gives a gateway the address of its upstream: host:port.
const upstreamVariable = "UPSTREAM"

// startBehind starts the upstream, and then the subject with its address. A failure of
// the upstream is no [*StartError]: it isn't the subject's.
func (s *StartSpec) startBehind(ctx context.Context) (*Instance, error) {
	up, err := Start(ctx, *s.Upstream)
	if err != nil {
		return nil, fmt.Errorf("the upstream of subject %s: %v", s.Name, err)
	}
	own := *s
	own.Upstream = nil
	own.Env = maps.Clone(s.Env)
	if own.Env == nil {
		own.Env = make(map[string]string)
	}
	own.Env[upstreamVariable] = net.JoinHostPort("127.0.0.1", strconv.Itoa(up.Port()))
	in, err := Start(ctx, own)
	if err != nil {
		if stopErr := up.Stop(context.WithoutCancel(ctx)); stopErr != nil {
			err = fmt.Errorf("%w; its upstream: %v", err, stopErr)
		}
		return nil, err
	}
	in.upstream = up
	go in.watchUpstream()
	return in, nil
}

// watchUpstream ends the instance's usefulness when its upstream dies.
func (in *Instance) watchUpstream() {
	select {
	case <-in.upstream.Done():
		if err := in.upstream.Err(); err != nil {
			in.ended(fmt.Errorf("the upstream of subject %s is gone: %w", in.name, err))
		}
	case <-in.done:
	}
}

// checkUpstreams looks for the upstreams that manifests name.
func (c *Catalog) checkUpstreams() error {
	for i := range c.subjects {
		m := &c.subjects[i]
		if m.Upstream == "" {
			continue
		}
		up, err := c.Get(m.Upstream)
		if err != nil {
			return fmt.Errorf("the upstream of %s: %w", m.Name, err)
		}
		if up.Upstream != "" {
			return fmt.Errorf("the upstream of %s, %s, has an upstream of its own; it must have none", m.Name, up.Name)
		}
	}
	return nil
}
