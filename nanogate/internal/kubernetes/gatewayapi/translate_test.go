package gatewayapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gw "sigs.k8s.io/gateway-api/apis/v1"
	grants "sigs.k8s.io/gateway-api/apis/v1beta1"

	"dyno.example/nanogate/internal/config"
)

// objects are those of a test: a Gateway shop/web with two listeners, Services users and
// orders, and what a test adds.
func objects(t testing.TB, added ...string) *Objects {
	t.Helper()
	o := &Objects{
		Classes: map[Name]*gw.GatewayClass{}, Gateways: map[Name]*gw.Gateway{}, HTTPRoutes: map[Name]*gw.HTTPRoute{}, GRPCRoutes: map[Name]*gw.GRPCRoute{},
		Grants: map[Name]*grants.ReferenceGrant{}, Namespaces: map[Name]map[string]string{{Name: "shop"}: {"team": "a"}, {Name: "other"}: {"team": "b"}},
		Services: map[Name]Service{{Namespace: "shop", Name: "users"}: {80: "http"}, {Namespace: "shop", Name: "orders"}: {80: "", 81: "81"}, {Namespace: "other", Name: "users"}: {80: ""}},
	}
	for _, text := range append([]string{
		`{"kind":"GatewayClass","metadata":{"name":"nanogate"},"spec":{"controllerName":"nanogate/gateway"}}`,
		`{"kind":"GatewayClass","metadata":{"name":"other"},"spec":{"controllerName":"example.com/other"}}`,
		gatewayText(`{"name":"web","port":80,"protocol":"HTTP"}`),
	}, added...) {
		add(t, o, text)
	}
	return o
}

func gatewayText(listeners ...string) string {
	return `{"kind":"Gateway","metadata":{"namespace":"shop","name":"web","generation":3},"spec":{"gatewayClassName":"nanogate","listeners":[` + strings.Join(listeners, ",") + `]}}`
}

// routeText is an HTTPRoute of the Gateway with one rule.
func routeText(name, rule string) string {
	return `{"kind":"HTTPRoute","metadata":{"namespace":"shop","name":"` + name + `","generation":2},"spec":{"parentRefs":[{"name":"web"}],"rules":[` + rule + `]}}`
}

func add(t testing.TB, o *Objects, text string) {
	t.Helper()
	var kind metav1.TypeMeta
	read := func(into any) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	read(&kind)
	switch kind.Kind {
	case "GatewayClass":
		v := &gw.GatewayClass{}
		read(v)
		o.Classes[Name{Name: v.Name}] = v
	case "Gateway":
		v := &gw.Gateway{}
		read(v)
		o.Gateways[Name{Namespace: v.Namespace, Name: v.Name}] = v
	case "HTTPRoute":
		v := &gw.HTTPRoute{}
		read(v)
		o.HTTPRoutes[Name{Namespace: v.Namespace, Name: v.Name}] = v
	case "GRPCRoute":
		v := &gw.GRPCRoute{}
		read(v)
		o.GRPCRoutes[Name{Namespace: v.Namespace, Name: v.Name}] = v
	case "ReferenceGrant":
		v := &grants.ReferenceGrant{}
		read(v)
		o.Grants[Name{Namespace: v.Namespace, Name: v.Name}] = v
	default:
		t.Fatalf("what is a %s?", kind.Kind)
	}
}

// settings are those of a gateway without TLS.
func settings() Settings {
	return Settings{Controller: "nanogate/gateway", Gateways: []Name{{Namespace: "shop", Name: "web"}}, Plain: true, Identity: []string{"x-user-id"}, Cluster: config.NewKubernetesCluster()}
}

// translated translates, and checks that what was made goes with a file.
func translated(t testing.TB, o *Objects, s Settings) *Result {
	t.Helper()
	made := Translate(o, s)
	with(t, made)
	return made
}

