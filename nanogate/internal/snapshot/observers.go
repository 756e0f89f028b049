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

// Looks is who looks on at all routes: one of each for a gateway, as long as it goes on,
// whatever the configuration says of them later. Routes that aren't observed don't have
// them.
type Looks struct {
	Log    *accesslog.Log  // nil: there was none yet
	Tracer *tracing.Tracer // nil: there was none yet
}

// configure has them do what the configuration says.
func (l *Looks) configure(c *config.Config, loops int, log *slog.Logger) {
	log = cmp.Or(log, slog.Default())
	switch {
	case c.AccessLog == nil:
	case l.Log == nil:
		l.Log = accesslog.New(c.AccessLog, loops, log)
	default:
		l.Log.Configure(c.AccessLog)
	}
	switch {
	case c.Trace == nil:
	case l.Tracer == nil:
		l.Tracer = tracing.New(c.Trace, log)
	default:
		l.Tracer.Configure(c.Trace)
	}
}

// Close writes and exports what there is, and ends it.
func (l *Looks) Close() {
	if l.Log != nil {
		l.Log.Close()
	}
	if l.Tracer != nil {
		l.Tracer.Close()
	}
}

// looked is what a route has of what stands at the top of the file: who looks on, what
// is taken out of its requests, and what they pass through.
type looked struct {
	log, trace bool
	identity   string
	logins     string // whose cookies are kept from upstreams
	use        string
	plugins    string // that it uses, what the file says of them
}

func lookedOf(c *config.Config, r *config.Route) looked {
	return looked{c.AccessLog != nil && !r.NoLog, c.Trace != nil && !r.NoTrace, c.IdentityText, c.LoginText, c.UseText, pluginsOf(c, r)}
}

// observers makes a route's. Who traces comes first, so that the log can name the trace.
func (l *Looks) observers(of looked, r *config.Route, counters *stats.Counters) (all []observe.Observer) {
	if of.trace {
		all = append(all, &tracing.Route{Tracer: l.Tracer, Name: r.Name, Pattern: r.Match.Path.Text, Counters: counters})
	}
	if of.log {
		all = append(all, &accesslog.Route{Log: l.Log, Name: r.Name})
	}
	return all
}

// checkLooks says what is wrong with what a configuration asks for there.
func checkLooks(c *config.Config) (problems config.Problems) {
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
	r.Observers = m.b.Looks.observers(lookedOf(c, r.Config), r.Config, r.Counters)
	return r
}
