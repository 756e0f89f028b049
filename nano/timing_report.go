package nano

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

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

// TimingHandler responds with the app's [App.Timings]: as JSON, or with
// ?format=text as a table. It shows the names of routes and middleware: mount it
// where only those who run the service can ask.
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
