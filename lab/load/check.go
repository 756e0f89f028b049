package load

import (
	"errors"
	"fmt"

	"dyno/lab/load/request"
)

// Check reports what is wrong with the spec, or nil. It reads the files of the
// feeds, once.
func (s *Spec) Check() error {
	if _, _, err := request.ParseTarget(s.Target); err != nil {
		return err
	}
	if len(s.Requests) == 0 {
		return errors.New("no request to send")
	}
	env, err := request.Environment(s.Feeds)
	if err != nil {
		return err
	}
	for i := range s.Requests {
		if err := s.Requests[i].Check(env); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
		if s.Link.Streams > 0 {
			if err := s.Requests[i].CheckHTTP2(); err != nil {
				return fmt.Errorf("request %d: %w", i+1, err)
			}
		}
		if err := s.Requests[i].CheckFraming(); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
	}
	if err := s.checkMessages(env); err != nil {
		return err
	}
	if err := s.checkCalls(); err != nil {
		return err
	}
	phases := s.Profile.Length()
	if phases > 0 && s.Duration != 0 && s.Duration != phases {
		return fmt.Errorf("the phases take %v, which is how long the load is, not %v", phases, s.Duration)
	}
	if s.Duration <= 0 && s.MaxRequests == 0 && phases == 0 {
		return errors.New("neither a duration nor a number of requests is given: the load would never end")
	}
	if s.Duration < 0 || s.Warmup < 0 || s.Timeout < 0 {
		return errors.New("durations must not be negative")
	}
	if s.KernelTimestamps && (s.Engine == "uring" || s.Engine == "portable" || s.Link.Unix != "") {
		return errors.New("kernel timestamps are read by the epoll engine, from TCP connections only")
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
		return fmt.Errorf("%d connections with %d streams each are %d streams; at most %d can be under way", s.Profile.MostConnections(), s.Link.Streams, n, mostStreams)
	}
	return nil
}

// mostStreams bounds the streams of all connections: each has its place in memory.
const mostStreams = 1 << 20

// errPortableHTTP2 is why a load that is to speak HTTP/2 can't be sent.
var errPortableHTTP2 = errors.New("HTTP/2 is spoken by the event loops (io_uring and epoll), which are for Linux; the portable engine speaks HTTP/1.1 only")
