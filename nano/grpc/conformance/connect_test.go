package conformance

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"dyno.example/nano"
)

const (
	unaryPath = "/grpc.testing.TestService/UnaryCall"
	bidiPath  = "/grpc.testing.TestService/FullDuplexCall"
)

func unary(_ context.Context, r *connect.Request[testgrpc.SimpleRequest]) (*connect.Response[testgrpc.SimpleResponse], error) {
	if r.Msg.GetResponseStatus().GetCode() != 0 {
		return nil, connect.NewError(connect.CodeNotFound, errors.New("none of these"))
	}
	return connect.NewResponse(&testgrpc.SimpleResponse{Payload: r.Msg.GetPayload()}), nil
}

func bidi(_ context.Context, s *connect.BidiStream[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse]) error {
	for {
		m, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Send(&testgrpc.StreamingOutputCallResponse{Payload: m.GetPayload()}); err != nil {
			return err
		}
	}
}

// TestConnect: handlers of connect-go, mounted, serve the Connect protocol, gRPC-Web and
// gRPC, over TLS and cleartext.
func TestConnect(t *testing.T) {
	for name, secure := range map[string]bool{"cleartext": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			app := newApp()
			app.Post(unaryPath, nano.FromHTTP(connect.NewUnaryHandler(unaryPath, unary)))
			app.Post(bidiPath, nano.FromHTTP(connect.NewBidiStreamHandler(bidiPath, bidi)))
			var server *tls.Config
			transport := &http.Transport{Protocols: new(http.Protocols)}
			scheme := "http://"
			if secure {
				scheme = "https://"
				server, transport.TLSClientConfig = testTLS(t)
				transport.Protocols.SetHTTP2(true)
			} else {
				transport.Protocols.SetUnencryptedHTTP2(true)
			}
			base := scheme + serve(t, app, server)
			client := &http.Client{Transport: transport}
			defer client.CloseIdleConnections()
			for protocol, options := range map[string][]connect.ClientOption{
				"connect": nil, "grpc": {connect.WithGRPC()}, "grpc-web": {connect.WithGRPCWeb()}, "compressed": {connect.WithGRPC(), connect.WithSendGzip()},
			} {
				t.Run(protocol, func(t *testing.T) { tryConnect(t, client, base, options) })
			}
		})
	}
}

func tryConnect(t *testing.T, client *http.Client, base string, options []connect.ClientOption) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	call := connect.NewClient[testgrpc.SimpleRequest, testgrpc.SimpleResponse](client, base+unaryPath, options...)
	for _, size := range []int{0, 1000, 100 << 10} {
		r, err := call.CallUnary(ctx, connect.NewRequest(&testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: make([]byte, size)}}))
		if err != nil || len(r.Msg.GetPayload().GetBody()) != size {
			t.Errorf("unary, %d bytes: %v", size, err)
		}
	}
	_, err := call.CallUnary(ctx, connect.NewRequest(&testgrpc.SimpleRequest{ResponseStatus: &testgrpc.EchoStatus{Code: 5}}))
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("an error: %v", err)
	}
	s := connect.NewClient[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse](client, base+bidiPath, options...).CallBidiStream(ctx)
	for _, size := range []int{0, 1000, 100 << 10} {
		if err := s.Send(&testgrpc.StreamingOutputCallRequest{Payload: &testgrpc.Payload{Body: make([]byte, size)}}); err != nil {
			t.Fatal(err)
		}
		m, err := s.Receive()
		if err != nil || len(m.GetPayload().GetBody()) != size {
			t.Fatalf("stream, %d bytes: %v", size, err)
		}
	}
	if err := s.CloseRequest(); err != nil {
		t.Error(err)
	}
	if _, err := s.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("at the stream's end: %v", err)
	}
	if err := s.CloseResponse(); err != nil {
		t.Error(err)
	}
}
