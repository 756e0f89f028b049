package gateway

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

// Around is what is done before and after a request is passed on, one function for each
// thing, so that each framework calls them in its own middlewares.
type Around struct {
	settings *Settings
	counted  *prometheus.CounterVec
	timed    *prometheus.HistogramVec
	tracer   trace.Tracer
	room     chan struct{} // nil: as many as come
	limits   sync.Map      // client → *rate.Limiter
	leaked   chan struct{} // on which nobody sends
}

// NewAround makes what the settings ask for.
func NewAround(s *Settings) *Around {
	a := &Around{settings: s, leaked: make(chan struct{})}
	if s.Shed > 0 {
		a.room = make(chan struct{}, s.Shed)
	}
	if s.Metrics {
		a.counted = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gateway_requests_total"}, []string{"route", "method", "code"})
		a.timed = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gateway_request_duration_seconds"}, []string{"route", "method"})
		prometheus.MustRegister(a.counted, a.timed)
		// Spans are made, kept in batches and given to nobody: what sending them would
		// take in addition depends on who takes them.
		a.tracer = sdk.NewTracerProvider(sdk.WithBatcher(nobody{})).Tracer("gateway")
	}
	return a
}

// nobody takes spans.
type nobody struct{}

func (nobody) ExportSpans(context.Context, []sdk.ReadOnlySpan) error { return nil }
func (nobody) Shutdown(context.Context) error                        { return nil }

// Observed reports whether requests are to be observed.
func (a *Around) Observed() bool { return a.settings.Metrics }

// Observe begins to observe a request. end is called with its status when its response is out.
func (a *Around) Observe(r *http.Request, route string) (observed *http.Request, end func(status int)) {
	began := time.Now()
	ctx, span := a.tracer.Start(r.Context(), route, trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), func(status int) {
		a.counted.WithLabelValues(route, r.Method, strconv.Itoa(status)).Inc()
		a.timed.WithLabelValues(route, r.Method).Observe(time.Since(began).Seconds())
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		span.End()
	}
}

// Admit reports whether there is room for a request; leave is called when it has ended,
// if there was.
func (a *Around) Admit(r *http.Request) (leave func(), ok bool) {
	if a.settings.Limit > 0 && !a.limiter(r).Allow() {
		return nil, false
	}
	if a.room == nil {
		return func() {}, true
	}
	select {
	case a.room <- struct{}{}:
		return func() { <-a.room }, true
	default:
		return nil, false
	}
}

func (a *Around) limiter(r *http.Request) *rate.Limiter {
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	if l, ok := a.limits.Load(client); ok {
		return l.(*rate.Limiter)
	}
	l, _ := a.limits.LoadOrStore(client, rate.NewLimiter(rate.Limit(a.settings.Limit), int(a.settings.Limit)))
	return l.(*rate.Limiter)
}

// Bound gives a request its time limit. cancel is called when it has ended.
func (a *Around) Bound(r *http.Request) (bound *http.Request, cancel context.CancelFunc) {
	if a.settings.Timeout == 0 {
		return r, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.settings.Timeout)
	return r.WithContext(ctx), cancel
}

// Audit is the mistake that the leak is about: a goroutine that was to write the request
// down when told to, is never told, and keeps the context, and with it the request.
func (a *Around) Audit(r *http.Request) {
	if !a.settings.Leak {
		return
	}
	ctx := context.WithValue(r.Context(), audited{}, r)
	go func() {
		<-a.leaked
		audit(ctx)
	}()
}

type audited struct{}

//go:noinline
func audit(ctx context.Context) { _ = ctx.Value(audited{}) }
