// Package metrics counts and times requests for Prometheus.
//
//	m := metrics.New(metrics.Config{})
//	app.Use(m.Middleware())
//	app.Get("/metrics", m.Handler())
//
// The series, with route patterns instead of paths, so that clients can't make
// new ones:
//
//	http_requests_total{method,route,status}      status is 1xx to 5xx, or none: cut before the response,
//	                                              or failed when the client had gone
//	http_request_duration_seconds{method,route}   until the response was given to the wire
//	http_response_size_bytes{method,route}        of content
//	http_requests_in_flight
//	http_refused_total{status}                    before a route was looked for; see [Metrics.Refusals]
//
// Requests that match no route have the route "unrouted", and a method that isn't one
// of RFC 9110 or PATCH is "other".
package metrics

import (
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dyno.example/nano"
)

// Config is what is measured, and where it goes.
type Config struct {
	// Registry gets the series. The default is a new one that has the Go runtime's
	// and the process' too.
	Registry *prometheus.Registry
	// Namespace goes before the names instead of "http".
	Namespace string
	// Buckets are the upper bounds of durations in seconds; default 0.1 ms to 10 s.
	Buckets []float64
	// SizeBuckets are those of sizes in bytes; default 100 B to 10 MB.
	SizeBuckets []float64
}

// Metrics are the series of an app.
type Metrics struct {
	namespace string
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	sizes     *prometheus.HistogramVec
	flying    prometheus.Gauge
}

// New registers the series. It panics if the registry has them already.
func New(config Config) *Metrics {
	if config.Registry == nil {
		config.Registry = prometheus.NewRegistry()
		config.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	if config.Namespace == "" {
		config.Namespace = "http"
	}
	if config.Buckets == nil {
		config.Buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	}
	if config.SizeBuckets == nil {
		config.SizeBuckets = prometheus.ExponentialBuckets(100, 10, 6)
	}
	labels := []string{"method", "route"}
	m := &Metrics{
		namespace: config.Namespace,
		registry:  config.Registry,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: config.Namespace, Name: "requests_total",
			Help: "Requests by the class of their response's status."}, append(labels, "status")),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: config.Namespace, Name: "request_duration_seconds",
			Help: "Time from the start of the middleware until the response was given to the wire.", Buckets: config.Buckets}, labels),
		sizes: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: config.Namespace, Name: "response_size_bytes",
			Help: "Bytes of content of the responses.", Buckets: config.SizeBuckets}, labels),
		flying: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: config.Namespace, Name: "requests_in_flight",
			Help: "Requests whose handlers have not ended."}),
	}
	config.Registry.MustRegister(m.requests, m.seconds, m.sizes, m.flying)
	return m
}

// Refusals counts what the app refuses before a route is looked for, which no
// middleware sees: requests that can't be read, that exceed a limit or come too
// slowly; by status, see [nano.App.Refused].
func (m *Metrics) Refusals(app *nano.App) {
	m.registry.MustRegister(refusals{app, prometheus.NewDesc(prometheus.BuildFQName(m.namespace, "", "refused_total"),
		"Requests refused before a route was looked for, by status.", []string{"status"}, nil)})
}

type refusals struct {
	app  *nano.App
	desc *prometheus.Desc
}

func (r refusals) Describe(to chan<- *prometheus.Desc) { to <- r.desc }

func (r refusals) Collect(to chan<- prometheus.Metric) {
	for status, n := range r.app.Refused() {
		to <- prometheus.MustNewConstMetric(r.desc, prometheus.CounterValue, float64(n), strconv.Itoa(status))
	}
}

// Handler responds with all series of the registry.
func (m *Metrics) Handler() nano.Handler {
	return nano.FromHTTP(promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
}

// Middleware counts and times requests. Put it outside of what it is to time: on
// the app, before all other. Series are found once for each route, method and
// class of status; after that a request costs four atomic additions or so.
func (m *Metrics) Middleware() nano.Middleware {
	return func(next nano.Handler) nano.Handler {
		var known atomic.Pointer[routeSeries]
		after := func(c nano.Ctx, o nano.Outcome) {
			m.flying.Dec()
			r := c.Route()
			s := known.Load()
			if s == nil || s.route != r { // the handler made here is one route's
				s = &routeSeries{route: r}
				known.Store(s)
			}
			one := s.of(m, methodOf(c.Method()), classOf(o))
			one.requests.Inc()
			one.seconds.Observe(o.Took.Seconds())
			one.size.Observe(float64(o.Size))
		}
		return func(c nano.Ctx) error {
			m.flying.Inc()
			c.AfterResponse(after)
			return next(c)
		}
	}
}
