package load

import (
	"errors"
	"fmt"
)

// Check reports what is wrong with the spec, or nil.
func (s *Spec) Check() error {
	u, _, err := parseTarget(s.Target)
	if err != nil {
		return err
	}
	if u.Scheme == "https" && s.Engine == "epoll" {
		return errors.New(`engine "epoll" can't speak TLS yet; leave the engine open for https`)
	}
	if len(s.Requests) == 0 {
		return errors.New("no request to send")
	}
	for i := range s.Requests {
		if err := s.Requests[i].Check(); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
	}
	if s.Duration <= 0 && s.MaxRequests == 0 {
		return errors.New("neither a duration nor a number of requests is given: the load would never end")
	}
	if s.Duration < 0 || s.Warmup < 0 || s.Timeout < 0 {
		return errors.New("durations must not be negative")
	}
	return s.Profile.Check()
}

// Check reports what is wrong with the profile, or nil.
func (p *Profile) Check() error {
	if p.Connections < 1 || p.Connections > MaxConnections {
		return fmt.Errorf("connections must be from 1 to %d, not %d", MaxConnections, p.Connections)
	}
	switch p.Mode {
	case Closed:
		if p.Rate != 0 {
			return errors.New("a closed loop has no rate: it sends when answers come")
		}
	case Open:
		if !(p.Rate > 0) || p.Rate > 1e7 {
			return fmt.Errorf("rate must be above 0 and at most 10 million requests/s, not %v", p.Rate)
		}
		if p.Arrivals != "" && p.Arrivals != Uniform && p.Arrivals != Poisson {
			return fmt.Errorf("arrivals %q are neither %q nor %q", p.Arrivals, Uniform, Poisson)
		}
	default:
		return fmt.Errorf("mode %q is neither %q nor %q", p.Mode, Closed, Open)
	}
	return nil
}
