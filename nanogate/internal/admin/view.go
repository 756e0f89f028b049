//go:build linux

package admin

import (
	"strconv"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/stats"
	"dyno.example/nanogate/internal/upstream"
)

// Status is the state of the whole gateway.
type Status struct {
	Ready    bool     `json:"ready"`
	Draining bool     `json:"draining"`
	Config   string   `json:"config,omitempty"` // the file
	Listen   []string `json:"listen"`
	Clients  int      `json:"clients"`               // open connections
	Routes   int      `json:"routes"`                //
	Version  int      `json:"version"`               // of the configuration, from 1
	Problems []string `json:"problems,omitempty"`    // that keep routes from being served
	From     *Source  `json:"routes-from,omitempty"` // where routes come from that aren't the file's
}

// Figures are the counts of a route or an endpoint since it is there.
type Figures struct {
	Requests uint64            `json:"requests"`
	Status   map[string]uint64 `json:"status,omitempty"` // by class: "2xx"; "none" had no response
	Failed   map[string]uint64 `json:"failed,omitempty"` // by reason
	Retried  uint64            `json:"retried,omitempty"`
	Aimed    uint64            `json:"aimed,omitempty"`  // requests since the route has an objective
	Missed   uint64            `json:"missed,omitempty"` // of these, what took longer or failed
	P50      float64           `json:"p50_ms"`           // response times: ends of buckets a quarter of a power of two wide
	P99      float64           `json:"p99_ms"`
	P999     float64           `json:"p999_ms"`
	// Took is the number of response times in each bucket, see [stats.Upper]; only if
	// requested, to compute percentiles over an interval.
	Took map[int]uint64 `json:"took,omitempty"`
}

// Route is one route with its figures.
type Route struct {
	Name      string   `json:"name"`
	Priority  int      `json:"priority,omitempty"`
	Hosts     []string `json:"hosts,omitempty"`
	Path      string   `json:"path"`
	Methods   []string `json:"methods,omitempty"`
	To        []Target `json:"to,omitempty"`
	Redirect  int      `json:"redirect,omitempty"` // its status
	Respond   int      `json:"respond,omitempty"`  // in the same way
	Broken    bool     `json:"broken,omitempty"`   // it couldn't be built, and responds with 503
	Objective float64  `json:"objective_ms,omitempty"`
	Figures   Figures  `json:"figures"`

	Cache *RouteCache `json:"cache,omitempty"`
}

// Target is an upstream with its share of a route.
type Target struct {
	Upstream string `json:"upstream"`
	Weight   int    `json:"weight"`
}

// Upstream is one upstream with its endpoints.
type Upstream struct {
	Name      string     `json:"name"`
	Balance   string     `json:"balance"`
	Panic     bool       `json:"panic,omitempty"`   // no endpoint is available, so requests go to all (panic mode)
	Sources   []Source   `json:"sources,omitempty"` // where endpoints that aren't in the file come from
	Endpoints []Endpoint `json:"endpoints"`
}

// Source is where an upstream's endpoints come from.
type Source struct {
	From     string    `json:"from"`
	Live     bool      `json:"live"` // what it says is so now; else it is what was known last
	Since    time.Time `json:"since"`
	Stored   bool      `json:"stored,omitempty"` // it was kept on disk by an earlier run
	Read     time.Time `json:"read,omitzero"`    // and this is when it was so
	Revision int64     `json:"revision,omitempty"`
	Error    string    `json:"error,omitempty"`
	Wrong    []string  `json:"wrong,omitempty"` // what is no instance, and why
}

// Endpoint is one instance.
type Endpoint struct {
	Address string   `json:"address"`
	Weight  int      `json:"weight"`
	Zone    string   `json:"zone,omitempty"`
	Usable  bool     `json:"usable"`
	Marks   []string `json:"marks,omitempty"` // what speaks against it
	Active  int      `json:"active"`          // requests under way
	Figures Figures  `json:"figures"`
}

