package nano

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"dyno.example/nano/wire/clock"
)

// Each route has two chains of handlers: one without clocks, and, once timing has been
// switched on, one with a clock between any two. Which one serves is decided once per
// request, so timing costs nothing while it is off.

// timing is whether and how the middleware of an app's routes is timed.
type timing struct {
	on   atomic.Bool
	mu   sync.Mutex
	made bool // routes have their timed chains
}

// routeTimes is a route's timed chain and what it has found.
type routeTimes struct {
	serve   Handler
	layers  []layerTimes
	handler Histogram
}

// layerTimes is what one middleware took.
type layerTimes struct{ in, out Histogram }

// marks is how far a timed request has come. It is part of the exchange, so it
// goes where the handler goes, on the loop or off it.
type marks struct {
	at    int64 // when the last layer was entered or left
	layer int   // which was entered; -1 once it was left
}

// Timing switches the timing of middleware on or off, also while the app serves.
// On, it costs two readings of the clock per middleware and two per handler;
// off, nothing. Middleware is wrapped around handlers a second time when timing
// is first switched on: what a middleware keeps inside the function that wraps
// is then there twice. Each figure keeps a [Histogram] of 2 KiB: two per
// middleware of each route, and one for its handler.
//
// Figures are kept when timing is switched off, and added to when it is switched
// on again.
func (a *App) Timing(on bool) {
	t := &a.routes.timing
	t.mu.Lock()
	defer t.mu.Unlock()
	if on && !t.made {
		for _, r := range a.routes.all {
			r.compileTimed()
		}
		t.made = true
	}
	t.on.Store(on)
}

// added makes the timed chain of a route that was registered after timing was
// switched on.
func (t *timing) added(r *Route) {
	if t.made {
		r.compileTimed()
	}
}

// chain returns the chain that serves a request.
func (t *timing) chain(r *Route) Handler {
	if t.on.Load() {
		return r.times.Load().serve
	}
	return r.serve
}

// compileTimed wraps the handler in its middleware with a clock around each.
func (r *Route) compileTimed() {
	t := &routeTimes{layers: make([]layerTimes, len(r.layers))}
	t.serve = t.clocked(len(r.layers), &t.handler, nil, r.handler)
	for i := len(r.layers) - 1; i >= 0; i-- {
		t.serve = t.clocked(i, &t.layers[i].in, &t.layers[i].out, r.layers[i].wrap(t.serve))
	}
	r.times.Store(t)
}

// clocked returns h with the clock read before and after. Its time until the
// layer inside is entered goes to in, that after the layer inside was left to
// out; all of it to in if it doesn't call what is inside. A panic leaves the
// request out.
func (t *routeTimes) clocked(i int, in, out *Histogram, h Handler) Handler {
	var outer *Histogram // gets what the layer outside took on the way in
	if i > 0 {
		outer = &t.layers[i-1].in
	}
	return func(c Ctx) error {
		m := &c.x.marks
		entered := clock.Now()
		if outer != nil {
			outer.record(entered - m.at)
		}
		m.at, m.layer = entered, i
		err := h(c)
		left := clock.Now()
		if m.layer == i {
			in.record(left - entered)
		} else {
			out.record(left - m.at)
		}
		m.at, m.layer = left, -1
		return err
	}
}

// RouteTimes is what the middleware and the handler of a route took while timing
// was on.
type RouteTimes struct {
	Route   string       `json:"route"` // its name
	Layers  []LayerTimes `json:"middleware"`
	Handler Times        `json:"handler"`
}

// LayerTimes is what one middleware took, without what is inside it.
type LayerTimes struct {
	Name string        `json:"name"`
	Wrap time.Duration `json:"wrap_ns"` // once, when the route was registered
	In   Times         `json:"in"`      // from its start to its call of what is inside, or to its end
	Out  Times         `json:"out"`     // from the return of what is inside to its end
}

// Times sums a histogram up.
type Times struct {
	Count uint64        `json:"count"`
	Mean  time.Duration `json:"mean_ns"`
	P50   time.Duration `json:"p50_ns"`
	P90   time.Duration `json:"p90_ns"`
	P99   time.Duration `json:"p99_ns"`
	P999  time.Duration `json:"p99.9_ns"`

	histogram *Histogram
}

// Quantile returns the duration that the share q (0 to 1) don't exceed, as of
// now.
func (t Times) Quantile(q float64) time.Duration {
	if t.histogram == nil {
		return 0
	}
	return t.histogram.Quantile(q)
}

