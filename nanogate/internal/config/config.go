// Package config is the gateway's configuration file: what it may say, as plain data,
// and a reader that finds everything that is wrong with it, each with its place. It
// opens nothing but the file itself.
//
// What a file may hold at each level is a table of names and readers ([topFields],
// routeFields, upstreamFields): a new part is a file with its type and its reader, and
// a row.
package config

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Config is a whole configuration. It isn't changed after it was read.
type Config struct {
	Path         string // the file; "" if there is none
	Dir          string // where relative paths in it start from
	Source       []byte // that it was read from; nobody changes it
	Listen       []Listener
	ToHTTPS      []ToHTTPS // those of Listen whose clients are sent elsewhere
	TLS          *TLS      // of listeners that have none of their own; nil: none
	Admin        Admin
	Trust        []netip.Prefix // proxies before the gateway whose forwarding fields are believed
	Explain      []netip.Prefix // who may ask what becomes of a request
	Certificates bool           // so is what they say of clients' certificates
	Forwarded    Forwarded
	Paths        Paths
	Identity     []string     // fields that say who somebody is, in lower case: taken out of what clients send
	IdentityText string       // all of them
	Logins       []OIDCClient // of all routes, each once
	LoginText    string       // the names of their sessions' cookies
	Use          []Use        // middleware of all routes, before their own
	UseText      string       // all of that
	Zone         string       // of the gateway; "": unknown
	Ready        string       // path that says whether the gateway is ready, before any route; "": none
	Overload     Overload
	Cache        Cache
	Caches       bool // a route stores responses
	Client       Client
	AccessLog    *AccessLog // nil: none
	Trace        *Trace     // nil: none
	Metrics      *Metrics   // that are pushed; nil: none
	Plugins      []*Plugin
	Routes       []*Route
	Sums         []Sum // of Routes, in their order
	Upstreams    []*Upstream
	Kubernetes   *KubernetesRoutes // where there are more of both; nil: nowhere

	top   []Named                         // the other fields at the top
	added struct{ routes, upstreams int } // that aren't the file's, and come last
}

// Paths says what is kept in paths, not refused, although servers read it in two ways.
type Paths struct {
	Slashes    bool // escaped slashes and backslashes
	Parameters bool // what follows a semicolon in a segment
}

// Forwarded says which fields tell an upstream who the client is.
type Forwarded uint8

const (
	ForwardedX    Forwarded = iota // X-Forwarded-For, -Proto and -Host
	ForwardedRFC                   // Forwarded (RFC 7239)
	ForwardedBoth                  // all of them
	ForwardedOff                   // none; what untrusted clients send is removed all the same
)

var forwardedNames = []string{"x", "rfc7239", "both", "off"}

// newConfig has the defaults.
func newConfig(path string) *Config {
	return &Config{Path: path, Identity: identityFields, Cache: Cache{Size: 64 << 20, Object: 1 << 20}, Client: Client{
		Head: 16 << 10, URI: 8 << 10, Fields: 100, Connections: 65536,
		Handshake: 10 * time.Second, Handshakes: 1024,
		ReadHead: 10 * time.Second, ReadBody: 30 * time.Second, Idle: 75 * time.Second, Write: 30 * time.Second,
		Drain: 30 * time.Second, Rate: 100,
	}}
}

// topFields are what a file may hold.
var topFields = []known[Config]{
	{"listen", (*Config).readListen},
	{"tls", func(c *Config, p place) { c.TLS = readTLS(p) }},
	{"admin", func(c *Config, p place) { c.Admin = readAdmin(p) }},
	{"trust", func(c *Config, p place) {
		for _, item := range p.list() {
			c.Trust = append(c.Trust, item.prefix())
		}
	}},
	{"trust-certificates", func(c *Config, p place) { c.Certificates = p.Boolean() }},
	{"forwarded", func(c *Config, p place) {
		c.Forwarded = Forwarded(max(0, indexOf(forwardedNames, p.word(forwardedNames...))))
	}},
	{"explain", func(c *Config, p place) {
		for _, item := range p.list() {
			c.Explain = append(c.Explain, item.prefix())
		}
	}},
	{"escaped-slashes", func(c *Config, p place) { c.Paths.Slashes = p.word("refuse", "keep") == "keep" }},
	{"path-parameters", func(c *Config, p place) { c.Paths.Parameters = p.word("refuse", "keep") == "keep" }},
	{"identity", func(c *Config, p place) { c.Identity = readIdentityNames(p) }},
	{"use", func(c *Config, p place) { c.Use, c.UseText = readUses(p), p.in.text(p.Node) }},
	{"zone", func(c *Config, p place) { c.Zone = p.text() }},
	{"ready", func(c *Config, p place) { c.Ready = readHealthPath(p) }},
	{"overload", func(c *Config, p place) { readFields(p, &c.Overload, overloadFields) }},
	{"cache", (*Config).readCache},
	{"client", func(c *Config, p place) { readFields(p, &c.Client, clientFields) }},
	{"access-log", func(c *Config, p place) { c.AccessLog = readAccessLog(p) }},
	{"trace", func(c *Config, p place) { c.Trace = readTrace(p) }},
	{"metrics", func(c *Config, p place) { c.Metrics = readMetrics(p) }},
	{"kubernetes", func(c *Config, p place) { c.Kubernetes = readKubernetesRoutes(p) }},
	{"plugins", (*Config).readPlugins},
	{"routes", (*Config).readRoutes},
	{"upstreams", (*Config).readUpstreams},
}

// read reads the file's top level.
func (c *Config) read(root place) {
	found := readFields(root, c, topFields)
	if _, ok := found["routes"]; !ok && root.IsMapping() && c.Kubernetes == nil {
		root.Problem(`add: routes: [{match: {path: "/*"}, to: http://127.0.0.1:9000}]`, "there are no routes")
	}
	if _, ok := found["listen"]; !ok && root.IsMapping() {
		root.Problem("add: listen: 127.0.0.1:8080", "there is no address to listen on")
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name != "routes" && name != "upstreams" {
			c.top = append(c.top, Named{name, found[name].Node.Line, root.in.text(found[name].Node)})
		}
	}
	c.link(root.in)
}

// link holds the file's parts against each other.
func (c *Config) link(in *input) {
	c.linkListeners(in)
	c.linkToHTTPS(in)
	c.linkSecrets(in)
	c.linkACME(in)
	c.linkMTLS(in)
	c.linkOIDC(in)
	c.linkRoutes(in, c.Routes, c.Upstreams)
}

// linkRoutes holds routes and upstreams of the configuration against the rest of it.
func (c *Config) linkRoutes(in *input, routes []*Route, upstreams []*Upstream) {
	for _, u := range upstreams {
		if u.Zone == "" {
			u.Zone = c.Zone
		}
	}
	names := make([]string, 0, len(c.Upstreams))
	byName := make(map[string]*Upstream, len(c.Upstreams))
	for _, u := range c.Upstreams {
		names = append(names, u.Name)
		byName[u.Name] = u
	}
	c.identify(in, routes)
	linkGRPCWeb(in, routes, byName)
	linkGRPCJSON(in, routes, byName)
	for _, r := range routes {
		r.checkRules(in)
		for _, t := range r.targets() {
			if t.Direct == nil && t.Upstream != "" && byName[t.Upstream] == nil {
				in.Problems = append(in.Problems, t.At.Problem(didYouMean(t.Upstream, names), "there is no upstream %s", form.Quote(t.Upstream)))
			}
		}
	}
}

func indexOf(list []string, s string) int {
	for i, one := range list {
		if one == s {
			return i
		}
	}
	return -1
}
