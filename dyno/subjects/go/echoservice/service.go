// Package echoservice is what gRPC subjects in Go share: the service of dyno/subjects/echo/echo.proto,
// and what studies vary.
package echoservice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"echoservice/echov1"
)

// maxCount bounds how many messages a server stream is asked for.
const maxCount = 100_000

// CheckText refuses an empty text.
func CheckText(text string) error {
	if text == "" {
		return errors.New("text: must not be empty")
	}
	return nil
}

// CheckCount refuses counts out of bounds.
func CheckCount(n int32) error {
	if n < 1 || n > maxCount {
		return fmt.Errorf("count: must be 1 to %d, is %d", maxCount, n)
	}
	return nil
}

// Pause waits for so long, as a call to another service would; it ends early with ctx.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Service implements echov1.EchoServer.
type Service struct {
	echov1.UnimplementedEchoServer
	Wait time.Duration // before each response to a unary call
}

// Unary implements echov1.EchoServer.
func (s *Service) Unary(ctx context.Context, in *echov1.Message) (*echov1.Message, error) {
	if err := CheckText(in.Text); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := Pause(ctx, s.Wait); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	return &echov1.Message{Text: in.Text}, nil
}

// ServerStream implements echov1.EchoServer.
func (s *Service) ServerStream(in *echov1.Repeat, out grpc.ServerStreamingServer[echov1.Message]) error {
	if err := CheckCount(in.Count); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	for range in.Count {
		if err := out.Send(&echov1.Message{Text: in.Text}); err != nil {
			return err
		}
	}
	return nil
}

// ClientStream implements echov1.EchoServer.
func (s *Service) ClientStream(in grpc.ClientStreamingServer[echov1.Message, echov1.Tally]) error {
	var sum echov1.Tally
	for {
		m, err := in.Recv()
		if errors.Is(err, io.EOF) {
			return in.SendAndClose(&sum)
		}
		if err != nil {
			return err
		}
		sum.Messages++
		sum.Bytes += int64(len(m.Text))
	}
}

// BidiStream implements echov1.EchoServer.
func (s *Service) BidiStream(both grpc.BidiStreamingServer[echov1.Message, echov1.Message]) error {
	for {
		m, err := both.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := both.Send(&echov1.Message{Text: m.Text}); err != nil {
			return err
		}
	}
}
