package config

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/nanogate/internal/rule"
)

// Route is what is done with the requests that match it.
type Route struct {
	At       At
	Name     string // "route-3" if the file gives none
	Text     string // all of it but its place: two routes of the same text are the same
	Match    Match
	Matching string // the text of match and the priority: routes of the same match alike
	Priority int    // routes with a higher one are tried first, whatever their paths

	To       []Target  // exactly one of these three
	Redirect *Redirect //
	Respond  *Respond  //

	Rewrite  *Template // of the path; nil: as it is
	Host     string    // sent to the upstream: "" is the client's, "upstream" the endpoint's, else the text
	Request  Headers   // what is changed of the request's fields
	Response Headers   // and of the response's

	GRPCJSON *GRPCJSON     // nil: requests are sent on as they are
	Deadline *Deadline     // nil: nobody is told how much time there is
	Timeout  time.Duration // from the head to the last byte of the response; 0: none
	Body     int64         // bytes of a request's body at most; -1: as Client.Body
	GRPCWeb  bool          // calls over gRPC-Web go on over gRPC
	Retry    Retry
	Hedge    *Hedge
	Fault    *Fault
	Sticky   *Sticky
	Canary   *Canary  // nil: none of its requests go elsewhere
	Mirror   *Mirror  // nil: nobody else is sent its requests
	Cache    *Caching // nil: nothing is stored

	// Observing.
	Objective time.Duration // that responses are to be in within; 0: none
	NoLog     bool          // it isn't in the access log
	NoTrace   bool          // it isn't traced

	// Guards, in the order in which requests meet them. nil: none.
	Access Access
	CORS   *CORS
	CSRF   *CSRF
	MTLS   *MTLS
	Keys   *Keys
	Basic  *Basic
	JWT    *JWT
	Rules  []Rule // after the guards
	Use    []Use  // middleware, after the rules

	Filters []Filter // that are all in one file, in the order of this one

	guards []string // names of those above that find out who it is

	Introspect *Introspect
	OIDC       *OIDC

	NoCSRF bool // not even with oidc

	Identity []Identity // where fields that say who somebody is come from
	Strip    []string   // those that are taken out of what clients send

	Importance Importance

	// Limits, in the same way.
	Rates       []Rate
	Shed        *Shed
	Concurrency *Concurrency
	Breaker     *Breaker
}

// Sum is a hash of a route's name and text: two of the same sum are the same. That of
// ten thousand routes is looked at faster than the routes are.
type Sum [16]byte

func (r *Route) sum() Sum {
	whole := sha256.Sum256([]byte(r.Name + "\x00" + r.Text))
	return Sum(whole[:16])
}

const mostPriority = 1_000_000

// routeTime is how long a request may take, and mostWeight what a target's share may be.
var routeTime = span{time.Millisecond, 24 * time.Hour}

const mostWeight = 1_000_000

