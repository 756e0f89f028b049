// Package trace is middleware that makes an OpenTelemetry span of every request.
//
//	app.Use(trace.New(trace.Config{}))
//
// The span is in the request's context: work that is given c.Context() is below
// it. Names, attributes and status follow the semantic conventions for HTTP server
// spans, version 1.23 and later, which are stable.
package trace

import (
	"net"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"dyno.example/nano"
)

// Config is how spans are made.
type Config struct {
	// Provider makes spans; default the global one, which makes none until the
	// program sets another.
	Provider trace.TracerProvider
	// Propagator finds the client's span in the request; default W3C Trace Context
	// and Baggage. Clients choose trace ids by it, and whether they are sampled: in
	// front of strangers, set propagation.NewCompositeTextMapPropagator().
	Propagator propagation.TextMapPropagator
	// Skip leaves requests out, such as those of health checks.
	Skip func(c nano.Ctx) bool
	// Query records the query of the URL too. It is left out by default: queries
	// hold tokens, names and searches.
	Query bool
}

// scope names the instrumentation.
const scope = "dyno.example/nano/trace"

// New returns the middleware. Put it outside of what is to be seen in spans.
//
// A span is named "METHOD pattern" after the route, or "METHOD" if there is none.
// Its status is an error for 5xx responses and for those that were cut, and isn't
// set otherwise: a 4xx is the client's error.
func New(config Config) nano.Middleware {
	if config.Provider == nil {
		config.Provider = otel.GetTracerProvider()
	}
	if config.Propagator == nil {
		config.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	tracer := config.Provider.Tracer(scope)
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			if config.Skip != nil && config.Skip(c) {
				return next(c)
			}
			ctx := config.Propagator.Extract(c.Context(), requestHeader{c})
			ctx, span := tracer.Start(ctx, nameOf(c), trace.WithSpanKind(trace.SpanKindServer))
			if span.IsRecording() {
				span.SetAttributes(config.attributes(c)...)
			}
			c.SetContext(ctx)
			c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { end(span, o) })
			return next(c)
		}
	}
}

// end records how the request ended.
func end(span trace.Span, o nano.Outcome) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	if o.Status > 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", o.Status), attribute.Int64("http.response.body.size", o.Size))
	}
	if o.Status < 500 && !o.Cut {
		return
	}
	kind := strconv.Itoa(o.Status)
	if o.Cut {
		kind = "connection_cut"
	}
	span.SetAttributes(attribute.String("error.type", kind))
	if o.Err != nil {
		span.RecordError(o.Err)
	}
	span.SetStatus(codes.Error, "")
}

// nameOf returns the name of the request's span, of which there are few.
func nameOf(c nano.Ctx) string {
	method := methodOf(c)
	if method == other {
		method = "HTTP"
	}
	if r := c.Route(); r != nil {
		return method + " " + r.Pattern()
	}
	return method
}

// other stands for methods that aren't known.
const other = "_OTHER"

func methodOf(c nano.Ctx) string {
	switch m := c.Method(); string(m) {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY":
		return m.String()
	}
	return other
}

func (config *Config) attributes(c nano.Ctx) []attribute.KeyValue {
	method, scheme := methodOf(c), "http"
	if c.TLS() {
		scheme = "https"
	}
	all := append(make([]attribute.KeyValue, 0, 12),
		attribute.String("http.request.method", method),
		attribute.String("url.scheme", scheme),
		attribute.String("url.path", c.Path().String()),
		attribute.String("client.address", c.RemoteAddr().Addr().String()))
	if method == other {
		all = append(all, attribute.String("http.request.method_original", c.Method().String()))
	}
	if r := c.Route(); r != nil {
		all = append(all, attribute.String("http.route", r.Pattern()))
	}
	if agent := c.Header("User-Agent"); agent != nil {
		all = append(all, attribute.String("user_agent.original", agent.String()))
	}
	if query := c.RawQuery(); config.Query && len(query) > 0 {
		all = append(all, attribute.String("url.query", query.String()))
	}
	return appendServer(all, c.Host().String())
}

// appendServer adds the request's host and port.
func appendServer(all []attribute.KeyValue, host string) []attribute.KeyValue {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return append(all, attribute.String("server.address", host))
	}
	all = append(all, attribute.String("server.address", name))
	if n, err := strconv.Atoi(port); err == nil {
		all = append(all, attribute.Int("server.port", n))
	}
	return all
}

// requestHeader gives a propagator the request's header fields (OpenTelemetry's
// propagation.TextMapCarrier).
type requestHeader struct{ c nano.Ctx }

func (r requestHeader) Get(key string) string { return r.c.Header(key).String() }

// Set implements propagation.TextMapCarrier; a request isn't written to.
func (r requestHeader) Set(string, string) {}

// Keys implements propagation.TextMapCarrier. The fields that propagators look for
// by name are all that is offered.
func (r requestHeader) Keys() []string { return nil }
