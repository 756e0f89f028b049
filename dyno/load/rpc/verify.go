package rpc

import (
	"context"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	wire "dyno.example/nano/wire/grpc"
)

// raw is a codec that passes messages through as they are.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (raw) Unmarshal(b []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), b...)
	return nil
}

var _ encoding.Codec = raw{}

// Verify makes a call once, and reports whether it ends as its request expects. r is an
// example (request.Examples): its body is the message as it goes over the wire. Of a
// bidirectional method it waits for the first response message.
func (s *Server) Verify(ctx context.Context, r *request.Request) error {
	e, err := r.Expectations()
	if err != nil {
		return err
	}
	conn, err := s.connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(metadata.NewOutgoingContext(ctx, metadataOf(r)), callTimeout)
	defer cancel()
	code, err := s.call(ctx, conn, r)
	if err != nil && code == wire.OK {
		return fmt.Errorf("%s: %w", r.GRPC.Method, err)
	}
	if !e.Codes().Has(code) {
		said := code.String()
		if err != nil {
			said += ": " + err.Error()
		}
		return i18n.Errorf("rpc.unexpected-status", "%s responded with %s, and %v is expected", r.GRPC.Method, said, e.Codes())
	}
	return nil
}

// call makes the call. The code says how it ended; an error with OK that it didn't.
func (s *Server) call(ctx context.Context, conn *grpc.ClientConn, r *request.Request) (wire.Code, error) {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/"+r.GRPC.Method, grpc.ForceCodec(raw{}))
	if err != nil {
		return s.ended(err)
	}
	if len(r.Body) < wire.PrefixLen {
		return wire.OK, fmt.Errorf("the example of the request has no message")
	}
	message := []byte(r.Body[wire.PrefixLen:])
	if _, compressed, err := wire.ParsePrefix([]byte(r.Body)); err != nil || compressed {
		return wire.OK, nil // grpc-go would not know that it is compressed
	}
	if err := stream.SendMsg(&message); err != nil && err != io.EOF {
		return s.ended(err)
	}
	if err := stream.CloseSend(); err != nil {
		return s.ended(err)
	}
	for {
		var response []byte
		if err := stream.RecvMsg(&response); err == io.EOF {
			return wire.OK, nil
		} else if err != nil {
			return s.ended(err)
		}
		if r.GRPC.Streams() {
			return wire.OK, nil // it may go on for ever
		}
	}
}

// ended is how a call ended with an error.
func (s *Server) ended(err error) (wire.Code, error) {
	if plain := s.explain(err); plain != err {
		return wire.OK, plain
	}
	said, ok := status.FromError(err)
	if !ok {
		return wire.OK, err
	}
	return wire.Code(said.Code()), fmt.Errorf("%s", said.Message())
}
