package tracing

import (
	"context"
	"encoding/binary"
	"net"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"dyno.example/nanogate/internal/request"
)

// sampled is a request that has ended and is to be exported.
type sampled struct {
	route   *Route
	outcome request.Outcome
	note    []byte
	wall    int64 // wall clock less the monotonic one, ns
}

// methods are those that spans name (semantic conventions for HTTP spans, 1.23 and
// later).
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY"}

// record makes the request's span and those of its tries.
func (s *sampled) record(spans trace.Tracer) {
	o, n := &s.outcome, s.note
	texts := n[noteTexts:]
	text := func() string {
		size := int(binary.LittleEndian.Uint16(texts))
		t := string(texts[2 : 2+size])
		texts = texts[2+size:]
		return t
	}
	original, path, host, agent, client := text(), text(), text(), text(), text()
	method, name := original, original
	if !slices.Contains(methods, original) {
		method, name = "_OTHER", "HTTP"
	}
	scheme, version := "http", "1.1"
	if n[noteFlags]&noteSecure != 0 {
		scheme = "https"
	}
	switch {
	case n[noteFlags]&noteHTTP10 != 0:
		version = "1.0"
	case n[noteFlags]&noteHTTP2 != 0:
		version = "2"
	}
	all := append(make([]attribute.KeyValue, 0, 16),
		attribute.String("http.request.method", method), attribute.String("url.scheme", scheme), attribute.String("url.path", path),
		attribute.String("http.route", s.route.Pattern), attribute.String("nanogate.route", s.route.Name),
		attribute.String("network.protocol.version", version), attribute.String("client.address", client),
		attribute.Int64("http.request.body.size", o.Received), attribute.Int64("http.response.body.size", o.Sent))
	if method != original {
		all = append(all, attribute.String("http.request.method_original", original))
	}
	if agent != "" {
		all = append(all, attribute.String("user_agent.original", agent))
	}
	all = appendAddress(all, host)
	ctx := context.Background()
	id := trace.TraceID(n[:16])
	if parent := trace.SpanID(n[noteParent:noteFlags]); parent.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: parent, TraceFlags: trace.FlagsSampled, Remote: true}))
	}
	first := binary.BigEndian.Uint64(n[noteSpan:])
	ctx, span := spans.Start(choose(ctx, id, first), name+" "+s.route.Pattern,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(s.at(o.Began)), trace.WithAttributes(all...))
	for i := range o.Trail {
		s.try(choose(ctx, id, first+1+uint64(i)), spans, method, i)
	}
	finish(span, o.Status, o.Failed, o.Failed == request.ClientGone, 500)
	span.End(trace.WithTimestamp(s.at(o.Ended)))
}

// try makes the span of a try.
func (s *sampled) try(ctx context.Context, spans trace.Tracer, method string, i int) {
	t := &s.outcome.Trail[i]
	all := appendAddress([]attribute.KeyValue{attribute.String("http.request.method", method)}, t.Endpoint)
	if i > 0 {
		all = append(all, attribute.Int("http.request.resend_count", i))
	}
	if t.Hedge {
		all = append(all, attribute.Bool("nanogate.hedge", true))
	}
	if t.Lost {
		all = append(all, attribute.Bool("nanogate.abandoned", true))
	}
	_, span := spans.Start(ctx, method, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(s.at(t.Began)), trace.WithAttributes(all...))
	finish(span, t.Status, t.Failed, t.Lost || t.Failed == request.ClientGone, 400)
	span.End(trace.WithTimestamp(s.at(t.Ended)))
}

// finish says how it ended. Statuses from the least on are errors: of a server those
// that are its own, of a client all that aren't what it wanted.
func finish(span trace.Span, status int, failed request.Failure, forgiven bool, least int) {
	if status > 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
	}
	switch {
	case forgiven:
	case failed != request.OK:
		span.SetAttributes(attribute.String("error.type", failed.String()))
		span.SetStatus(codes.Error, "")
	case status >= least:
		span.SetAttributes(attribute.String("error.type", strconv.Itoa(status)))
		span.SetStatus(codes.Error, "")
	}
}

// at is a time of the monotonic clock as others know it.
func (s *sampled) at(ns int64) time.Time { return time.Unix(0, ns+s.wall) }

// choose has the next span have an id.
func choose(ctx context.Context, id trace.TraceID, span uint64) context.Context {
	ids := chosenIDs{trace: id}
	binary.BigEndian.PutUint64(ids.span[:], span)
	return context.WithValue(ctx, chosenKey{}, ids)
}

// appendAddress adds a host and its port.
func appendAddress(all []attribute.KeyValue, host string) []attribute.KeyValue {
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
