package rpc

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// callTimeout is how long a server may take for one of the calls here.
const callTimeout = 10 * time.Second

// Server is where a gRPC server is.
type Server struct {
	Address   string      // "host:port", or a path with Unix
	Unix      bool        // Address is that of a unix socket
	Authority string      // what the server is called; "": the address
	TLS       *tls.Config // nil: cleartext. It is not changed.
}

// connect makes a client, which connects when it is first used.
func (s *Server) connect() (*grpc.ClientConn, error) {
	target, secure := "passthrough:///"+s.Address, insecure.NewCredentials()
	if s.Unix {
		target = "unix:" + s.Address
	}
	if s.TLS != nil {
		secure = credentials.NewTLS(s.TLS)
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(secure), grpc.WithDisableServiceConfig(), grpc.WithNoProxy()}
	if s.Authority != "" && s.TLS == nil {
		options = append(options, grpc.WithAuthority(s.Authority))
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", s.Address, err)
	}
	return conn, nil
}

// metadataOf is the user's metadata of a request.
func metadataOf(r *request.Request) metadata.MD {
	md := metadata.MD{}
	for _, h := range r.Headers {
		switch name := strings.ToLower(h.Name); name {
		case "content-type", "te", "host", "grpc-timeout", "grpc-encoding", "grpc-accept-encoding":
		default:
			md.Append(name, h.Value)
		}
	}
	return md
}

// explain rewords grpc-go's error for a server that can't be reached; any other stays
// as it is.
func (s *Server) explain(err error) error {
	said, ok := status.FromError(err)
	if !ok || said.Code() != codes.Unavailable {
		return err
	}
	why := said.Message()
	why = strings.TrimSuffix(strings.TrimPrefix(why, `connection error: desc = "`), `"`)
	why = strings.TrimPrefix(why, "transport: Error while dialing: ")
	if _, after, ok := strings.Cut(why, "connect: "); ok {
		why = after
	}
	return &request.UnreachableError{Target: s.Address, Why: i18n.Verbatim(why)}
}

// isCode reports whether an error is the status of a call.
func isCode(err error, code codes.Code) bool {
	said, ok := status.FromError(err)
	return ok && err != nil && said.Code() == code
}

// errOff is that a server has no reflection.
var errOff = errors.New("the server doesn't tell what it offers: reflection is off there; give its .proto file with --proto FILE (proto in a study), or a descriptor set with --descriptors FILE")
