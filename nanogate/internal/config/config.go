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
	// Addresses that clients connect to. One that another process listens on is an error, see [two
	// processes](operation.md#two-processes-on-one-address). Default: required
	{"listen", (*Config).readListen},
	// Certificates, see [TLS](tls.md). All addresses speak TLS but those with `tls: false`.
	{"tls", func(c *Config, p place) { c.TLS = readTLS(p) }},
	// Address of the [admin interface](admin.md), `host:port` or `unix:/path`, see [looking at
	// it](admin.md#looking-at-it). Default: none
	{"admin", func(c *Config, p place) { c.Admin = readAdmin(p) }},
	// Proxies in front of the gateway whose X-Forwarded-* are believed, see [what clients may
	// send](clients.md). Default: none
	{"trust", func(c *Config, p place) {
		for _, item := range p.list() {
			c.Trust = append(c.Trust, item.prefix())
		}
	}},
	// What these proxies say of clients' certificates is believed too. Only for proxies that take
	// these fields out of what clients send. Default: `false`
	{"trust-certificates", func(c *Config, p place) { c.Certificates = p.Boolean() }},
	// How upstreams are told who the client is: `x` (X-Forwarded-For, -Proto, -Host), `rfc7239`
	// (Forwarded), both or not at all. Default: `x`
	{"forwarded", func(c *Config, p place) {
		c.Forwarded = Forwarded(max(0, indexOf(forwardedNames, p.word(forwardedNames...))))
	}},
	// Addresses and networks that may ask [what becomes of a
	// request](operation.md#what-becomes-of-a-request). Default: none
	{"explain", func(c *Config, p place) {
		for _, item := range p.list() {
			c.Explain = append(c.Explain, item.prefix())
		}
	}},
	// Paths with `%2F` or `%5C` are refused, or kept as they are. Default: `refuse`
	{"escaped-slashes", func(c *Config, p place) { c.Paths.Slashes = p.word("refuse", "keep") == "keep" }},
	// Paths with `;` are refused, or kept as they are, see [what clients may send](clients.md).
	// Default: `refuse`
	{"path-parameters", func(c *Config, p place) { c.Paths.Parameters = p.word("refuse", "keep") == "keep" }},
	// Header fields that identify a person, see [identity](identity.md): they are removed from what
	// clients send. Default: `x-user-id` and six others
	{"identity", func(c *Config, p place) { c.Identity = readIdentityNames(p) }},
	// [Plug-ins](wasm.md) and [compiled-in middleware](middleware.md) of all routes, before a
	// route's own: names, or `{name: settings}`, in order. Value: a name, or a list of names and `{name: settings}`.
	{"use", func(c *Config, p place) { c.Use, c.UseText = readUses(p), p.in.text(p.Node) }},
	// The gateway's zone: upstreams without a `zone` of their own prefer it. Default: none
	{"zone", func(c *Config, p place) { c.Zone = p.text() }},
	// Path that responds 200, or 503 while draining, before any route and under any load; its body
	// lists names without a [certificate](acme.md). Default: none
	{"ready", func(c *Config, p place) { c.Ready = readHealthPath(p) }},
	// What happens when the gateway itself has too much to do, see [under
	// overload](limits.md#under-overload).
	{"overload", func(c *Config, p place) { readFields(p, &c.Overload, overloadFields) }},
	// How much is stored of responses, see [the cache](cache.md).
	{"cache", (*Config).readCache},
	// Limits of what a client may take or take time for.
	{"client", func(c *Config, p place) { readFields(p, &c.Client, clientFields) }},
	// See [the access log](logs.md#the-access-log). Default: none
	{"access-log", func(c *Config, p place) { c.AccessLog = readAccessLog(p) }},
	// See [traces](logs.md#traces). Default: none
	{"trace", func(c *Config, p place) { c.Trace = readTrace(p) }},
	// A collector that metrics are pushed to, see [pushing metrics](admin.md#pushing-metrics).
	// Default: none
	{"metrics", func(c *Config, p place) { c.Metrics = readMetrics(p) }},
	// More routes and upstreams, which stand in Kubernetes; then `routes` may be missing, see
	// [routes in Kubernetes](kubernetes.md#routes-in-kubernetes). Default: none
	{"kubernetes", func(c *Config, p place) { c.Kubernetes = readKubernetesRoutes(p) }},
	// WebAssembly that routes `use`, see [plug-ins in WebAssembly](wasm.md).
	{"plugins", (*Config).readPlugins},
	// What is done with which requests. Default: required
	{"routes", (*Config).readRoutes},
	// Where requests are sent. Value: by name: text, a list, or fields.
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
