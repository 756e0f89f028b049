package config

import (
	"strings"
	"time"
)

// Upstream is a set of instances that serve the same.
type Upstream struct {
	At        At
	Name      string
	Text      string     // all of it but its place
	Endpoints []Endpoint // static ones
	Etcd      *Etcd      // where the others register; nil: there are no others
	Balance   Balance
	Connect   time.Duration // for a connection to be up
	Response  time.Duration // for a response to begin once the request is sent
	Idle      time.Duration // between parts of a response or of a tunnel
	Rate      int64         // bytes a second that a response must come at in the mean; 0: any
	Pool      Pool
	DNS       DNS           // of the endpoints that are host names
	Health    *Health       // nil: endpoints aren't checked
	Outliers  *Outliers     // nil: no endpoint is ejected
	TLS       *UpstreamTLS  // nil: as usual, with the endpoints that are https
	SlowStart time.Duration // until a new endpoint has its whole share; 0: it has at once
	Zone      string        // endpoints of this one are preferred; "": none are

	Kubernetes *Kubernetes // the Service whose endpoints are instances too; nil: none
	Consul     *Consul     // the service there whose instances are too; nil: none

	// Limits of what is sent to it, whatever the route. nil: none.
	Shed        *Shed
	Concurrency *Concurrency
	Breaker     *Breaker
}

// Endpoint is one static instance.
type Endpoint struct {
	At      At
	Address Address
	Weight  int
	Zone    string

	plain bool // it says itself that it has no TLS
}

// upstreamFields are what an upstream may hold.
var upstreamFields = []known[Upstream]{
	// `http://host:port`, `https://host:port`, `h2c://host:port`, `host:port` or `unix:/path`. Each
	// address of a host name is an endpoint.
	{"endpoints", func(u *Upstream, p place) {
		for _, item := range p.list() {
			u.readEndpoints(item)
		}
	}},
	// Endpoints that are registered in etcd, see [instances in etcd](etcd.md#instances-in-etcd). Value: fields.
	{"etcd", func(u *Upstream, p place) { u.Etcd = readEtcd(p) }},
	// The endpoints of a Service, see [endpoints of a Kubernetes
	// Service](kubernetes.md#endpoints-of-a-kubernetes-service).
	{"kubernetes", func(u *Upstream, p place) { u.Kubernetes = readKubernetes(p) }},
	// The instances of a service, see [services of Consul](consul.md#services-of-consul).
	{"consul", func(u *Upstream, p place) { u.Consul = readConsul(p) }},
	// How an endpoint is chosen: the one of two at random with fewer requests under way, in turn,
	// the faster of two at random, or by a hash. Default: `least-request`
	{"balance", func(u *Upstream, p place) { u.Balance = readBalance(p) }},
	// Until a connection is made.
	{"connect", func(u *Upstream, p place) { u.Connect = p.Duration(time.Millisecond, time.Minute) }},
	// Until a response begins.
	{"response", func(u *Upstream, p place) { u.Response = p.Duration(time.Millisecond, 24*time.Hour) }},
	// Between two parts of a response, and in a tunnel.
	{"idle", func(u *Upstream, p place) { u.Idle = p.Duration(100*time.Millisecond, 24*time.Hour) }},
	// The lowest mean rate at which a response must arrive, in bytes per second. Default: none
	{"rate", func(u *Upstream, p place) { u.Rate = p.size(0, 1<<30) }},
	// How host names are resolved. If a name can't be resolved any more its addresses are kept,
	// even when the configuration changes. A change with new names takes effect once these are
	// resolved, or after 2 s. [An address of the gateway
	// itself](upstreams.md#who-may-name-endpoints) is not used.
	{"dns", func(u *Upstream, p place) { readFields(p, &u.DNS, dnsFields) }},
	// Active health checks, as fields or as their path. An endpoint is taken out after some
	// failures in a row, and returns after some successes. Default: no checks
	{"health", func(u *Upstream, p place) { u.Health = readHealth(p) }},
	// An endpoint with so many failed requests in a row (5xx, no response, time-out) is taken out
	// for a while. Default: off
	{"outliers", func(u *Upstream, p place) { u.Outliers = readOutliers(p) }},
	// An endpoint that is new, or returns, starts with a tenth of its share and reaches all of it
	// after this time; not with `hash`. Default: none
	{"slow-start", func(u *Upstream, p place) { u.SlowStart = p.Duration(100*time.Millisecond, time.Hour) }},
	// Endpoints of this zone get all requests while five in seven of them are usable, and 1.4 times
	// their share when fewer are; the others get the rest. Not with `hash`. Default: the file's
	{"zone", func(u *Upstream, p place) { u.Zone = p.text() }},
	// As for a route, applied to everything that is sent to the upstream, see [limits](limits.md).
	{"shed", func(u *Upstream, p place) { u.Shed = readShed(p) }},
	// As for a route, applied to everything that is sent to the upstream.
	{"concurrency", func(u *Upstream, p place) { u.Concurrency = readConcurrency(p) }},
	// As for a route, applied to everything that is sent to the upstream.
	{"breaker", func(u *Upstream, p place) { u.Breaker = readBreaker(p) }},
	// TLS with all endpoints, see [TLS](tls.md). Default: for `https://` verified by the system's
	// authorities
	{"tls", func(u *Upstream, p place) { u.TLS = readUpstreamTLS(p) }},
	// Connections to each endpoint, for each event loop.
	{"pool", func(u *Upstream, p place) { readFields(p, &u.Pool, poolFields) }},
}