// routeFields are what a route may hold.
var routeFields = []known[Route]{
	// The route's name in metrics and logs. Default: `route-N`
	{"name", func(r *Route, p place) { r.Name = p.text() }},
	// Which requests the route takes: those for which all of this holds. Default: all
	{"match", func(r *Route, p place) {
		r.Matching = p.in.text(p.Node)
		readFields(p, &r.Match, matchFields)
	}},
	// Routes with a higher one are tried first, whatever their paths. Default: `0`
	{"priority", func(r *Route, p place) { r.Priority = p.Integer(-mostPriority, mostPriority) }},
	// An upstream, a URL, or several with their weights. A route has exactly one of `to`,
	// `redirect` and `respond`. Value: a name or URL, or by name or URL: number, 0 to 1000000.
	{"to", (*Route).readTo},
	// A URL that clients are sent to. `{host}`, `{hostname}` (without its port), `{path}`,
	// `{query}` and the path's names are filled in.
	{"redirect", func(r *Route, p place) { r.Redirect = readRedirect(p) }},
	// A fixed response.
	{"respond", func(r *Route, p place) { r.Respond = readRespond(p) }},
	// The path for the upstream: `/v2/{id}/{rest}`; with a query of its own it replaces the
	// client's. What the path gives to that query, or to that of a `redirect`, is escaped. Default:
	// the client's
	{"rewrite", func(r *Route, p place) { r.Rewrite = readTemplate(p) }},
	// The Host that the upstream receives: `upstream` (the endpoint's), or a text. Default: the
	// client's
	{"host", func(r *Route, p place) { r.Host = p.text() }},
	// Header fields of the request that are changed.
	{"request-headers", func(r *Route, p place) { r.Request = readHeaders(p) }},
	// Header fields of the response that are changed.
	{"response-headers", func(r *Route, p place) { r.Response = readHeaders(p) }},
	// HTTP with JSON is forwarded as gRPC, see [JSON to gRPC](grpc-json.md).
	{"grpc-json", func(r *Route, p place) { r.GRPCJSON = readGRPCJSON(p) }},
	// From the request's head to the end of the response. Default: none
	{"timeout", func(r *Route, p place) { r.Timeout = p.duration(routeTime) }},
	// The field in which a client may ask for less time than `timeout`, and which tells the
	// upstream with each try how much time is left, or how much of `retry.timeout`.
	{"deadline", func(r *Route, p place) { r.Deadline = readDeadline(p) }},
	// The largest body of a request, in place of `client.body`. Default: as `client.body`
	{"body", func(r *Route, p place) { r.Body = p.size(0, 1<<50) }},
	// Calls of browsers over gRPC-Web are forwarded as gRPC, see [HTTP/2 and gRPC](http2.md).
	// Default: `false`
	{"grpc-web", func(r *Route, p place) { r.GRPCWeb = p.Boolean() }},
	// When a request is sent again.
	{"retry", func(r *Route, p place) { readFields(p, &r.Retry, retryFields) }},
	// GET, HEAD, OPTIONS and TRACE whose response hasn't begun in time are sent to a second
	// endpoint too, and the first response is taken.
	{"hedge", func(r *Route, p place) { r.Hedge = readHedge(p) }},
	// Failures and delays that are made up, for tests.
	{"fault", func(r *Route, p place) { r.Fault = readFault(p) }},
	// A client stays with its endpoint, by an encrypted cookie.
	{"sticky", func(r *Route, p place) { r.Sticky = readSticky(p) }},
	// A share of the requests is sent to another upstream, and to the route's own again if they
	// fail more often, see [canaries](canaries.md).
	{"canary", func(r *Route, p place) { r.Canary = readCanary(p) }},
	// A copy of a share of the requests is sent to a second upstream, and the responses are
	// compared, see [mirrors](mirrors.md).
	{"mirror", func(r *Route, p place) { r.Mirror = readMirror(p) }},
	// Responses are cached, see [the cache](cache.md).
	{"cache", func(r *Route, p place) { r.Cache = readCaching(p) }},
	// The time within which responses should be complete; those that aren't are counted, see
	// [scaling](operation.md#scaling). Default: none
	{"objective", func(r *Route, p place) { r.Objective = p.Duration(time.Millisecond, time.Hour) }},
	// `off`: not for this route. Default: `on`
	{"access-log", func(r *Route, p place) { r.NoLog = readOff(p) }},
	// `off`: not for this route. Default: `on`
	{"trace", func(r *Route, p place) { r.NoTrace = readOff(p) }},
	// Addresses and networks of clients that are admitted. Default: all
	{"allow", func(r *Route, p place) { r.Access.Allow = readPrefixes(p) }},
	// Addresses and networks of clients that are refused. Default: none
	{"deny", func(r *Route, p place) { r.Access.Deny = readPrefixes(p) }},
	// What scripts of other origins may do. What the upstream says itself in `Access-Control-…` is
	// removed.
	{"cors", func(r *Route, p place) { r.CORS = readCORS(p) }},
	// Refuses requests that change something and come from a page of another origin, see
	// [logins](logins.md#cross-site-request-forgery). Default: `on` with `oidc`, else `off`
	{"csrf", (*Route).readCSRF},
	// A client certificate with one of these names, or with `{}` any verified one, see
	// [TLS](tls.md#client-certificates).
	{"mtls", func(r *Route, p place) { r.MTLS = readMTLS(p) }},
	// One of the keys in a file, see [API keys](authentication.md#api-keys).
	{"keys", func(r *Route, p place) { r.Keys = readKeys(p) }},
	// One of the passwords in a file, see [passwords](authentication.md#passwords).
	{"basic", func(r *Route, p place) { r.Basic = readBasic(p) }},
	// A JSON Web Token, see [JSON Web Tokens](authentication.md#json-web-tokens).
	{"jwt", func(r *Route, p place) { r.JWT = readJWT(p) }},
	// A token that its issuer confirms, see [token
	// introspection](authentication.md#token-introspection).
	{"introspect", func(r *Route, p place) { r.Introspect = readIntrospect(p) }},
	// People log in at an identity provider, see [logins](logins.md).
	{"oidc", func(r *Route, p place) { r.OIDC = readOIDC(p) }},
	// Conditions that requests must meet, in CEL, see [rules](rules.md).
	{"rules", func(r *Route, p place) { r.Rules = readRules(p) }},
	// [Plug-ins](wasm.md) and [compiled-in middleware](middleware.md), after the rules: names, or
	// `{name: settings}`, in order. Value: a name, or a list of names and `{name: settings}`.
	{"use", func(r *Route, p place) { r.Use = readUses(p) }},
	// How many requests are admitted, such as `1000/s`, see [limits](limits.md#limits).
	{"limit", func(r *Route, p place) { r.Rates = readRates(p) }},
	// Which guard sets the header fields that identify a person, such as `{x-user-id: jwt.sub}`,
	// see [identity](identity.md).
	{"identity", func(r *Route, p place) { r.Identity = readIdentity(p) }},
	// Which requests are refused first when there are too many, see [under
	// overload](limits.md#under-overload). Default: `normal`
	{"importance", func(r *Route, p place) { r.Importance = readImportance(p) }},
	// Refuses requests when responses become too slow, the least important first, see [under
	// overload](limits.md#under-overload).
	{"shed", func(r *Route, p place) { r.Shed = readShed(p) }},
	// How many requests may be under way at once, see [limits](limits.md#limits).
	{"concurrency", func(r *Route, p place) { r.Concurrency = readConcurrency(p) }},
	// Sends nothing for a while when too many requests fail, see [limits](limits.md#limits).
	{"breaker", func(r *Route, p place) { r.Breaker = readBreaker(p) }},
}

