package metrics_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"dyno.example/nano"
	"dyno.example/nano/metrics"
	"dyno.example/nano/nanotest"
)

func TestMetrics(t *testing.T) {
	m := metrics.New(metrics.Config{Registry: prometheus.NewRegistry(), Buckets: []float64{100}, SizeBuckets: []float64{10}})
	a := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	a.Use(m.Middleware())
	a.Get("/metrics", m.Handler())
	a.Any("/users/{id}", func(c nano.Ctx) error {
		if c.Param("id").String() == "0" {
			return nano.NewProblem(404, "")
		}
		return c.Text(200, "hello")
	})
	a.Get("/fails", func(nano.Ctx) error { return errors.New("failed") })
	a.Get("/panics", func(nano.Ctx) error { panic("p") })
	a.Get("/cut", func(nano.Ctx) error { return nano.ErrAborted })
	a.Get("tenant.example/", func(c nano.Ctx) error { return c.Text(200, "0123456789a") })
	client := nanotest.New(a)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() { client.Get(fmt.Sprint("/users/", i%5)).Do() })
	}
	all.Wait()
	for _, target := range []string{"/fails", "/panics", "/cut", "/missing/1", "/missing/2"} {
		client.Get(target).Do()
	}
	for _, method := range []string{"HEAD", "POST", "FOO", "BAR"} {
		client.Request(method, "/users/7").Do()
	}
	nanotest.New(a).Host("tenant.example").Get("/x").Do()
	text := client.Get("/metrics").Do().Text()
	for _, line := range []string{
		`http_requests_total{method="GET",route="/users/{id}",status="2xx"} 8`,
		`http_requests_total{method="GET",route="/users/{id}",status="4xx"} 2`,
		`http_requests_total{method="HEAD",route="/users/{id}",status="2xx"} 1`,
		`http_requests_total{method="other",route="/users/{id}",status="2xx"} 2`,
		`http_requests_total{method="GET",route="/fails",status="5xx"} 1`,
		`http_requests_total{method="GET",route="/panics",status="5xx"} 1`,
		`http_requests_total{method="GET",route="/cut",status="none"} 1`,
		`http_requests_total{method="GET",route="unrouted",status="4xx"} 2`,
		`http_request_duration_seconds_bucket{method="GET",route="/users/{id}",le="100"} 10`,
		`http_request_duration_seconds_count{method="GET",route="/users/{id}"} 10`,
		`http_response_size_bytes_sum{method="POST",route="/users/{id}"} 5`,
		`http_response_size_bytes_sum{method="HEAD",route="/users/{id}"} 0`,
		`http_response_size_bytes_bucket{method="GET",route="tenant.example/",le="10"} 0`,
		`http_response_size_bytes_bucket{method="GET",route="tenant.example/",le="+Inf"} 1`,
		`http_requests_in_flight 1`, // this one
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestDefaults(t *testing.T) {
	m := metrics.New(metrics.Config{})
	a := nano.New(nano.Config{})
	a.Get("/metrics", m.Handler())
	if got := nanotest.New(a).Get("/metrics").Do().Text(); !strings.Contains(got, "go_goroutines") {
		t.Errorf("no series of the runtime: %s", got)
	}
}

// discard is an http.ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

func TestAllocations(t *testing.T) {
	if racing {
		t.Skip("the race detector allocates")
	}
	allocs := func(mw ...nano.Middleware) float64 {
		a := nano.New(nano.Config{})
		a.Get("/", func(c nano.Ctx) error { return c.NoContent(204) }, nano.With(mw...))
		r, w := httptest.NewRequest("GET", "/", nil), discard{http.Header{}}
		return testing.AllocsPerRun(200, func() { a.ServeHTTP(w, r) })
	}
	if plain, with := allocs(), allocs(metrics.New(metrics.Config{}).Middleware()); with > plain {
		t.Errorf("%v allocations a request, %v without", with, plain)
	}
}

func BenchmarkMiddleware(b *testing.B) {
	a := nano.New(nano.Config{})
	a.Get("/", func(c nano.Ctx) error { return c.NoContent(204) }, nano.With(metrics.New(metrics.Config{}).Middleware()))
	r, w := httptest.NewRequest("GET", "/", nil), discard{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		a.ServeHTTP(w, r)
	}
}

func Example() {
	m := metrics.New(metrics.Config{Registry: prometheus.NewRegistry()})
	app := nano.New(nano.Config{})
	app.Use(m.Middleware())
	app.Get("/hello/{name}", func(c nano.Ctx) error { return c.Text(200, "hello") })
	app.Get("/metrics", m.Handler())

	client := nanotest.New(app)
	client.Get("/hello/ann").Do()
	client.Get("/hello/bob").Do()
	for line := range strings.Lines(client.Get("/metrics").Do().Text()) {
		if strings.HasPrefix(line, "http_requests_total") {
			fmt.Print(line)
		}
	}
	// Output: http_requests_total{method="GET",route="/hello/{name}",status="2xx"} 2
}