// NewUpstream is an upstream of that name with the defaults.
func NewUpstream(at At, name string) *Upstream {
	return &Upstream{
		At: at, Name: name, Connect: 2 * time.Second, Response: 60 * time.Second, Idle: 60 * time.Second,
		DNS: newDNS(), Balance: Balance{Bound: 1.25}, Pool: Pool{Streams: 100, Connections: 1024, Idle: 30 * time.Second, Age: 10 * time.Minute},
	}
}

func (c *Config) readUpstreams(p place) {
	for _, f := range p.fields() {
		u := NewUpstream(f.value.At(), f.key)
		u.Text = p.in.text(f.value.Node)
		wrong := f.value.below()
		if hint, message := checkUpstreamName(f.key); message != "" {
			f.named.Problem(hint, "%s", message)
		}
		if !f.value.IsMapping() {
			for _, item := range f.value.list() {
				u.readEndpoints(item)
			}
		} else {
			found := readFields(f.value, u, upstreamFields)
			if at, ok := found["slow-start"]; ok && u.Balance.Kind == Hash {
				at.Problem("remove it", "by a hash each key has its endpoint from the start, and slow-start would move keys twice")
			}
			if !u.discovered(found) {
				f.value.Problem(`add: endpoints: ["http://127.0.0.1:9001"]`, "the upstream has no endpoints")
			}
			if u.Kubernetes != nil {
				u.Kubernetes.check(wrong.in("kubernetes"))
			}
			u.linkTLS(p.in)
			u.linkConsul()
		}
		c.Upstreams = append(c.Upstreams, u)
	}
}

func checkUpstreamName(name string) (hint, message string) {
	if !isName(name) || strings.Contains(name, "://") {
		return "", "expected a name of letters, digits, dots and dashes, got " + form.Quote(name)
	}
	return "", ""
}

// discovered reports whether an upstream says where its instances are.
func (u *Upstream) discovered(found map[string]place) bool {
	for _, way := range []string{"endpoints", "etcd", "kubernetes", "consul"} {
		if _, ok := found[way]; ok {
			return true
		}
	}
	return false
}

// readEndpoints reads an endpoint: an address, or an address with its weight.
func (u *Upstream) readEndpoints(p place) {
	if !p.IsMapping() {
		u.readEndpoint(p, p.text())
		return
	}
	before := len(u.Endpoints)
	weight, zone := 1, ""
	readFields(p, u, []known[Upstream]{
		// The address. Default: required
		{"url", func(u *Upstream, p place) { u.readEndpoint(p, p.text()) }},
		// Its part of the requests. Default: `1`
		{"weight", func(_ *Upstream, p place) { weight = p.Integer(1, 1000) }},
		// Where it is. Default: none
		{"zone", func(_ *Upstream, p place) { zone = p.text() }},
	})
	if len(u.Endpoints) == before {
		p.Problem("such as {url: http://127.0.0.1:9001, weight: 2}", "the endpoint has no url")
		return
	}
	u.Endpoints[before].Weight, u.Endpoints[before].Zone = weight, zone
}

func (u *Upstream) readEndpoint(p place, text string) {
	if text == "" {
		return
	}
	a, err := ParseAddress(text)
	if err != nil {
		p.Problem("such as http://127.0.0.1:9001", "%v", err)
	}
	u.Endpoints = append(u.Endpoints, Endpoint{At: p.At(), Address: a, Weight: 1, plain: isPlain(text)})
}