// NewRoute is a route of that name with the defaults.
func NewRoute(at At, name string) *Route {
	return &Route{At: at, Name: name, Body: -1, Match: newMatch(at), Retry: newRetry(), Importance: Importance{Otherwise: normal}}
}

func (c *Config) readRoutes(p place) {
	known := append(slices.Clone(routeFields), filterFields()...)
	seen := map[string]bool{}
	for i, item := range p.list() {
		r := NewRoute(item.At(), "")
		r.Text = item.in.text(item.Node)
		wrong := item.below()
		found := readFields(item, r, known)
		r.check(wrong)
		r.Matching += " " + strconv.Itoa(r.Priority)
		c.Routes = append(c.Routes, r)
		if !item.IsMapping() {
			continue
		}
		if r.Name == "" && r.sharesLimits() {
			item.Problem("add a name: the same in all gateways", "a limit that gateways share is known by its route's name, and this one has none")
		}
		if r.Name == "" {
			r.Name = "route-" + strconv.Itoa(i+1)
		}
		if seen[r.Name] {
			item.Problem("give it a name of its own", "the name %s is another route's", form.Quote(r.Name))
		}
		seen[r.Name] = true
		c.Sums = append(c.Sums, r.sum())
		c.Caches = c.Caches || r.Cache != nil
		r.checkWhole(item, found)
	}
}

