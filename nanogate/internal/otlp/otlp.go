// Package otlp tells collectors of traces and metrics by OTLP over HTTP: it is the driver of
// [collector] under the field of that name.
package otlp

import (
	"context"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"

	"dyno.example/nanogate/internal/collector"
)

func init() { collector.Register("otlp", collector.Driver{Spans: spans, Metrics: metrics}) }

func spans(ctx context.Context, to collector.To) (trace.SpanExporter, error) {
	return otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(to.URL), otlptracehttp.WithHeaders(to.Headers), otlptracehttp.WithTimeout(to.Within))
}

func metrics(ctx context.Context, to collector.To) (collector.MetricExporter, error) {
	return otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(to.URL), otlpmetrichttp.WithHeaders(to.Headers), otlpmetrichttp.WithTimeout(to.Within),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{})) // the next push has it all
}
