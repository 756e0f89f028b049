//go:build linux

package gateway_test

import (
	"errors"
	"io"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// carryingWith is a gateway before a test service, all of whose calls pass through middleware,
// and a client of it.
func carryingWith(t *testing.T, plugins, use string, offers ...middleware.Offer) (testgrpc.TestServiceClient, *testService) {
	t.Helper()
	upstream, service, _ := grpcServer(t)
	_, at := startUsing(t, 2, plugins+"routes: [{use: ["+use+"], to: \"h2c://"+upstream+"\"}]\n", offers...)
	return grpcClient(t, at), service
}

// Middleware sees calls and the heads of their responses, on loops and on workers, and its
// replies are statuses of gRPC.
func TestMiddlewareAndGRPC(t *testing.T) {
	tag := middleware.Middleware{
		Request: func(r *request.Request) *request.Reply {
			r.Forward("x-tag", []byte("gate"))
			return nil
		},
		Response: func(_ *request.Request, p *request.Response) *request.Reply {
			kind, _ := p.Header("content-type")
			p.Set("x-kind", kind)
			return nil
		},
	}
	slow := tag
	slow.Within = patience
	const data = memory("x-tag|gate|x-kind|application/grpc")
	guest := wt.Guest{Imports: []string{"set_header_value"}, Data: string(data),
		Request:  wt.Code(wt.I32(0), data.at("x-tag"), data.at("gate"), wt.Call(0), wt.I64(1)),
		Response: wt.Code(wt.I32(1), data.at("x-kind"), data.at("application/grpc"), wt.Call(0))}
	for _, use := range []string{"tag", "slow", "guest"} {
		client, _ := carryingWith(t, "plugins: {guest: {wasm: "+module(t, guest)+", "+unrushed+"}}\n", use, offer("tag", tag), offer("slow", slow))
		var head, trailer metadata.MD
		r, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{ResponseSize: 100_000}, grpc.Header(&head), grpc.Trailer(&trailer))
		if err != nil || len(r.GetPayload().GetBody()) != 100_000 {
			t.Fatalf("%s: %d bytes, %v", use, len(r.GetPayload().GetBody()), err)
		}
		if got := head.Get("x-tag"); len(got) != 1 || got[0] != "gate" {
			t.Errorf("%s: the service was sent %q", use, got)
		}
		if got := head.Get("x-kind"); len(got) != 1 || got[0] != "application/grpc" || len(trailer.Get("x-trailing-bin")) != 1 {
			t.Errorf("%s: x-kind %q, trailers %v", use, got, trailer)
		}
		_, err = client.UnaryCall(soon(t), &testgrpc.SimpleRequest{ResponseStatus: &testgrpc.EchoStatus{Code: 9, Message: "no"}})
		if s := status.Convert(err); s.Code() != codes.FailedPrecondition || s.Message() != "no" {
			t.Errorf("%s: %v", use, err)
		}
		both, err := client.FullDuplexCall(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 { // each waits for the one before: a response begins while the request goes on
			if err := both.Send(&testgrpc.StreamingOutputCallRequest{Payload: &testgrpc.Payload{Body: make([]byte, n)}}); err != nil {
				t.Fatal(err)
			}
			if m, err := both.Recv(); err != nil || len(m.GetPayload().GetBody()) != n {
				t.Fatalf("%s: message %d: %v, %v", use, n, m, err)
			}
		}
		if err := both.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if _, err := both.Recv(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: the stream ends with %v", use, err)
		}
	}
}

// Middleware's replies, and its failures, are statuses of
// gRPC; a plug-in that wants whole bodies has failed to look at a call.
func TestMiddlewareRefusesCalls(t *testing.T) {
	no := request.Refuse(403, "not you", "")
	panics := func(*request.Request) *request.Reply { panic("no") }
	bodies := func(feature int64) wt.Guest {
		return wt.Guest{Imports: []string{"enable_features"}, Begin: wt.Code(wt.I32(feature), wt.Call(0), wt.Drop)}
	}
	plugins := "plugins:\n  up: {wasm: " + module(t, bodies(1)) + ", " + unrushed + "}\n  down: {wasm: " + module(t, bodies(2)) + ", " + unrushed + "}\n" +
		"  may: {wasm: " + module(t, bodies(3)) + ", " + unrushed + ", on-failure: pass}\n"
	offers := []middleware.Offer{
		offer("before", middleware.Middleware{Request: func(*request.Request) *request.Reply { return no }}),
		offer("after", middleware.Middleware{Response: func(*request.Request, *request.Response) *request.Reply { return no }}),
		offer("after-slow", middleware.Middleware{Within: patience, Response: func(*request.Request, *request.Response) *request.Reply { return no }}),
		offer("panics", middleware.Middleware{Request: panics}),
	}
	for _, one := range []struct {
		use     string
		code    codes.Code
		message string
		reached int32
	}{
		{"before", codes.PermissionDenied, "not you", 0},
		{"after", codes.PermissionDenied, "not you", 1},
		{"after-slow", codes.PermissionDenied, "not you", 1},
		{"panics", codes.Unknown, "the gateway failed", 0},
		{"up", codes.Unavailable, "a plug-in of the gateway has too much to do", 0},
		{"down", codes.Unavailable, "a plug-in of the gateway has too much to do", 1},
		{"may", codes.OK, "", 1},
	} {
		client, service := carryingWith(t, plugins, one.use, offers...)
		for range 2 {
			service.calls.Store(0)
			_, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{})
			if s := status.Convert(err); s.Code() != one.code || s.Message() != one.message {
				t.Errorf("%s: %v, wanted %v %q", one.use, err, one.code, one.message)
			}
			if got := service.calls.Load(); got != one.reached {
				t.Errorf("%s: %d calls have reached the service", one.use, got)
			}
		}
	}
}
