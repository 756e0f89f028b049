package load

import (
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// Check reports what is wrong with the spec, or nil. It reads the files of the
// feeds, once.
func (s *Spec) Check() error {
	env, err := s.checkRequests()
	if err != nil {
		return err
	}
	if err := s.checkMessages(env); err != nil {
		return err
	}
	if err := s.checkCalls(); err != nil {
		return err
	}
	if err := s.checkTimes(); err != nil {
		return err
	}
	if err := s.checkHTTP3(); err != nil {
		return err
	}
	if s.KernelTimestamps && (s.Engine == "uring" || s.Engine == "portable" || s.Link.Unix != "" || s.Link.HTTP3) {
		return i18n.Errorf("load.timestamps-need-epoll", "kernel timestamps are read by the epoll engine, from TCP connections only")
	}
	if s.Link.ReadRate > 0 && (s.Engine == "uring" || s.Engine == "portable" || s.Link.Unix != "" || s.Link.HTTP3) {
		return i18n.Errorf("load.read-rate-needs-epoll", "clients that read slowly are the epoll engine's, on TCP connections only")
	}
	if err := s.Link.Check(); err != nil {
		return err
	}
	if err := s.TLS.Check(s.Link.Protocol()); err != nil {
		return err
	}
	if err := s.Pacing.Check(); err != nil {
		return err
	}
	if err := s.Profile.Check(); err != nil {
		return err
	}
	if n := s.Link.Places(s.Profile.MostConnections()); s.Link.Streams > 0 && n > mostStreams {
		return i18n.Errorf("load.too-many-streams", "%d connections with %d streams each are %d streams; at most %d can be under way", s.Profile.MostConnections(), s.Link.Streams, n, mostStreams)
	}
	return nil
}

// checkRequests checks what is sent, and returns what templates of requests may name.
func (s *Spec) checkRequests() (env *template.Env, err error) {
	if _, _, err := request.ParseTarget(s.Target); err != nil {
		return nil, err
	}
	if len(s.Requests) == 0 {
		return nil, i18n.Errorf("load.request-missing", "no request to send")
	}
	env, err = request.Environment(s.Feeds)
	if err != nil {
		return nil, err
	}
	for i := range s.Requests {
		if err := s.Requests[i].Check(env); err != nil {
			return nil, i18n.Errorf("load.request", "request %d: %w", i+1, err)
		}
		if s.Link.Streams > 0 {
			if err := s.Requests[i].CheckHTTP2(); err != nil {
				return nil, i18n.Errorf("load.request", "request %d: %w", i+1, err)
			}
		}
		if err := s.Requests[i].CheckFraming(); err != nil {
			return nil, i18n.Errorf("load.request", "request %d: %w", i+1, err)
		}
	}
	return env, nil
}

// checkTimes checks how long the load takes and what it waits for.
func (s *Spec) checkTimes() error {
	phases := s.Profile.Length()
	if phases > 0 && s.Duration != 0 && s.Duration != phases {
		return i18n.Errorf("load.phases-set-duration", "the phases take %v, which is how long the load is, not %v", phases, s.Duration)
	}
	if s.Duration <= 0 && s.MaxRequests == 0 && phases == 0 {
		return i18n.Errorf("load.never-ends", "neither a duration nor a number of requests is given: the load would never end")
	}
	if s.Duration < 0 || s.Warmup < 0 || s.Timeout < 0 {
		return i18n.Errorf("load.negative-duration", "durations must not be negative")
	}
	return nil
}

// checkHTTP3 reports what HTTP/3 can't be spoken with, or nil.
func (s *Spec) checkHTTP3() error {
	u, _, err := request.ParseTarget(s.Target)
	switch {
	case err != nil || !s.Link.HTTP3:
		return err
	case u.Scheme != "https":
		return i18n.Errorf("load.http3-needs-https", "HTTP/3 is always encrypted (RFC 9114 3.1): load https://%s instead of http://%s", u.Host, u.Host)
	case s.Engine != "" && s.Engine != "portable":
		return i18n.Errorf("load.http3-only-portable", "HTTP/3 is spoken by the portable engine only, not by %s: leave the engine out", s.Engine)
	}
	return nil
}

// mostStreams bounds the streams of all connections: each has its place in memory.
const mostStreams = 1 << 20