// with is a file's configuration with what was made.
func with(t testing.TB, made *Result) *config.Config {
	t.Helper()
	base, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: {gateway: web}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := base.With(&made.Addition)
	if err != nil {
		t.Fatalf("what was made is no configuration: %v", err)
	}
	return c
}

// routesOf is what was made of routes as a file would have it, without their names.
func routesOf(t testing.TB, made *Result) string {
	t.Helper()
	var all []string
	for _, r := range with(t, made).Routes {
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(r.Text), &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "name")
		delete(fields, "priority")
		b, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
	return strings.Join(all, "\n")
}

// said are conditions as these tests write them: those that say that all is well are
// left out.
func said(all []metav1.Condition) string {
	var b []string
	for _, c := range all {
		if c.Status == metav1.ConditionTrue && c.Reason == c.Type || c.Reason == "NoConflicts" {
			continue
		}
		b = append(b, fmt.Sprintf("%s %s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(b, "\n")
}

func TestRules(t *testing.T) {
	const to = `"backendRefs":[{"name":"users","port":80}]`
	const users = `"to":{"kubernetes.shop.users.80":1}`
	for _, test := range []struct{ name, rule, routes, said string }{
		{"all", `{` + to + `}`, `{"match":{"path":"/*","rank":1000},` + users + `}`, ""},
		{"exact", `{"matches":[{"path":{"type":"Exact","value":"/a/b"}}],` + to + `}`, `{"match":{"path":"/a/b","rank":1000},` + users + `}`, ""},
		{"prefixes", `{"matches":[{"path":{"type":"PathPrefix","value":"/a"}},{"path":{"type":"PathPrefix","value":"/b/"}}],` + to + `}`,
			`{"match":{"path":"/a/*","rank":1000},` + users + `}` + "\n" + `{"match":{"path":"/b/*","rank":1000},` + users + `}`, ""},
		{"conditions", `{"matches":[{"method":"GET","headers":[{"name":"X-A","value":"1*"},{"name":"x-a","value":"2"}],"queryParams":[{"name":"q","value":"v"}]}],` + to + `}`,
			`{"match":{"headers":{"x-a":{"is":"1*"}},"methods":{"is":"GET"},"path":"/*","query":{"q":{"is":"v"}},"rank":479},` + users + `}`, ""},
		{"a regular expression", `{"matches":[{"path":{"type":"RegularExpression","value":"/a.*"}}],` + to + `}`, "", "Accepted False UnsupportedValue: rule 0: a match of paths by RegularExpression isn't supported"},
		{"a star in a path", `{"matches":[{"path":{"type":"Exact","value":"/a*"}}],` + to + `}`, "", `Accepted False UnsupportedValue: rule 0: a path with any of *{} isn't supported, such as "/a*"`},
		{"fields", `{"filters":[{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"A","value":"1"}],"add":[{"name":"B","value":"2"}],"remove":["C"]}},{"type":"ResponseHeaderModifier","responseHeaderModifier":{"remove":["Server"]}}],` + to + `}`,
			`{"match":{"path":"/*","rank":1000},"request-headers":{"add":{"B":2},"remove":["c"],"set":{"A":1}},"response-headers":{"remove":["server"]},` + users + `}`, ""},
		{"a field that frames", `{"filters":[{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"Connection","value":"1"}]}}],` + to + `}`,
			`{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, "Accepted False UnsupportedValue: rule 0: request-headers.set.Connection: Connection frames messages and can't be changed"},
		{"who somebody is", `{"matches":[{"headers":[{"name":"x-user-id","value":"1"}]}],` + to + `}`, "", "Accepted False UnsupportedValue: rule 0: the route matches by x-user-id"},
		{"redirect to https", `{"filters":[{"type":"RequestRedirect","requestRedirect":{"scheme":"https","statusCode":301}}]}`,
			`{"match":{"path":"/*","rank":1000},"redirect":{"status":301,"to":"https://{hostname}{path}{query}"}}`, ""},
		{"redirect elsewhere", `{"matches":[{"path":{"value":"/a"}}],"filters":[{"type":"RequestRedirect","requestRedirect":{"hostname":"b.example","port":8080,"path":{"type":"ReplacePrefixMatch","replacePrefixMatch":"/b"}}}]}`,
			`{"match":{"path":"/a/*","rank":1000},"redirect":{"status":302,"to":"http://b.example:8080/b{/rest}{query}"}}`, ""},
		{"rewrite", `{"matches":[{"path":{"value":"/a"}}],"filters":[{"type":"URLRewrite","urlRewrite":{"hostname":"b.example","path":{"type":"ReplacePrefixMatch","replacePrefixMatch":"/"}}}],` + to + `}`,
			`{"host":"b.example","match":{"path":"/a/*","rank":1000},"rewrite":"/{rest}",` + users + `}`, ""},
		{"rewrite all", `{"filters":[{"type":"URLRewrite","urlRewrite":{"path":{"type":"ReplaceFullPath","replaceFullPath":"/one"}}}],` + to + `}`,
			`{"match":{"path":"/*","rank":1000},"rewrite":"/one",` + users + `}`, ""},
		{"a prefix that isn't matched", `{"matches":[{"path":{"type":"Exact","value":"/a"}}],"filters":[{"type":"URLRewrite","urlRewrite":{"path":{"type":"ReplacePrefixMatch","replacePrefixMatch":"/b"}}}],` + to + `}`,
			`{"match":{"path":"/a","rank":1000},"respond":{"status":500}}`, "Accepted False UnsupportedValue: rule 0: ReplacePrefixMatch goes with a match by PathPrefix only"},
		{"mirror", `{"filters":[{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"orders","port":81},"percent":25}}],` + to + `}`,
			`{"match":{"path":"/*","rank":1000},"mirror":{"methods":["GET","HEAD","OPTIONS","POST","PUT","PATCH","DELETE"],"share":0.25,"to":"kubernetes.shop.orders.81"},` + users + `}`, ""},
		{"a mirror that isn't there", `{"filters":[{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"none","port":81}}}],` + to + `}`,
			`{"match":{"path":"/*","rank":1000},` + users + `}`, "ResolvedRefs False BackendNotFound: there is no Service shop/none"},
		{"an unknown filter is no filter", `{"filters":[{"type":"ExtensionRef","extensionRef":{"group":"example.com","kind":"Auth","name":"a"}}],` + to + `}`,
			`{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, "Accepted False UnsupportedValue: rule 0: the filter ExtensionRef isn't supported"},
		{"retry", `{"retry":{"attempts":2},` + to + `}`, `{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, "Accepted False UnsupportedValue: rule 0: retry isn't supported"},
		{"times", `{"timeouts":{"request":"10s","backendRequest":"500ms"},` + to + `}`, `{"match":{"path":"/*","rank":1000},"retry":{"timeout":"500ms"},"timeout":"10s",` + users + `}`, ""},
		{"no time", `{"timeouts":{"request":"0s"},` + to + `}`, `{"match":{"path":"/*","rank":1000},` + users + `}`, ""},
		{"weights", `{"backendRefs":[{"name":"users","port":80,"weight":90},{"name":"orders","port":80,"weight":10},{"name":"orders","port":81,"weight":0}]}`,
			`{"match":{"path":"/*","rank":1000},"to":{"kubernetes.shop.orders.80":10,"kubernetes.shop.orders.81":0,"kubernetes.shop.users.80":90}}`, ""},
		{"a backend that isn't there gets its share of 500", `{"backendRefs":[{"name":"users","port":80,"weight":3},{"name":"none","port":80}]}`,
			`{"fault":{"abort":{"share":0.25,"status":500}},"match":{"path":"/*","rank":1000},"to":{"kubernetes.shop.users.80":3}}`, "ResolvedRefs False BackendNotFound: there is no Service shop/none"},
		{"no such port", `{"backendRefs":[{"name":"users","port":81}]}`, `{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, "ResolvedRefs False BackendNotFound: the Service shop/users has no TCP port 81"},
		{"another kind", `{"backendRefs":[{"kind":"Bucket","group":"example.com","name":"users","port":80}]}`, `{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, "ResolvedRefs False InvalidKind: backends of the kind Bucket aren't supported"},
		{"nobody", `{}`, `{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, ""},
		{"not allowed", `{"backendRefs":[{"name":"users","namespace":"other","port":80}]}`, `{"match":{"path":"/*","rank":1000},"respond":{"status":500}}`, "ResolvedRefs False RefNotPermitted: no ReferenceGrant in other allows routes of shop to refer to the Service users"},
		{"one of two rules", `{` + to + `},{"matches":[{"path":{"value":"/x"}}],"retry":{},` + to + `}`,
			`{"match":{"path":"/*","rank":1000},` + users + `}` + "\n" + `{"match":{"path":"/x/*","rank":1000},"respond":{"status":500}}`, "PartiallyInvalid True UnsupportedValue: Dropped Rule: rule 1: retry isn't supported"},
	} {
		made := translated(t, objects(t, routeText("r", test.rule)), settings())
		if got := routesOf(t, made); got != test.routes {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.routes)
		}
		parents := made.HTTP[Name{Namespace: "shop", Name: "r"}]
		if len(parents) != 1 || parents[0].Conditions[0].ObservedGeneration != 2 {
			t.Fatalf("%s: %+v", test.name, parents)
		}
		if got := said(parents[0].Conditions); !strings.HasPrefix(got, test.said) || test.said == "" && got != "" {
			t.Errorf("%s: said %q, want %q", test.name, got, test.said)
		}
	}
}

func TestGrants(t *testing.T) {
	grant := func(kind, namespace, to string) string {
		return `{"kind":"ReferenceGrant","metadata":{"namespace":"other","name":"g"},"spec":{"from":[{"group":"gateway.networking.k8s.io","kind":"` + kind + `","namespace":"` + namespace + `"}],"to":[{"group":"","kind":"Service"` + to + `}]}}`
	}
	for _, test := range []struct {
		grant   string
		granted bool
	}{
		{grant("HTTPRoute", "shop", ""), true}, {grant("HTTPRoute", "shop", `,"name":"users"`), true}, {grant("HTTPRoute", "shop", `,"name":"orders"`), false},
		{grant("GRPCRoute", "shop", ""), false}, {grant("HTTPRoute", "other", ""), false}, {strings.Replace(grant("HTTPRoute", "shop", ""), `"namespace":"other"`, `"namespace":"shop"`, 1), false},
	} {
		made := translated(t, objects(t, test.grant, routeText("r", `{"backendRefs":[{"name":"users","namespace":"other","port":80}]}`)), settings())
		if got := strings.Contains(routesOf(t, made), "kubernetes.other.users.80"); got != test.granted {
			t.Errorf("%s: granted %v", test.grant, got)
		}
	}
}

func TestAttachment(t *testing.T) {
	const rule = `"rules":[{"backendRefs":[{"name":"users","port":80}]}]`
	both := gatewayText(`{"name":"web","port":80,"protocol":"HTTP","hostname":"*.example.com"}`, `{"name":"secure","port":443,"protocol":"HTTPS","hostname":"a.example.com","allowedRoutes":{"namespaces":{"from":"All"}}}`,
		`{"name":"b","port":443,"protocol":"HTTPS","hostname":"b.example.com","allowedRoutes":{"namespaces":{"from":"Selector","selector":{"matchLabels":{"team":"b"}}},"kinds":[{"kind":"HTTPRoute"}]}}`,
		`{"name":"tcp","port":9000,"protocol":"TCP"}`)
	route := func(namespace, parent, hostnames string) string {
		return `{"kind":"HTTPRoute","metadata":{"namespace":"` + namespace + `","name":"r"},"spec":{"parentRefs":[` + parent + `],"hostnames":[` + hostnames + `],` + rule + `}}`
	}
	for _, test := range []struct{ name, route, hosts, said string }{
		{"all that allow it", route("shop", `{"name":"web"}`, ``), `http[*.example.com] https[a.example.com]`, ""},
		{"one by name", route("shop", `{"name":"web","sectionName":"secure"}`, ``), `https[a.example.com]`, ""},
		{"by port", route("shop", `{"name":"web","port":80}`, ``), `http[*.example.com]`, ""},
		{"hostnames", route("shop", `{"name":"web"}`, `"a.example.com","c.example.com","d.example.org"`), `http[a.example.com c.example.com] https[a.example.com]`, ""},
		{"wildcards", route("shop", `{"name":"web"}`, `"*.a.example.com","*.example.com"`), `http[*.a.example.com *.example.com] https[a.example.com]`, ""},
		{"no hostname", route("shop", `{"name":"web"}`, `"example.com"`), ``, "Accepted False NoMatchingListenerHostname: no hostname of the route is one of the listener's"},
		{"no listener", route("shop", `{"name":"web","sectionName":"none"}`, ``), ``, "Accepted False NoMatchingParent: the Gateway has no such listener"},
		{"another namespace", route("other", `{"name":"web","namespace":"shop"}`, ``), `https[a.example.com b.example.com]`, ""},
		{"not allowed", route("other", `{"name":"web","namespace":"shop","sectionName":"web"}`, ``), ``, "Accepted False NotAllowedByListeners: the listener takes no routes of the namespace other"},
		{"a listener that isn't served", route("shop", `{"name":"web","sectionName":"tcp"}`, ``), ``, "Accepted False NotAllowedByListeners: listener tcp isn't served: nanogate serves HTTP and HTTPS, not TCP"},
		{"another Gateway", route("shop", `{"name":"elsewhere"}`, ``), ``, "nothing"},
	} {
		s := settings()
		s.Secure = true
		made := translated(t, objects(t, both, test.route), s)
		var got []string
		for _, r := range made.Addition.Routes {
			got = append(got, r.Match.Scheme+fmt.Sprint(r.Match.Hosts))
		}
		if strings.Join(got, " ") != test.hosts {
			t.Errorf("%s: got %s, want %s", test.name, got, test.hosts)
		}
		words := "nothing"
		for _, parents := range made.HTTP {
			words = said(parents[0].Conditions)
		}
		if words != test.said {
			t.Errorf("%s: said %q, want %q", test.name, words, test.said)
		}
	}
}

func TestGatewayStatus(t *testing.T) {
	s := settings()
	s.Addresses = []string{"192.0.2.1", "web.example"}
	o := objects(t, gatewayText(`{"name":"web","port":80,"protocol":"HTTP"}`, `{"name":"again","port":8080,"protocol":"HTTP"}`, `{"name":"secure","port":443,"protocol":"HTTPS"}`, `{"name":"odd","port":81,"protocol":"HTTP","hostname":"x.example","allowedRoutes":{"kinds":[{"kind":"TCPRoute"},{"kind":"GRPCRoute"}]}}`),
		routeText("r", `{"backendRefs":[{"name":"users","port":80}]}`), `{"kind":"Gateway","metadata":{"namespace":"shop","name":"foreign"},"spec":{"gatewayClassName":"other","listeners":[]}}`)
	s.Gateways = append(s.Gateways, Name{Namespace: "shop", Name: "foreign"}, Name{Namespace: "shop", Name: "none"})
	made := translated(t, o, s)
	status := made.Gateways[Name{Namespace: "shop", Name: "web"}]
	if got, want := said(status.Conditions), "Accepted True ListenersNotValid: 2 of 4 listeners are served"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(status.Addresses) != 2 || *status.Addresses[0].Type != "IPAddress" || *status.Addresses[1].Type != "Hostname" {
		t.Errorf("%+v", status.Addresses)
	}
	for i, want := range []struct {
		attached int32
		kinds    int
		said     string
	}{
		{1, 2, ""}, {0, 2, "Accepted False PortUnavailable: listener web has the same protocol"}, {0, 2, "Accepted False PortUnavailable: the gateway's file listens on no address with TLS"},
		{0, 1, "ResolvedRefs False InvalidRouteKinds: routes of the kind TCPRoute aren't supported"},
	} {
		l := status.Listeners[i]
		if got := said(l.Conditions); l.AttachedRoutes != want.attached || len(l.SupportedKinds) != want.kinds || !strings.HasPrefix(got, want.said) || want.said == "" && got != "" {
			t.Errorf("%s: %d routes, kinds %v, said %q", l.Name, l.AttachedRoutes, l.SupportedKinds, got)
		}
	}
	if got := strings.Join(made.Missing, "\n"); !strings.Contains(got, "Gateway shop/foreign is of the class other, which isn't there or names another controller") || !strings.Contains(got, "there is no Gateway shop/none") {
		t.Error(got)
	}
	if len(made.Classes) != 1 || len(made.Gateways) != 1 {
		t.Errorf("what isn't ours gets a status: %v %v", made.Classes, made.Gateways)
	}
}

// An upstream has its port by name where that is one.
func TestUpstreams(t *testing.T) {
	made := translated(t, objects(t, routeText("r", `{"backendRefs":[{"name":"users","port":80},{"name":"orders","port":80},{"name":"orders","port":81}]}`)), settings())
	found := map[string]*config.Kubernetes{}
	for _, u := range made.Addition.Upstreams {
		found[u.Name] = u.Kubernetes
	}
	for name, port := range map[string]string{"kubernetes.shop.users.80": "http", "kubernetes.shop.orders.80": "80", "kubernetes.shop.orders.81": "81"} {
		if got := found[name]; got == nil || got.Port != port || got.Namespace != "shop" || got.Cluster.Timeout != 10*time.Second {
			t.Errorf("%s: %+v, want the port %s", name, got, port)
		}
	}
}

// Of two routes that match alike the older comes first, then the first by name.
func TestOrder(t *testing.T) {
	dated := func(name, date string) string {
		return strings.Replace(routeText(name, `{"backendRefs":[{"name":"users","port":80}]}`), `"generation":2`, `"creationTimestamp":"`+date+`"`, 1)
	}
	made := translated(t, objects(t, dated("a", "2026-02-01T00:00:00Z"), dated("c", "2026-01-01T00:00:00Z"), dated("b", "2026-01-01T00:00:00Z")), settings())
	var got []string
	for _, r := range made.Addition.Routes {
		got = append(got, r.Name)
	}
	if want := "shop/b/0.0 shop/c/0.0 shop/a/0.0"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestGRPC(t *testing.T) {
	made := translated(t, objects(t, `{"kind":"GRPCRoute","metadata":{"namespace":"shop","name":"r"},"spec":{"parentRefs":[{"name":"web"}],"rules":[{"matches":[{"method":{"service":"a.B","method":"C"},"headers":[{"name":"X","value":"1"}]},{"method":{"service":"a.B"}},{}],"backendRefs":[{"name":"users","port":80}]},{"matches":[{"method":{"method":"C"}}]}]}}`), settings())
	want := `{"match":{"headers":{"x":{"is":1}},"path":"/a.B/C","rank":980},"to":{"kubernetes.shop.users.80.h2c":1}}
{"match":{"path":"/a.B/*","rank":1000},"to":{"kubernetes.shop.users.80.h2c":1}}
{"match":{"path":"/*","rank":1000},"to":{"kubernetes.shop.users.80.h2c":1}}`
	if got := routesOf(t, made); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := said(made.GRPC[Name{Namespace: "shop", Name: "r"}][0].Conditions), "PartiallyInvalid True UnsupportedValue: Dropped Rule: rule 1: a method without its service isn't supported"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