func timesOf(h *Histogram) Times {
	return Times{
		Count: h.Count(), Mean: h.Mean(), histogram: h,
		P50: h.Quantile(0.5), P90: h.Quantile(0.9), P99: h.Quantile(0.99), P999: h.Quantile(0.999),
	}
}

// Timings returns what has been timed, by route, in the order of registration.
// Routes are listed without figures until [App.Timing] has been switched on.
func (a *App) Timings() []RouteTimes {
	all := make([]RouteTimes, 0, len(a.routes.all))
	for _, r := range a.routes.all {
		all = append(all, r.timings())
	}
	return all
}

func (r *Route) timings() RouteTimes {
	report := RouteTimes{Route: r.Name(), Layers: make([]LayerTimes, len(r.layers))}
	t := r.times.Load()
	for i, l := range r.layers {
		report.Layers[i] = LayerTimes{Name: l.name, Wrap: l.wrapTime}
		if t != nil {
			report.Layers[i].In, report.Layers[i].Out = timesOf(&t.layers[i].in), timesOf(&t.layers[i].out)
		}
	}
	if t != nil {
		report.Handler = timesOf(&t.handler)
	}
	return report
}

// TimingHandler responds with the app's [App.Timings]: as JSON, or with ?format=text as
// a table. It shows the names of routes and middleware: mount it where only operators
// can reach it.
func TimingHandler() Handler {
	return func(c Ctx) error {
		a := c.live().app
		if string(c.RawQuery()) != "format=text" {
			return c.JSON(200, a.Timings())
		}
		var b bytes.Buffer
		if err := a.WriteTimings(&b); err != nil {
			return err
		}
		return c.Bytes(200, "text/plain; charset=utf-8", b.Bytes())
	}
}

// WriteTimings writes the routes that were timed as a table.
func (a *App) WriteTimings(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ROUTE\tPART\tCOUNT\tMEAN\tP50\tP99\tP99.9")
	for _, r := range a.Timings() {
		if r.Handler.Count == 0 && (len(r.Layers) == 0 || r.Layers[0].In.Count == 0) {
			continue
		}
		for _, l := range r.Layers {
			writeTimes(t, r.Route, l.Name+" in", l.In)
			writeTimes(t, r.Route, l.Name+" out", l.Out)
		}
		writeTimes(t, r.Route, "handler", r.Handler)
	}
	return t.Flush()
}

func writeTimes(w io.Writer, route, part string, t Times) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%v\t%v\t%v\t%v\n", route, part, t.Count, t.Mean, t.P50, t.P99, t.P999)
}

// Histogram counts durations in log-linear buckets: eight to each power of two,
// so a quantile is off by at most 1/16 of its value. Durations above 137 s count
// as 137 s. Any number of goroutines may use it. The zero value is empty.
type Histogram struct {
	sum    atomic.Int64 // ns
	counts [histogramBuckets]atomic.Uint64
}

const (
	bucketBits       = 3  // 8 buckets to a power of two
	histogramTop     = 37 // 2^37 ns
	histogramBuckets = (histogramTop - bucketBits + 1) << bucketBits
)

// bucketOf returns the bucket of a duration: below 8 ns one for each, above that
// by its highest bit and the three after it.
func bucketOf(ns int64) int {
	if ns < 0 {
		return 0
	}
	octave := bits.Len64(uint64(ns)) - bucketBits - 1
	if octave < 0 {
		return int(ns)
	}
	return min(octave<<bucketBits+int(ns>>octave), histogramBuckets-1)
}

// bucketBounds returns the first duration of a bucket and the first above it.
func bucketBounds(i int) (from, to int64) {
	octave := max(i>>bucketBits-1, 0)
	base := int64(i - octave<<bucketBits)
	return base << octave, (base + 1) << octave
}

func (h *Histogram) record(ns int64) {
	h.counts[bucketOf(ns)].Add(1)
	h.sum.Add(max(ns, 0))
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() uint64 {
	var n uint64
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// Mean returns the mean duration; 0 if there is none.
func (h *Histogram) Mean() time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	return time.Duration(h.sum.Load() / int64(n))
}

// Quantile returns the duration that the share q (0 to 1) of all don't exceed,
// as the middle of its bucket; 0 if there is none.
func (h *Histogram) Quantile(q float64) time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	rank := uint64(q * float64(n))
	rank = min(max(rank, 0), n-1)
	for i := range h.counts {
		c := h.counts[i].Load()
		if rank < c {
			from, to := bucketBounds(i)
			return time.Duration(from + (to-from)/2)
		}
		rank -= c
	}
	return 0 // records that came in between can't take any away
}
