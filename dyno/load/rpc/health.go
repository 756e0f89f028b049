package rpc

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// ErrNoHealth is a server that speaks gRPC but doesn't report its health, or not of
// that service.
var ErrNoHealth = errors.New("its health is not told (grpc.health.v1.Health)")

// Health checks a server's health, or that of one of its services
// (github.com/grpc/grpc/blob/master/doc/health-checking.md). It returns nil if it
// serves.
func (s *Server) Health(ctx context.Context, service string) error {
	conn, err := s.connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	response, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: service})
	what := "the server"
	if service != "" {
		what = service
	}
	switch {
	case isCode(err, codes.Unimplemented):
		return fmt.Errorf("%s: %w", s.Address, ErrNoHealth)
	case isCode(err, codes.NotFound):
		return fmt.Errorf("%s: of %s %w: there is no such service", s.Address, what, ErrNoHealth)
	case err != nil:
		return s.explain(err)
	case response.Status != grpc_health_v1.HealthCheckResponse_SERVING:
		return fmt.Errorf("the health of %s is %v", what, response.Status)
	}
	return nil
}
