package collector

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/driver"
)

// Driver speaks a collector's protocol. What it opens connects when it is first used. It is a
// driver, as OpenTelemetry's own takes gRPC along.
type Driver struct {
	Spans   func(context.Context, To) (trace.SpanExporter, error)
	Metrics func(context.Context, To) (MetricExporter, error)
}

// To is where a collector takes a signal.
type To struct {
	URL     string
	Headers map[string]string
	Within  time.Duration // that one message may take
}

// MetricExporter is what is needed of OpenTelemetry's exporters.
type MetricExporter interface {
	Export(context.Context, *metricdata.ResourceMetrics) error
	Shutdown(context.Context) error
}

// protocol is the field that asks for the only driver there is.
const protocol = "otlp"

var drivers driver.Kind[Driver]

// Register makes a driver known under the field that asks for it. It is for the init of its
// package.
func Register(name string, d Driver) { drivers.Register(name, d) }

// Spans opens what a collector is told traces by, as they are configured. That its driver
// isn't linked in is a [config.Problem].
func Spans(ctx context.Context, c *config.Trace, within time.Duration) (trace.SpanExporter, error) {
	d, linked := drivers.Find(protocol)
	if !linked {
		return nil, missing(c.OTLPAt)
	}
	headers, err := Headers(c.Headers)
	if err != nil {
		return nil, err
	}
	return d.Spans(ctx, To{URL: URL(c.OTLP, "traces"), Headers: headers, Within: within})
}

// Metrics opens what a collector is told figures by, as they are configured. That its driver
// isn't linked in is a [config.Problem].
func Metrics(ctx context.Context, c *config.Metrics, within time.Duration) (MetricExporter, error) {
	d, linked := drivers.Find(protocol)
	if !linked {
		return nil, missing(c.OTLPAt)
	}
	headers, err := Headers(c.Headers)
	if err != nil {
		return nil, err
	}
	return d.Metrics(ctx, To{URL: URL(c.OTLP, "metrics"), Headers: headers, Within: within})
}

// Missing says where a configuration asks for a driver that isn't linked in.
func Missing(c *config.Config) (problems config.Problems) {
	if _, linked := drivers.Find(protocol); linked {
		return nil
	}
	if c.Trace != nil && c.Trace.OTLP != "" {
		problems = append(problems, missing(c.Trace.OTLPAt))
	}
	if c.Metrics != nil {
		problems = append(problems, missing(c.Metrics.OTLPAt))
	}
	return problems
}

func missing(at config.At) config.Problem {
	return at.Problem("import "+driver.Import(protocol), "this program can't tell a collector anything, as nothing that does is linked in")
}
