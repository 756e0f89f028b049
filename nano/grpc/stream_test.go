package grpc

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// duplexEcho sends back each message.
func duplexEcho(s testgrpc.TestService_FullDuplexCallServer) error {
	for {
		m, err := s.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Send(&testgrpc.StreamingOutputCallResponse{Payload: m.Payload}); err != nil {
			return err
		}
	}
}

func request(n int) *testgrpc.StreamingOutputCallRequest {
	return &testgrpc.StreamingOutputCallRequest{Payload: payload(n)}
}

// TestPingPong: messages of all sizes go to and fro, each awaited before the next.
func TestPingPong(t *testing.T) {
	f := serve(t, Options{}, with(&service{duplex: duplexEcho}))
	s, err := f.FullDuplexCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, 4091, 4092, 70 << 10, 3, 1 << 20, 0} {
		if err := s.Send(request(size)); err != nil {
			t.Fatal(err)
		}
		if m, err := s.Recv(); err != nil || len(m.GetPayload().GetBody()) != size {
			t.Fatalf("%d bytes: %d, %v", size, len(m.GetPayload().GetBody()), err)
		}
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err != io.EOF {
		t.Errorf("at its end: %v", err)
	}
}

// TestBothWaysAtOnce: one goroutine of the handler receives while another one sends,
// more than windows hold.
func TestBothWaysAtOnce(t *testing.T) {
	const messages, size = 200, 20 << 10
	f := serve(t, Options{}, with(&service{duplex: func(s testgrpc.TestService_FullDuplexCallServer) error {
		received := make(chan error, 1)
		go func() {
			for {
				if _, err := s.Recv(); err != nil {
					received <- err
					return
				}
			}
		}()
		for range messages {
			if err := s.Send(&testgrpc.StreamingOutputCallResponse{Payload: payload(size)}); err != nil {
				return err
			}
		}
		if err := <-received; err != io.EOF {
			return err
		}
		return nil
	}}))
	s, err := f.FullDuplexCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	var sending sync.WaitGroup
	sending.Go(func() {
		for range messages {
			if err := s.Send(request(size)); err != nil {
				t.Error(err)
			}
		}
		_ = s.CloseSend()
	})
	n := 0
	for {
		_, err := s.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	sending.Wait()
	if n != messages {
		t.Errorf("%d messages", n)
	}
}

// TestServerStream: many messages, with header and trailer.
func TestServerStream(t *testing.T) {
	f := serve(t, Options{}, with(&service{out: func(r *testgrpc.StreamingOutputCallRequest, s testgrpc.TestService_StreamingOutputCallServer) error {
		if err := s.SendHeader(metadata.Pairs("x", "1")); err != nil {
			return err
		}
		s.SetTrailer(metadata.Pairs("y", "2"))
		for range 100 {
			if err := s.Send(&testgrpc.StreamingOutputCallResponse{Payload: r.Payload}); err != nil {
				return err
			}
		}
		return status.Error(codes.DataLoss, "at the end")
	}}))
	s, err := f.StreamingOutputCall(ctxOf(t), request(3000))
	if err != nil {
		t.Fatal(err)
	}
	if md, err := s.Header(); err != nil || len(md["x"]) != 1 {
		t.Errorf("header %v, %v", md, err)
	}
	n := 0
	for ; ; n++ {
		if _, err = s.Recv(); err != nil {
			break
		}
	}
	if wantStatus(t, err, codes.DataLoss); n != 100 || len(s.Trailer()["y"]) != 1 {
		t.Errorf("%d messages, trailer %v", n, s.Trailer())
	}
}

// TestHeaderBeforeMessage: what SendHeader sends isn't kept for a message.
func TestHeaderBeforeMessage(t *testing.T) {
	release := make(chan struct{})
	f := serve(t, Options{}, with(&service{duplex: func(s testgrpc.TestService_FullDuplexCallServer) error {
		if err := s.SendHeader(metadata.Pairs("x", "1")); err != nil {
			return err
		}
		<-release
		return nil
	}}))
	s, err := f.FullDuplexCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	if md, err := s.Header(); err != nil || len(md["x"]) != 1 {
		t.Errorf("header %v, %v", md, err)
	}
	close(release)
	if _, err := s.Recv(); err != io.EOF {
		t.Errorf("%v", err)
	}
}

// TestCancelled: a client that cancels ends the handler's context and its waiting.
func TestCancelled(t *testing.T) {
	for _, waits := range []string{"receiving", "context", "sending"} {
		t.Run(waits, func(t *testing.T) {
			began, ended := make(chan struct{}), make(chan error, 1)
			f := serve(t, Options{}, with(&service{duplex: func(s testgrpc.TestService_FullDuplexCallServer) (err error) {
				defer func() { ended <- err }()
				if _, err := s.Recv(); err != nil {
					return err
				}
				close(began)
				switch waits {
				case "receiving":
					_, err = s.Recv()
				case "context":
					<-s.Context().Done()
					err = s.Context().Err()
				case "sending":
					for err == nil {
						err = s.Send(&testgrpc.StreamingOutputCallResponse{Payload: payload(10 << 10)})
					}
				}
				return err
			}}))
			ctx, cancel := context.WithCancel(ctxOf(t))
			s, err := f.FullDuplexCall(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Send(request(1)); err != nil {
				t.Fatal(err)
			}
			<-began
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				wantStatus(t, err, codes.Canceled)
			}
		})
	}
}

// TestDeadline: the client's deadline is the context's, and ends waiting; here the
// server alone knows of it.
func TestDeadline(t *testing.T) {
	ended := make(chan error, 100)
	f := serve(t, Options{}, with(&service{
		unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			if _, ok := ctx.Deadline(); !ok {
				t.Error("the context has no deadline")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		},
		duplex: func(s testgrpc.TestService_FullDuplexCallServer) error {
			_, err := s.Recv()
			ended <- err
			return err
		},
	}))
	short, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := f.UnaryCall(short, &testgrpc.SimpleRequest{})
	wantStatus(t, err, codes.DeadlineExceeded)
	for range 20 { // a call of a busy client may be over before it is sent
		short, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		s, err := f.FullDuplexCall(short)
		if err == nil {
			_, err = s.Recv()
		}
		wantStatus(t, err, codes.DeadlineExceeded)
		select {
		case err := <-ended:
			// Either side may be first: the client's reset is a cancellation.
			if got := status.Code(err); got != codes.DeadlineExceeded && got != codes.Canceled {
				t.Errorf("the handler's Recv: %v", got)
			}
			return
		case <-time.After(2 * time.Second):
		}
	}
	t.Error("no call comes to its handler")
}

// TestAfterTheEnd: a stream that a handler has left to a goroutine is over, and harms
// no other call.
func TestAfterTheEnd(t *testing.T) {
	left := make(chan testgrpc.TestService_FullDuplexCallServer, 1)
	f := serve(t, Options{}, with(&service{duplex: func(s testgrpc.TestService_FullDuplexCallServer) error {
		left <- s
		return nil
	}}))
	s, err := f.FullDuplexCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err != io.EOF {
		t.Fatal(err)
	}
	kept := <-left
	for kept.Context().Err() == nil { // the response's end may be seen before this side's
		runtime.Gosched()
	}
	if err := kept.Send(&testgrpc.StreamingOutputCallResponse{}); err == nil {
		t.Error("a message was sent")
	}
	if _, err := kept.Recv(); err == nil {
		t.Error("a message was received")
	}
	if err := kept.SetHeader(metadata.Pairs("x", "1")); err == nil {
		t.Error("a header was set")
	}
	if md, _ := metadata.FromIncomingContext(kept.Context()); len(md["x"]) != 0 {
		t.Error("there is metadata")
	}
}
