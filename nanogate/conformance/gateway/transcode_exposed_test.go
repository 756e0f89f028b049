//go:build linux

package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Methods that a route doesn't expose aren't to be had by speaking gRPC, or gRPC-Web, to it,
// however their names are written; those that it exposes are.
func TestTranscodeExposed(t *testing.T) {
	upstream, file, _ := notesUpstream(t)
	route := "routes: [{to: \"h2c://%s\", grpc-web: true, grpc-json: {%s}}]\n"
	_, listed := start(t, fmt.Sprintf(route, upstream, "descriptors: "+file+", services: [echo.v1.Echo]"))
	_, all := start(t, fmt.Sprintf(route, upstream, "descriptors: "+file+", calls: all"))
	_, unknown := start(t, "routes: [{to: \"h2c://127.0.0.1:1\", grpc-json: {reflection: true}}]\n")
	for _, tt := range []struct {
		at, method string
		want       codes.Code
	}{
		{listed, "/echo.v1.Echo/Say", codes.OK},
		{listed, "/echo.v1.Echo/Secret", codes.Unimplemented},
		{listed, "/echo.v1.Echo/say", codes.Unimplemented},
		{listed, "/echo.v1.Echo/./Secret", codes.Unimplemented},
		{listed, "//echo.v1.Echo/Secret", codes.Unimplemented},
		{listed, "/echo.v1.Echo/S%65cret", codes.Unimplemented},
		{listed, "/echo.v1.Echo/Secret?x=/echo.v1.Echo/Say", codes.Unimplemented},
		{listed, "/echo.v1.Other/Say", codes.Unimplemented},
		{listed, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", codes.Unimplemented},
		{listed, "/v1/notes:sum", codes.Unimplemented},
		{all, "/echo.v1.Echo/Secret", codes.OK},
		{all, "/echo.v1.Other/Say", codes.OK},
		{unknown, "/echo.v1.Echo/Say", codes.Unavailable},
	} {
		conn, err := grpc.NewClient(tt.at, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		err = conn.Invoke(soon(t), tt.method, &emptypb.Empty{}, &emptypb.Empty{})
		conn.Close()
		if got := status.Code(err); got != tt.want {
			t.Errorf("%s: %v, want %v (%v)", tt.method, got, tt.want, err)
		}
		if tt.at == unknown {
			continue
		}
		for name, client := range clients(t) {
			resp, body := do(t, client, "POST", "http://"+tt.at+tt.method, "\x00\x00\x00\x00\x00", "Content-Type", "application/grpc-web+proto")
			if got := webStatus(resp, body); got != fmt.Sprint(int(tt.want)) {
				t.Errorf("%s over gRPC-Web, %s: status %q, want %d", tt.method, name, got, tt.want)
			}
		}
	}
}

// webStatus is the status of a call over gRPC-Web, which is in its head or at its end.
func webStatus(resp *http.Response, body string) string {
	if code := resp.Header.Get("Grpc-Status"); code != "" {
		return code
	}
	_, rest, _ := strings.Cut(strings.ToLower(body), "grpc-status:")
	code, _, _ := strings.Cut(strings.TrimSpace(rest), "\r")
	return code
}
