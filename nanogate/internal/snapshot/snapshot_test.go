package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
	"dyno.example/nanogate/internal/upstream"
)

func parse(t testing.TB, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("f", []byte("listen: 127.0.0.1:1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func of(t testing.TB, target string) *request.Request {
	t.Helper()
	text := "GET " + target + " HTTP/1.1\r\nHost: h:81\r\n\r\n"
	head := &http1.Request{}
	if n, err := head.Parse([]byte(text), nil); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	r := &request.Request{}
	r.Begin(head, []byte(text))
	r.Path = r.RawPath()
	return r
}

// What stays the same is the same object, wherever it stands in the file now.
func TestBuildTakesOver(t *testing.T) {
	b := NewBuilder(1)
	one := b.Build(parse(t, "routes: [{name: a, match: {path: /a}, to: u}, {name: b, match: {path: /b}, to: v}]\nupstreams: {u: [\"127.0.0.1:1\"], v: [\"127.0.0.1:2\"]}\n"), nil)
	two := b.Build(parse(t, "routes: [{name: c, match: {path: /c}, to: u}, {name: b, match: {path: /b}, to: v}, {name: a, match: {path: /a}, to: u}]\nupstreams: {v: {endpoints: [\"127.0.0.1:3\"]}, u: [\"127.0.0.1:1\"]}\n"), one)
	if two.Upstream("u") != one.Upstream("u") || two.Upstream("v") == one.Upstream("v") {
		t.Error("upstreams")
	}
	if two.Routes[2] != one.Routes[0] {
		t.Error("a route that is the same was rebuilt")
	}
	if two.Routes[1] == one.Routes[1] || two.Routes[1].Counters != one.Routes[1].Counters {
		t.Error("a route whose upstream has changed was taken over, or its counters were not")
	}
	one.Retire(two)
	if one.Upstream("v").Set().All[0].Gone() == two.Upstream("u").Set().All[0].Gone() {
		t.Error("what was retired isn't gone, or what was taken over is")
	}
	two.Retire(nil)
}

// always is of filters that all routes ask for.
func always(*config.Route, *Route) bool { return true }

type closing struct{ closed *int }

func (c closing) Check(*request.Request) *request.Reply { return nil }
func (c closing) Close()                                { *c.closed++ }

// A route whose guard can't be made responds with 503 and has no way to its upstream; the
// others are as they were.
func TestBrokenRoute(t *testing.T) {
	closed := 0
	defer func(before []kind) { kinds = before }(kinds)
	kinds = append(slices.Clone(kinds),
		kind{asked: always, make: func(*config.Route, *Route) ([]filter.Filter, error) {
			return []filter.Filter{closing{&closed}}, nil
		}},
		kind{asked: always, make: func(c *config.Route, _ *Route) ([]filter.Filter, error) {
			if c.Name == "bad" {
				return nil, errors.New("its keys can't be read")
			}
			return nil, nil
		}})
	text := "routes:\n  - {name: bad, match: {path: /bad}, to: u}\n  - {to: u}\nupstreams: {u: [\"127.0.0.1:1\"]}\n"
	if problems := Check(parse(t, text), nil); len(problems) != 1 || problems[0].String() != "f:3:5: routes[0]: its keys can't be read" || closed != 2 {
		t.Errorf("checked: %v, %d closed", problems, closed)
	}
	closed = 0
	s := NewBuilder(1).Build(parse(t, text), nil)
	bad, good := s.Routes[0], s.Routes[1]
	if bad.Broken == nil || bad.Broken.Status != 503 || len(bad.Targets)+len(bad.Chain) > 0 || closed != 1 || bad.Counters == nil {
		t.Errorf("%+v, %d closed", bad, closed)
	}
	if good.Broken != nil || len(good.Chain) != 1 || len(good.Targets) != 1 {
		t.Errorf("%+v", good)
	}
	if len(s.Problems) != 1 || s.Problems[0].String() != "f:3:5: routes[0]: its keys can't be read" {
		t.Errorf("%v", s.Problems)
	}
	if s.Retire(nil); closed != 2 {
		t.Errorf("%d closed", closed)
	}
}

func TestTemplate(t *testing.T) {
	s := NewBuilder(1).Build(parse(t, `routes:
  - {match: {path: "/users/{id}/*"}, rewrite: "/v2/{rest}/of/{id}", to: u}
  - {match: {path: "/old*"}, redirect: "https://{host}/new{rest}{query}"}
  - {match: {path: "/api/*"}, rewrite: "/v2{/rest}", to: u}
  - {match: {path: "/name/*"}, redirect: "http://{hostname}:82{/rest}{query}"}
upstreams: {u: ["127.0.0.1:1"]}
`), nil)
	for target, want := range map[string]string{
		"/users/7/a/b": "/v2/a/b/of/7", "/users/7": "/v2//of/7", "/old/x?y=z": "https://h:81/new/x?y=z", "/old": "https://h:81/new",
		"/api": "/v2", "/api/": "/v2/", "/api/a/b": "/v2/a/b", "/name": "http://h:82", "/name/x?y": "http://h:82/x?y",
	} {
		r := of(t, target)
		var f route.Found
		found := s.Find(r, &f)
		template := found.Rewrite
		if template == nil {
			template = found.Redirect
		}
		if got := string(template.Append(nil, r, &f)); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

func TestTarget(t *testing.T) {
	s := NewBuilder(1).Build(parse(t, "routes: [{to: {a: 90, b: 10, c: 0}}]\nupstreams: {a: [\"127.0.0.1:1\"], b: [\"127.0.0.1:2\"], c: [\"127.0.0.1:3\"]}\n"), nil)
	l := &upstream.Local{Seed: 3}
	got := map[string]int{}
	for range 10_000 {
		got[s.Routes[0].Target(l).Name]++
	}
	if got["a"] < 8800 || got["a"] > 9200 || got["c"] != 0 {
		t.Errorf("%v", got)
	}
}

func TestAllowance(t *testing.T) {
	var a Allowance
	now, granted := int64(1e9), 0
	for range 1000 {
		a.Earn(0.1)
		if a.Spend(now) {
			granted++
		}
	}
	if granted < 100 || granted > 115 {
		t.Errorf("%d of 1000 failing requests were retried with a budget of a tenth", granted)
	}
	if a.Spend(now + int64(time.Second)); !a.Spend(now + 2*int64(time.Second)) {
		t.Error("there is none left after a second without requests")
	}
}

// manyRoutes are ten thousand, and the same of which one is another.
func manyRoutes(t testing.TB) (before, after *config.Config) {
	var text strings.Builder
	text.WriteString("upstreams: {u: [\"127.0.0.1:1\"]}\nroutes:\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "  - {name: r%d, match: {path: \"/service-%d/*\"}, to: u}\n", i, i)
	}
	return parse(t, text.String()), parse(t, strings.Replace(text.String(), "/service-5000/*", "/changed/*", 1))
}

// BenchmarkOneChanged is how long it takes to build the snapshot of ten thousand routes
// of which one has changed: what it matches, or what is done with it.
func BenchmarkOneChanged(b *testing.B) {
	before, matches := manyRoutes(b)
	does, _ := manyRoutes(b)
	does.Routes[5000].Text, does.Routes[5000].Timeout = "another", time.Second
	for name, after := range map[string]*config.Config{"match": matches, "rest": does} {
		b.Run(name, func(b *testing.B) {
			builder := NewBuilder(2)
			s := builder.Build(before, nil)
			for b.Loop() {
				builder.Build(after, s)
			}
		})
	}
}

// Ten thousand routes of which one changes: all others are taken over.
func TestManyRoutes(t *testing.T) {
	before, after := manyRoutes(t)
	b := NewBuilder(1)
	one := b.Build(before, nil)
	two := b.Build(after, one)
	same := 0
	for i := range one.Routes {
		if one.Routes[i] == two.Routes[i] {
			same++
		}
	}
	if three := b.Build(after, two); three.table != two.table || three.Routes[5000] != two.Routes[5000] {
		t.Error("nothing has changed, and something was rebuilt")
	}
	var f route.Found
	if same != 9999 || two.Find(of(t, "/changed/x"), &f) != two.Routes[5000] || two.Find(of(t, "/service-5000/x"), &f) != nil {
		t.Errorf("%d routes were taken over", same)
	}
}