// statusOf describes the gateway.
func statusOf(g *gateway.Gateway) Status {
	s := g.Snapshot()
	v := Status{Draining: g.Proxy().Draining(), Config: s.Config.Path, Clients: g.Proxy().Clients(), Routes: len(s.Routes), Version: g.Version()}
	v.Ready = !v.Draining
	for _, at := range g.Addresses() {
		v.Listen = append(v.Listen, at.String())
	}
	v.Problems = g.Problems()
	if s, ok := g.RoutesFrom(); ok {
		from := sourceOf(s)
		v.From = &from
	}
	return v
}

// routesOf describes the routes, in the order of the file.
func routesOf(s *snapshot.Snapshot, histograms bool) []Route {
	all := make([]Route, 0, len(s.Routes))
	for _, r := range s.Routes {
		c := r.Config
		v := Route{Name: r.Name, Priority: c.Priority, Hosts: c.Match.Hosts, Path: c.Match.Path.Text, Methods: c.Match.Methods,
			Broken: r.Broken != nil, Objective: ms(c.Objective), Figures: figuresOf(r.Counters, histograms), Cache: routeCacheOf(r)}
		if c.Redirect != nil {
			v.Redirect = c.Redirect.Status
		}
		if c.Respond != nil {
			v.Respond = c.Respond.Status
		}
		for i := range c.To {
			v.To = append(v.To, Target{targetName(&c.To[i]), c.To[i].Weight})
		}
		all = append(all, v)
	}
	return all
}

func targetName(t *config.Target) string {
	if t.Direct != nil {
		return t.Direct.Name
	}
	return t.Upstream
}

// upstreamsOf describes the upstreams, in the order of the file.
func upstreamsOf(s *snapshot.Snapshot, histograms bool) []Upstream {
	all := make([]Upstream, 0, len(s.Upstreams))
	for _, u := range s.Upstreams {
		set := u.Set()
		v := Upstream{Name: u.Name, Balance: u.Config.Balance.Kind.String(), Panic: set.Panic, Endpoints: make([]Endpoint, 0, len(set.All))}
		v.Sources = sourcesOf(u.Upstream)
		for _, e := range set.All {
			v.Endpoints = append(v.Endpoints, Endpoint{Address: e.Name, Weight: int(e.Weight.Load()), Zone: e.Zone, Usable: e.Usable(),
				Marks: marksOf(e.Marks()), Active: e.Under(), Figures: figuresOf(e.Counters, histograms)})
		}
		all = append(all, v)
	}
	return all
}

// sourcesOf describes an upstream's sources that report a state.
func sourcesOf(u *upstream.Upstream) (all []Source) {
	for _, s := range u.Statuses() {
		all = append(all, sourceOf(s))
	}
	return all
}

func sourceOf(s upstream.SourceStatus) Source {
	return Source{s.From, s.Live, s.Since, s.Stored, s.Read, s.Revision, s.Err, s.Wrong}
}

// markNames are what speaks against an endpoint, by its bit.
var markNames = []string{"unhealthy", "ejected", "drained", "starting"}

func marksOf(m upstream.Mark) (names []string) {
	for bit, name := range markNames {
		if m&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func figuresOf(c *stats.Counters, histograms bool) Figures {
	f := c.Read()
	v := Figures{Requests: f.Requests, Retried: f.Retried, Aimed: f.Aimed, Missed: f.Missed, P50: ms(f.Took.Quantile(0.5)), P99: ms(f.Took.Quantile(0.99)), P999: ms(f.Took.Quantile(0.999))}
	if histograms {
		v.Took = map[int]uint64{}
		for bucket, n := range f.Took.Buckets {
			if n > 0 {
				v.Took[bucket] = n
			}
		}
	}
	for class, n := range f.Status {
		if n > 0 {
			if v.Status == nil {
				v.Status = map[string]uint64{}
			}
			v.Status[className(class)] = n
		}
	}
	for why, n := range f.Failed {
		if n > 0 {
			if v.Failed == nil {
				v.Failed = map[string]uint64{}
			}
			v.Failed[request.Failure(why).String()] = n
		}
	}
	return v
}

// className names the hundreds of a status.
func className(class int) string {
	if class == 0 {
		return "none"
	}
	return strconv.Itoa(class) + "xx"
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
