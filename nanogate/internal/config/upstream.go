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
	Health    *Health       // nil: nobody asks
	Outliers  *Outliers     // nil: nobody is left alone
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
	{"endpoints", func(u *Upstream, p place) {
		for _, item := range p.list() {
			u.readEndpoints(item)
		}
	}},
	{"etcd", func(u *Upstream, p place) { u.Etcd = readEtcd(p) }},
	{"kubernetes", func(u *Upstream, p place) { u.Kubernetes = readKubernetes(p) }},
	{"consul", func(u *Upstream, p place) { u.Consul = readConsul(p) }},
	{"balance", func(u *Upstream, p place) { u.Balance = readBalance(p) }},
	{"connect", func(u *Upstream, p place) { u.Connect = p.Duration(time.Millisecond, time.Minute) }},
	{"response", func(u *Upstream, p place) { u.Response = p.Duration(time.Millisecond, 24*time.Hour) }},
	{"idle", func(u *Upstream, p place) { u.Idle = p.Duration(100*time.Millisecond, 24*time.Hour) }},
	{"rate", func(u *Upstream, p place) { u.Rate = p.size(0, 1<<30) }},
	{"dns", func(u *Upstream, p place) { readFields(p, &u.DNS, dnsFields) }},
	{"health", func(u *Upstream, p place) { u.Health = readHealth(p) }},
	{"outliers", func(u *Upstream, p place) { u.Outliers = readOutliers(p) }},
	{"slow-start", func(u *Upstream, p place) { u.SlowStart = p.Duration(100*time.Millisecond, time.Hour) }},
	{"zone", func(u *Upstream, p place) { u.Zone = p.text() }},
	{"shed", func(u *Upstream, p place) { u.Shed = readShed(p) }},
	{"concurrency", func(u *Upstream, p place) { u.Concurrency = readConcurrency(p) }},
	{"breaker", func(u *Upstream, p place) { u.Breaker = readBreaker(p) }},
	{"tls", func(u *Upstream, p place) { u.TLS = readUpstreamTLS(p) }},
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
	known := upstreamFields
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
			found := readFields(f.value, u, known)
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
		{"url", func(u *Upstream, p place) { u.readEndpoint(p, p.text()) }},
		{"weight", func(_ *Upstream, p place) { weight = p.Integer(1, 1000) }},
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
