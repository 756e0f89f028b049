//go:build linux

package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"dyno.example/nanogate/internal/collector"
	"dyno.example/nanogate/internal/config"
)

const (
	pushWithin  = 10 * time.Second // for all messages of a push
	closeWithin = time.Second
	saidEvery   = time.Minute // that the collector is away
)

// Pusher tells a collector a gateway's figures now and then, by OTLP. It has a
// goroutine of its own, and loops know nothing of it. There is one push at a time, and no
// queue: counts go on from one push to the next, so that one that is lost costs nothing
// but resolution.
type Pusher struct {
	g        Gateway
	log      *slog.Logger
	settings atomic.Pointer[config.Metrics] // nil: nothing is pushed
	wake     chan struct{}                  // they have changed

	start, end sync.Once
	ctx        context.Context
	stop       context.CancelFunc // of what is sent
	closing    chan struct{}
	done       chan struct{} // nil until there is a goroutine

	on              atomic.Bool
	written, failed atomic.Uint64
}

// Counts are pushes.
type Counts struct {
	On              bool // there ever was a collector to push to
	Written, Failed uint64
}

// NewPusher makes one that pushes nothing yet.
func NewPusher(g Gateway, log *slog.Logger) *Pusher {
	p := &Pusher{g: g, log: log, wake: make(chan struct{}, 1), closing: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Counts returns how many pushes became what.
func (p *Pusher) Counts() Counts {
	return Counts{On: p.on.Load(), Written: p.written.Load(), Failed: p.failed.Load()}
}

// Configure changes where figures are pushed to; nil: nowhere. It doesn't wait for a
// push that is under way. It isn't called beside itself or [Pusher.Close].
func (p *Pusher) Configure(c *config.Metrics) {
	if before := p.settings.Swap(c); c == nil && before == nil || c != nil && before != nil && sameSettings(c, before) {
		return
	}
	if c != nil {
		p.on.Store(true)
		p.start.Do(func() {
			p.done = make(chan struct{})
			go p.run()
		})
	}
	select {
	case p.wake <- struct{}{}:
	default: // it hasn't looked yet
	}
}

func sameSettings(a, b *config.Metrics) bool {
	return a.OTLP == b.OTLP && a.Every == b.Every && a.Service == b.Service && a.Headers == b.Headers
}

// Close pushes once more, for a second at most, and ends. It may be called again.
func (p *Pusher) Close() {
	defer p.stop()
	if p.done == nil {
		return
	}
	p.end.Do(func() { close(p.closing) })
	select {
	case <-p.done:
	case <-time.After(closeWithin):
		p.stop()
		<-p.done
	}
}

// run pushes until the pusher is closed.
func (p *Pusher) run() {
	defer close(p.done)
	var to *destination
	defer func() { to.close() }()
	due := time.NewTimer(0)
	due.Stop()
	for {
		select {
		case <-p.wake:
			to.close()
			c := p.settings.Load()
			if to = p.open(c); to == nil {
				due.Stop()
				continue
			}
			due.Reset(c.Every)
		case <-due.C:
			p.push(to)
			due.Reset(to.every)
		case <-p.closing:
			select {
			case <-p.wake: // the settings may have changed just before
				to.close()
				to = p.open(p.settings.Load())
			default:
			}
			p.push(to)
			return
		}
	}
}

// destination is a collector.
type destination struct {
	client   collector.MetricExporter
	resource *resource.Resource
	every    time.Duration
	said     time.Time // when its absence was logged last
}

// open makes what pushes by settings; nil: nothing is pushed.
func (p *Pusher) open(c *config.Metrics) *destination {
	if c == nil {
		return nil
	}
	client, err := collector.Metrics(p.ctx, c, pushWithin)
	if err != nil {
		p.log.Error("metrics can't be pushed", "error", err)
		return nil
	}
	// Senders of the same series must be distinct (semantic conventions,
	// service.instance.id): also the old process and the new one of an upgrade.
	host, _ := os.Hostname()
	return &destination{client: client, every: c.Every, resource: resource.NewSchemaless(
		attribute.String("service.name", c.Service),
		attribute.String("service.instance.id", fmt.Sprintf("%s:%d", host, os.Getpid())))}
}

// close ends it; it may be nil.
func (d *destination) close() {
	if d != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
		defer cancel()
		_ = d.client.Shutdown(ctx)
	}
}

// push sends all metrics to the collector.
func (p *Pusher) push(to *destination) {
	if to == nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, pushWithin)
	defer cancel()
	for _, metrics := range messagesOf(p.g, time.Now()) {
		err := to.client.Export(ctx, &metricdata.ResourceMetrics{Resource: to.resource, ScopeMetrics: []metricdata.ScopeMetrics{{
			Scope: instrumentation.Scope{Name: "dyno.example/nanogate/internal/metrics"}, Metrics: metrics,
		}}})
		if err == nil {
			continue
		}
		p.failed.Add(1)
		if now := time.Now(); now.Sub(to.said) > saidEvery {
			to.said = now
			p.log.Warn("the collector doesn't take metrics", "error", err)
		}
		return
	}
	p.written.Add(1)
}
