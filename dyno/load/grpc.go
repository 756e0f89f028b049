package load

import (
	"context"
	"errors"
	"slices"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/rpc"
)

// Resolve finds the message types of the spec's gRPC calls: from the files that describe
// them, else by the target's reflection. [Run] does so itself; call it earlier if
// something before the load needs them.
func Resolve(ctx context.Context, s *Spec) error {
	return rpc.Resolve(ctx, s.Requests, s.server)
}

// server is the target as other clients of gRPC see it.
func (s *Spec) server() (*rpc.Server, error) {
	u, address, err := request.ParseTarget(s.Target)
	if err != nil {
		return nil, err
	}
	server := &rpc.Server{Address: address, Authority: u.Host}
	if s.Link.Unix != "" {
		server.Address, server.Unix = s.Link.Unix, true
	}
	if request.Secure(u) {
		if server.TLS, err = s.TLS.Client(); err != nil {
			return nil, err
		}
		if server.TLS.ServerName == "" {
			server.TLS.ServerName = u.Hostname()
		}
	}
	return server, nil
}

// resolved reports whether it is known what all calls over gRPC take.
func (s *Spec) resolved() bool {
	return !slices.ContainsFunc(s.Requests, func(r request.Request) bool { return r.GRPC != nil && !r.GRPC.Described() })
}

// errPortableStreams is why a load of messages can't be sent.
var errPortableStreams = errors.New("messages of a stream over gRPC are requests with the event loops (io_uring and epoll), which are for Linux; the portable engine takes the whole stream for one: ask for it (--unit call, or unit: call)")

// streamsMessages reports whether messages of a stream are requests of the load.
func (s *Spec) streamsMessages() bool {
	return slices.ContainsFunc(s.Requests, func(r request.Request) bool { return r.GRPC != nil && r.GRPC.Described() && r.GRPC.PerMessage() })
}

// checkCalls reports what speaks against the spec's calls over gRPC together.
func (s *Spec) checkCalls() error {
	messages, stops := 0, slices.ContainsFunc(s.Feeds, func(f request.Feed) bool { return f.End == request.Stop })
	for i := range s.Requests {
		g := s.Requests[i].GRPC
		if g == nil {
			continue
		}
		if s.Link.Streams == 0 {
			return errors.New("calls over gRPC go over HTTP/2: give the load streams (--http2, or http2: true)")
		}
		if s.Link.HTTP3 {
			return errors.New("calls over gRPC go over HTTP/2, not HTTP/3: leave --http3 out")
		}
		if g.Described() && g.PerMessage() {
			messages++
		}
	}
	if messages > 0 && s.Engine == "portable" {
		return errPortableStreams
	}
	if stops && messages > 0 && len(s.Requests) > 1 {
		return errors.New("a feed that ends the load can't be in a mix with streams whose messages are requests: it is not known beforehand which of them takes a row")
	}
	return nil
}