// check says what is wrong with the values of a route's fields, each for itself, as far as what
// they hold isn't checked while a file is read.
func (r *Route) check(report report) {
	r.Match.check(report.in("match"))
	total := 0
	for i := range r.To {
		hint, message := between(0, mostWeight, r.To[i].Weight)
		report.value(hint, message, "to", nameOf(r.To[i].Upstream))
		total += r.To[i].Weight
	}
	if len(r.To) > 0 && total == 0 {
		report([]string{"to"}, weightsHint, weightsMessage)
	}
	if r.Redirect != nil {
		r.Redirect.check(report.in("redirect"))
	}
	if r.Respond != nil {
		hint, message := between(leastStatus, mostStatus, r.Respond.Status)
		report.value(hint, message, "respond", "status")
	}
	if r.Rewrite != nil {
		r.Rewrite.check(report.in("rewrite"), true)
	}
	hint, message := checkHost(r.Host)
	report.value(hint, message, "host")
	r.Request.check(report.in("request-headers"))
	r.Response.check(report.in("response-headers"))
	if r.Timeout != 0 {
		hint, message := routeTime.check(r.Timeout)
		report.value(hint, message, "timeout")
	}
	if r.Retry.Timeout != 0 {
		hint, message := tryTime.check(r.Retry.Timeout)
		report.value(hint, message, "retry", "timeout")
	}
	if r.Fault != nil {
		r.Fault.check(report.in("fault"))
	}
	if r.Mirror != nil {
		r.Mirror.check(report.in("mirror"))
	}
}

// checkWhole holds a route's fields against each other.
func (r *Route) checkWhole(item place, found map[string]place) {
	var ends []string
	for _, name := range []string{"to", "redirect", "respond"} {
		if _, ok := found[name]; ok {
			ends = append(ends, name)
		}
	}
	if len(ends) != 1 {
		item.Problem("such as to: users", "a route has exactly one of to, redirect and respond, this one has %s", orNone(ends))
		return
	}
	if ends[0] != "to" {
		for _, name := range []string{"rewrite", "host", "request-headers", "retry", "hedge", "sticky", "canary", "mirror", "timeout", "deadline", "grpc-web", "grpc-json", "cache"} {
			if at, ok := found[name]; ok {
				at.Problem("remove it", "%s goes with to, and this route has %s", name, ends[0])
			}
		}
	}
	if r.GRPCWeb && r.CORS != nil {
		r.CORS.admitGRPCWeb()
	}
	r.checkGRPCJSON(found)
	for _, name := range rule.Guards {
		if _, ok := found[name]; ok {
			r.guards = append(r.guards, name)
		}
	}
	if problem := r.checkCaching(); problem != nil {
		item.in.Problems = append(item.in.Problems, *problem)
	}
	if r.Basic != nil && r.JWT != nil && r.JWT.Cookie == "" {
		found["basic"].Problem("have jwt read its token from a cookie", "basic and jwt both want to be what Authorization holds")
	}
	if r.Basic != nil && r.Introspect != nil && r.Introspect.Cookie == "" {
		found["basic"].Problem("have introspect read its token from a cookie", "basic and introspect both want to be what Authorization holds")
	}
	if r.OIDC != nil && r.CSRF == nil && !r.NoCSRF {
		r.CSRF = &CSRF{At: r.OIDC.At}
	}
	if problem := r.checkTemplates(); problem != nil {
		item.in.Problems = append(item.in.Problems, *problem)
	}
}

// checkTemplates holds what is put into templates against what the path gives.
func (r *Route) checkTemplates() *Problem {
	for _, t := range []*Template{r.Rewrite, r.redirectTo()} {
		if t == nil {
			continue
		}
		if name, ok := t.unknown(r.Match.Path.Params()); !ok {
			problem := t.At.Problem("", "{%s} is no part of the path that is matched", name)
			return &problem
		}
	}
	return nil
}

func (r *Route) redirectTo() *Template {
	if r.Redirect == nil {
		return nil
	}
	return r.Redirect.To
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " and ")
}
