package trace_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	api "go.opentelemetry.io/otel/trace"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/trace"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// traced returns a traced app and the spans that ended.
func traced(config trace.Config, inside ...nano.Middleware) (*nano.App, *tracetest.SpanRecorder, api.Tracer) {
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	config.Provider = provider
	a := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	a.Use(trace.New(config))
	a.Use(inside...)
	return a, spans, provider.Tracer("test")
}

func TestSpans(t *testing.T) {
	a, spans, _ := traced(trace.Config{Skip: func(c nano.Ctx) bool { return c.Path().String() == "/healthz" }})
	ok := func(c nano.Ctx) error { return c.Text(200, "hello") }
	a.Any("/users/{id}", ok)
	a.Get("/healthz", ok)
	a.Get("/fails", func(nano.Ctx) error { return errors.New("failed") })
	a.Get("/panics", func(nano.Ctx) error { panic("p") })
	a.Get("/cut", func(nano.Ctx) error { return nano.ErrAborted })
	for _, tt := range []struct {
		method, target, name string
		status               codes.Code
		events               int
		attributes           map[attribute.Key]string
	}{
		{"GET", "/users/7?token=t", "GET /users/{id}", codes.Unset, 0, map[attribute.Key]string{
			"http.request.method": "GET", "http.route": "/users/{id}", "url.path": "/users/7", "url.scheme": "http", "url.query": "",
			"server.address": "example.com", "server.port": "8080", "client.address": "192.0.2.1", "user_agent.original": "test",
			"http.response.status_code": "200", "http.response.body.size": "5", "error.type": ""}},
		{"FOO", "/users/7", "HTTP /users/{id}", codes.Unset, 0, map[attribute.Key]string{"http.request.method": "_OTHER", "http.request.method_original": "FOO"}},
		{"GET", "/missing", "GET", codes.Unset, 0, map[attribute.Key]string{"http.response.status_code": "404", "http.route": ""}},
		{"GET", "/fails", "GET /fails", codes.Error, 1, map[attribute.Key]string{"http.response.status_code": "500", "error.type": "500"}},
		{"GET", "/panics", "GET /panics", codes.Error, 1, map[attribute.Key]string{"http.response.status_code": "500"}},
		{"GET", "/cut", "GET /cut", codes.Error, 1, map[attribute.Key]string{"http.response.status_code": "", "error.type": "connection_cut"}},
		{"GET", "/healthz", "", 0, 0, nil},
	} {
		spans.Reset()
		nanotest.New(a).Host("example.com:8080").Request(tt.method, tt.target).Header("User-Agent", "test").Header("traceparent", parent).Do()
		ended := spans.Ended()
		if tt.name == "" {
			if len(ended) > 0 {
				t.Errorf("%s: %d spans", tt.target, len(ended))
			}
			continue
		}
		if len(ended) != 1 {
			t.Fatalf("%s %s: %d spans", tt.method, tt.target, len(ended))
		}
		s := ended[0]
		if s.Name() != tt.name || s.SpanKind() != api.SpanKindServer || s.Status().Code != tt.status || len(s.Events()) != tt.events {
			t.Errorf("%s %s: %q, %v, %d events", tt.method, tt.target, s.Name(), s.Status(), len(s.Events()))
		}
		if s.Parent().TraceID().String() != parent[3:35] || s.Parent().SpanID().String() != parent[36:52] || !s.Parent().IsRemote() {
			t.Errorf("%s %s: parent %v", tt.method, tt.target, s.Parent())
		}
		got := map[attribute.Key]string{}
		for _, kv := range s.Attributes() {
			got[kv.Key] = kv.Value.String()
		}
		for k, want := range tt.attributes {
			if got[k] != want {
				t.Errorf("%s %s: %s is %q, want %q", tt.method, tt.target, k, got[k], want)
			}
		}
	}
}

// TestContext has spans of handlers be below that of the request, also inside a
// timeout.
func TestContext(t *testing.T) {
	for _, hard := range []bool{false, true} {
		a, spans, tracer := traced(trace.Config{Query: true}, middleware.Timeout(middleware.TimeoutConfig{After: time.Hour, Hard: hard}))
		a.Get("/", func(c nano.Ctx) error {
			_, span := tracer.Start(c.Context(), "inside")
			span.End()
			return nil
		})
		nanotest.New(a).Get("/?q=1").Do()
		ended := spans.Ended()
		if len(ended) != 2 || ended[0].Name() != "inside" || ended[0].Parent().SpanID() != ended[1].SpanContext().SpanID() {
			t.Errorf("hard %v: %v", hard, ended)
		}
	}
}

func TestNoPropagation(t *testing.T) {
	a, spans, _ := traced(trace.Config{Propagator: propagation.NewCompositeTextMapPropagator()})
	nanotest.New(a).Get("/").Header("traceparent", parent).Do()
	if s := spans.Ended(); len(s) != 1 || s[0].Parent().IsValid() {
		t.Errorf("%v", s)
	}
}

func Example() {
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)) // or an exporter
	defer provider.Shutdown(context.Background())

	app := nano.New(nano.Config{})
	app.Use(trace.New(trace.Config{Provider: provider}))
	app.Get("/users/{id}", func(c nano.Ctx) error { return c.Text(200, "hello") })

	nanotest.New(app).Get("/users/7").Do()
	fmt.Println(spans.Ended()[0].Name())
	// Output: GET /users/{id}
}
