package snapshot

import (
	"cmp"
	"log/slog"

	"dyno.example/nanogate/internal/accesslog"
	"dyno.example/nanogate/internal/collector"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/observe"
	"dyno.example/nanogate/internal/stats"
	"dyno.example/nanogate/internal/tracing"
)

// Telemetry is what observes all routes: one of each for a gateway, for as long as it runs,
// whatever the configuration says of them later. Routes that aren't observed don't have
// them.
type Telemetry struct {
	Log    *accesslog.Log  // nil: there was none yet
	Tracer *tracing.Tracer // nil: there was none yet
}

// configure has them do what the configuration says.
func (t *Telemetry) configure(c *config.Config, loops int, log *slog.Logger) {
	log = cmp.Or(log, slog.Default())
	switch {
	case c.AccessLog == nil:
	case t.Log == nil:
		t.Log = accesslog.New(c.AccessLog, loops, log)
	default:
		t.Log.Configure(c.AccessLog)
	}
	switch {
	case c.Trace == nil:
	case t.Tracer == nil:
		t.Tracer = tracing.New(c.Trace, log)
	default:
		t.Tracer.Configure(c.Trace)
	}
}

// Close writes and exports what there is, and ends it.
func (t *Telemetry) Close() {
	if t.Log != nil {
		t.Log.Close()
	}
	if t.Tracer != nil {
		t.Tracer.Close()
	}
}

// topLevel is what of the file's top level a route depends on: whether it is observed, which
// fields are removed from its requests, and what these pass through.
type topLevel struct {
	log, trace bool
	identity   string
	logins     string // whose cookies are kept from upstreams
	use        string
	plugins    string // that it uses, what the file says of them
}

func topLevelOf(c *config.Config, r *config.Route) topLevel {
	return topLevel{c.AccessLog != nil && !r.NoLog, c.Trace != nil && !r.NoTrace, c.IdentityText, c.LoginText, c.UseText, pluginsOf(c, r)}
}

// observers makes a route's. Who traces comes first, so that the log can name the trace.
func (t *Telemetry) observers(of topLevel, r *config.Route, counters *stats.Counters) (all []observe.Observer) {
	if of.trace {
		all = append(all, &tracing.Route{Tracer: t.Tracer, Name: r.Name, Pattern: r.Match.Path.Text, Counters: counters})
	}
	if of.log {
		all = append(all, &accesslog.Route{Log: t.Log, Name: r.Name})
	}
	return all
}

// checkTelemetry says what is wrong with what a configuration asks for there.
func checkTelemetry(c *config.Config) (problems config.Problems) {
	if c.AccessLog != nil {
		if err := accesslog.Check(c.AccessLog); err != nil {
			problems = append(problems, c.AccessLog.At.Problem("", "%v", err))
		}
	}
	if c.Trace != nil {
		if err := tracing.Check(c.Trace); err != nil {
			problems = append(problems, c.Trace.At.Problem("", "%v", err))
		}
	}
	if c.Metrics != nil {
		if _, err := collector.Headers(c.Metrics.Headers); err != nil {
			problems = append(problems, c.Metrics.At.Problem("", "metrics: %v", err))
		}
	}
	return problems
}

// unrouted makes the route that stands for requests that none was found for.
func (m *making) unrouted(c *config.Config) *Route {
	r := &Route{Name: "unrouted", Config: &config.Route{Name: "unrouted", Body: -1}}
	var before *Route
	if m.before != nil {
		before = m.before.Unrouted
	}
	r.count(m, before)
	r.Observers = m.b.Telemetry.observers(topLevelOf(c, r.Config), r.Config, r.Counters)
	return r
}
