package rpc

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"dyno.example/internal/descriptors/reflection"
)

// Reflect fetches from a server the description of the services named. Those that it
// doesn't know are left out; then the names of all it has are known.
func (s *Server) Reflect(ctx context.Context, md metadata.MD, services ...string) (*Services, error) {
	conn, err := s.connect()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(metadata.NewOutgoingContext(ctx, md), callTimeout)
	defer cancel()
	set, err := reflection.Files(ctx, conn, services)
	var plain *reflection.Refusal
	switch {
	case errors.Is(err, reflection.ErrOff):
		return nil, fmt.Errorf("%s: %w", s.Address, errOff)
	case errors.As(err, &plain):
		return nil, err
	case err != nil:
		if err = s.explain(err); isCode(err, codes.DeadlineExceeded) {
			return nil, fmt.Errorf("asking %s what it offers (reflection): no response within %v", s.Address, callTimeout)
		}
		return nil, fmt.Errorf("asking %s what it offers (reflection): %w", s.Address, err)
	}
	return fromSet(set, "what "+s.Address+" offers")
}
