package subject

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// healthServer serves gRPC; told is nil for one without a health service.
func healthServer(t *testing.T, told *health.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer()
	if told != nil {
		grpc_health_v1.RegisterHealthServer(srv, told)
	}
	go srv.Serve(listener)
	t.Cleanup(srv.Stop)
	return "http://" + listener.Addr().String()
}

// Health over gRPC says when a subject is ready, if that is how it was declared; where it
// is only a guess, any response over gRPC will do.
func TestReadinessByHealth(t *testing.T) {
	told := health.NewServer()
	told.SetServingStatus("down", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	with, without := healthServer(t, told), healthServer(t, nil)
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	for _, c := range []struct {
		url, named, guess string
		wants             string // why it is not ready; "" if it is
	}{
		{with, "grpc", "", ""}, {with, "grpc:down", "", "NOT_SERVING"}, {with, "grpc:other", "", "not told"}, {with, "", "grpc", ""},
		{without, "grpc", "", "not told"}, {without, "", "grpc", ""},
		{web.URL, "", "grpc", ""}, // refused below: it speaks no gRPC
		{web.URL, "", "/", ""}, {web.URL, "/", "", "404"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err := pollOf(c.url, c.named, c.guess, nil)(ctx)
		cancel()
		if c.url == web.URL && c.guess == "grpc" {
			if err == nil {
				t.Error("a server of HTTP/1.1 is ready for gRPC")
			}
			continue
		}
		if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A subject is waited for until it serves.
func TestAwaitHealth(t *testing.T) {
	told := health.NewServer()
	told.SetServingStatus("", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	url := healthServer(t, told)
	asked := 0
	ask := pollOf(url, "grpc", "", nil)
	err := awaitReady(t.Context(), func(ctx context.Context) error {
		if asked++; asked == 3 {
			told.SetServingStatus("", grpc_health_v1.HealthCheckResponse_SERVING)
		}
		return ask(ctx)
	}, time.Minute, nil)
	if err != nil || asked < 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}
