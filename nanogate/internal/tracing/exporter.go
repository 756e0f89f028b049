package tracing

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"dyno.example/nanogate/internal/collector"
	"dyno.example/nanogate/internal/config"
)

const (
	mostSpans    = 512              // in a message to the collector
	exportEvery  = time.Second      // that spans wait for others
	exportWithin = 10 * time.Second // tries again within that time included
	closeWithin  = time.Second
)

// exporter tells a collector of requests, by OTLP. It has a goroutine of its
// own, on which requests become spans: nothing of this is done by loops.
type exporter struct {
	tracer   *Tracer
	queue    chan *sampled
	stop     context.CancelFunc // of what is sent
	ctx      context.Context
	closing  chan struct{}
	done     chan struct{}
	client   sdk.SpanExporter
	provider *sdk.TracerProvider
	spans    trace.Tracer
	batch    []sdk.ReadOnlySpan // of requests
	requests int                // that the batch is of
	said     time.Time          // when an error was logged last
}

// newExporter makes an exporter. It connects to nothing yet.
func newExporter(t *Tracer, c *config.Trace) (*exporter, error) {
	client, err := collector.Spans(context.Background(), c, exportWithin)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	e := &exporter{tracer: t, queue: make(chan *sampled, c.Queue), closing: make(chan struct{}), done: make(chan struct{}), client: client}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.provider = sdk.NewTracerProvider(
		sdk.WithSampler(sdk.AlwaysSample()), // it was decided when the request came
		sdk.WithIDGenerator(chosen{}),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", c.Service))),
		sdk.WithSpanProcessor(gathering{e}))
	e.spans = e.provider.Tracer("dyno.example/nanogate/internal/tracing")
	go e.run()
	return e, nil
}

// Check says what is wrong with what a configuration names.
func Check(c *config.Trace) error {
	if _, err := collector.Headers(c.Headers); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// run exports until the exporter is closed.
func (e *exporter) run() {
	defer close(e.done)
	due := time.NewTimer(exportEvery)
	defer due.Stop()
	for {
		select {
		case s := <-e.queue:
			e.add(s)
		case <-due.C:
			e.send()
			due.Reset(exportEvery)
		case <-e.closing:
			for {
				select {
				case s := <-e.queue:
					e.add(s)
					continue
				default:
				}
				e.send()
				return
			}
		}
	}
}

// add makes spans of a request, and sends the batch if there are enough.
func (e *exporter) add(s *sampled) {
	s.record(e.spans)
	if e.requests++; len(e.batch) >= mostSpans {
		e.send()
	}
}

// send sends the batch. What the collector doesn't take is lost, and counted.
func (e *exporter) send() {
	if len(e.batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, exportWithin)
	defer cancel()
	if err := e.client.ExportSpans(ctx, e.batch); err != nil {
		e.tracer.failed.Add(uint64(e.requests))
		if time.Since(e.said) > time.Minute {
			e.said = time.Now()
			e.tracer.log.Warn("the collector doesn't take traces, which are lost meanwhile", "error", err)
		}
	} else {
		e.tracer.exported.Add(uint64(e.requests))
	}
	clear(e.batch)
	e.batch, e.requests = e.batch[:0], 0
}

// close sends what there is, for a second at most.
func (e *exporter) close() {
	close(e.closing)
	select {
	case <-e.done:
	case <-time.After(closeWithin):
		e.stop()
		<-e.done
	}
	e.stop()
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = e.client.Shutdown(ctx)
}

// gathering is the provider's processor: spans that have ended wait in the batch.
type gathering struct{ e *exporter }

func (g gathering) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (g gathering) OnEnd(s sdk.ReadOnlySpan)                   { g.e.batch = append(g.e.batch, s) }
func (g gathering) Shutdown(context.Context) error             { return nil }
func (g gathering) ForceFlush(context.Context) error           { return nil }

// chosen gives spans the ids that were sent to upstreams already.
type chosen struct{}

type chosenIDs struct {
	trace trace.TraceID
	span  trace.SpanID
}

type chosenKey struct{}

func (chosen) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	ids := ctx.Value(chosenKey{}).(chosenIDs)
	return ids.trace, ids.span
}

func (chosen) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	return ctx.Value(chosenKey{}).(chosenIDs).span
}
