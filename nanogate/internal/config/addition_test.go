package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

var stands = At{Path: "HTTPRoute shop/r", Field: "spec.rules[0]"}

// route is one that stands elsewhere.
func route(name, to string, change func(*Route)) *Route {
	r := NewRoute(stands, name)
	r.To = []Target{{At: stands, Upstream: to, Weight: 1}}
	if change != nil {
		change(r)
	}
	return r
}

func elsewhere(name string) *Upstream {
	u := NewUpstream(At{Path: "Service shop/" + name}, name)
	u.Kubernetes = &Kubernetes{Service: name, Namespace: "shop", Port: "80", Cluster: NewKubernetesCluster()}
	return u
}

const withUsers = "listen: 127.0.0.1:1\nroutes: [{name: a, to: u}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n"

// What stands elsewhere comes after the file's own, is checked like it, and is no part of
// what changes.
func TestWith(t *testing.T) {
	for _, test := range []struct {
		name, file string
		more       Addition
		want       string
	}{
		{"both", withUsers, Addition{[]*Route{route("b", "v", nil)}, []*Upstream{elsewhere("v")}}, "a b u v"},
		{"neither in the file", "listen: 127.0.0.1:1\nkubernetes: {gateway: web}\n", Addition{[]*Route{route("b", "v", nil)}, []*Upstream{elsewhere("v")}}, "b v"},
		{"nothing more", withUsers, Addition{}, "a u"},
		{"to the file's", withUsers, Addition{Routes: []*Route{route("b", "u", nil)}}, "a b u"},
		{"a name twice", withUsers, Addition{Routes: []*Route{route("a", "u", nil)}}, `HTTPRoute shop/r: spec.rules[0]: the name "a" is another route's`},
		{"an upstream twice", withUsers, Addition{Upstreams: []*Upstream{elsewhere("u")}}, `Service shop/u: the name "u" is another upstream's`},
		{"no upstream", withUsers, Addition{Routes: []*Route{route("b", "v", nil)}}, `HTTPRoute shop/r: spec.rules[0]: there is no upstream "v"`},
		{"a bad value", withUsers, Addition{Routes: []*Route{route("b", "u", func(r *Route) { r.Host = "a b" })}}, `HTTPRoute shop/r: spec.rules[0].host: expected a host, got "a b"`},
	} {
		c, err := Parse("f.yaml", []byte(test.file))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		c.Admin.Address = "127.0.0.1:3"
		for range 2 { // what is there already is replaced
			with, err := c.With(&test.more)
			if err != nil {
				if !strings.HasPrefix(err.Error(), test.want) {
					t.Errorf("%s: got %v, want %s", test.name, err, test.want)
				}
				break
			}
			var names []string
			for i, r := range with.Routes {
				names = append(names, r.Name)
				if with.Sums[i] != r.sum() || r.Name == "b" && r.Priority != -1 {
					t.Errorf("%s: %s: %+v", test.name, r.Name, r)
				}
			}
			for _, u := range with.Upstreams {
				names = append(names, u.Name)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("%s: got %s, want %s", test.name, got, test.want)
			}
			if changes := Diff(c, with); len(changes) > 0 || with.Admin != c.Admin {
				t.Errorf("%s: %v", test.name, changes)
			}
			c = with
		}
	}
}

// Every value that a source may set is checked as a file's is, and the problem says of which.
func TestProblemsOfValues(t *testing.T) {
	template := func(text string) *Template {
		made, wrong := NewTemplate(stands, text)
		if wrong != "" {
			t.Fatal(wrong)
		}
		return made
	}
	for want, change := range map[string]func(*Route){
		"": nil,
		`.match.host[1]: expected a host without a port, got "a:1"`:                        func(r *Route) { r.Match.Hosts = []string{"*.b", "a:1"} },
		`.match.path: a path begins with a slash`:                                          func(r *Route) { r.Match.Path.Text = "a" },
		`.match.path: expected a text, got nothing`:                                        func(r *Route) { r.Match.Path.Text = "" },
		`.match.methods.is: methods are in capitals, got "get"`:                            func(r *Route) { r.Match.Methods, r.Match.Exactly = []string{"get"}, true },
		`.match.methods[0]: expected the name of a method, got "G T"`:                      func(r *Route) { r.Match.Methods = []string{"G T"} },
		`.match.headers.x y: expected the name of a header field, got "x y"`:               func(r *Route) { r.Match.Headers = []Condition{{Name: "x y", Value: "1"}} },
		`.match.query.q: expected a text, got nothing`:                                     func(r *Route) { r.Match.Query = []Condition{{Name: "q"}} },
		`.match.cookies.q: expected a text without control characters, got "\r"`:           func(r *Route) { r.Match.Cookies = []Condition{{Name: "q", Value: "\r"}} },
		`.match.scheme: expected http or https, got "ftp"`:                                 func(r *Route) { r.Match.Scheme = "ftp" },
		`.match.rank: expected a whole number from 0 to 1000000, got -1`:                   func(r *Route) { r.Match.Rank = -1 },
		`.to: the weights of the targets are nothing together`:                             func(r *Route) { r.To[0].Weight = 0 },
		`.to.u: expected a whole number from 0 to 1000000, got 1000001`:                    func(r *Route) { r.To[0].Weight = 1_000_001 },
		`.redirect.status: expected 301, 302, 303, 307 or 308, got 304`:                    func(r *Route) { r.Redirect = &Redirect{Status: 304, To: template("/")} },
		`.redirect.to: ' ' can't stand in it`:                                              func(r *Route) { r.Redirect = &Redirect{Status: 302, To: template("/a b")} },
		`: {id} is no part of the path that is matched`:                                    func(r *Route) { r.Rewrite = template("/{id}") },
		`.rewrite: a path begins with a slash`:                                             func(r *Route) { r.Rewrite = template("a") },
		`.respond.status: expected a whole number from 200 to 599, got 99`:                 func(r *Route) { r.Respond = NewRespond(99) },
		`.request-headers.set.Host: Host frames messages and can't be changed`:             func(r *Route) { r.Request.Set = []Field{{"Host", "a"}} },
		`.request-headers.add.X: expected a value without control characters, got "a\r\n"`: func(r *Route) { r.Request.Add = []Field{{"X", "a\r\n"}} },
		`.response-headers.remove[0]: te frames messages and can't be changed`:             func(r *Route) { r.Response.Remove = []string{"te"} },
		`.timeout: expected a duration from 1ms to 24h0m0s, got 25h0m0s`:                   func(r *Route) { r.Timeout = 25 * time.Hour },
		`.retry.timeout: expected a duration from 1ms to 1h0m0s, got 1µs`:                  func(r *Route) { r.Retry.Timeout = time.Microsecond },
		`.fault.abort.status: expected a whole number from 400 to 599, got 200`:            func(r *Route) { r.Fault = &Fault{Abort: 200} },
		`.fault.abort.share: expected a share from 0% to 100%, got 2`:                      func(r *Route) { r.Fault = &Fault{Abort: 500, AbortShare: 2} },
		`.mirror.methods[0]: CONNECT can't be mirrored`:                                    func(r *Route) { r.Mirror = NewMirror(stands); r.Mirror.Methods = []string{"CONNECT"} },
		`.mirror.share: expected a share from 0% to 100%, got NaN`:                         func(r *Route) { r.Mirror = NewMirror(stands); r.Mirror.Share = nan() },
		`: the route matches by x-user-id`:                                                 func(r *Route) { r.Match.Headers = []Condition{{Name: "x-user-id", Value: "1"}} },
	} {
		got := ""
		if problems := route("b", "u", change).Problems([]string{"x-user-id"}); len(problems) > 0 {
			got = problems[0].String()
		}
		if want != "" {
			want = "HTTPRoute shop/r: spec.rules[0]" + want
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for want, change := range map[string]func(*Upstream){
		"":                                  nil,
		`expected a name of letters`:        func(u *Upstream) { u.Name = "a b" },
		`service: expected the name of`:     func(u *Upstream) { u.Kubernetes.Service = "A" },
		`namespace: expected the name of`:   func(u *Upstream) { u.Kubernetes.Namespace = "A" },
		`port: expected a port from 1`:      func(u *Upstream) { u.Kubernetes.Port = "70000" },
		`port: expected the name or number`: func(u *Upstream) { u.Kubernetes.Port = "A" },
	} {
		u := elsewhere("v")
		if change != nil {
			change(u)
		}
		if problems := u.Problems(); fmt.Sprint(problems) != "" && !strings.HasPrefix(problems.Error(), "Service shop/v: "+want) || want != "" && len(problems) == 0 {
			t.Errorf("got %v, want %s", problems, want)
		}
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

// A file that says what a route or upstream is shown as says the same.
func TestWritten(t *testing.T) {
	r := route("b", "v", func(r *Route) {
		r.To = append(r.To, Target{Upstream: "w", Weight: 3})
		r.Match = Match{
			Hosts: []string{"a.example", "*.b.example"}, Path: Pattern{Text: "/a/{id}/*"}, Methods: []string{"GET"}, Exactly: true,
			Headers: []Condition{{Name: "x", Value: "1*"}, {Name: "y", Kind: Present}, {Name: "z", Kind: Absent}},
			Query:   []Condition{{Name: "q", Value: "v"}}, Cookies: []Condition{{Name: "c", Value: "v", Kind: Begins}},
			Scheme: "https", Port: 443, Rank: 7,
		}
		r.Rewrite, _ = NewTemplate(At{}, "/b/{id}{/rest}")
		r.Host = "c.example"
		r.Request = Headers{Remove: []string{"a"}, Set: []Field{{"B", "it's: \"x\""}}, Add: []Field{{"C", "1"}}}
		r.Response = Headers{Add: []Field{{"D", ""}}}
		r.Timeout, r.Retry.Timeout = 90*time.Second, 1500*time.Millisecond
		r.Mirror = NewMirror(At{})
		r.Mirror.To, r.Mirror.Share, r.Mirror.Methods = Target{Upstream: "v", Weight: 1}, 1.0/3, []string{"GET", "POST"}
		r.Fault = &Fault{Abort: 500, AbortShare: 0.25}
	})
	redirect := route("c", "v", func(r *Route) {
		r.To = nil
		to, _ := NewTemplate(At{}, "https://{hostname}:8443{path}{query}")
		r.Redirect = &Redirect{Status: 301, To: to}
	})
	respond := route("d", "v", func(r *Route) { r.To, r.Respond = nil, NewRespond(404) })
	w := elsewhere("w")
	w.Kubernetes.Protocol, w.Kubernetes.Cluster = TalkH2C, KubernetesCluster{Kubeconfig: "/k", Context: "c", Timeout: time.Second}
	base, err := Parse("f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: {gateway: web}\n"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := base.With(&Addition{[]*Route{r, redirect, respond}, []*Upstream{elsewhere("v"), w}})
	if err != nil {
		t.Fatal(err)
	}
	text := "listen: 127.0.0.1:1\nroutes:\n"
	for _, r := range made.Routes {
		text += "  - " + r.Text + "\n"
	}
	text += "upstreams:\n"
	for _, u := range made.Upstreams {
		text += "  " + u.Name + ": " + u.Text + "\n"
	}
	read, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, r := range made.Routes {
		if got, want := plainly(read.Routes[i]), plainly(r); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", r.Name, got, want)
		}
	}
	for i, u := range made.Upstreams {
		if got, want := plainly(read.Upstreams[i]), plainly(u); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", u.Name, got, want)
		}
	}
}

// plainly is what a value says, without places and texts.
func plainly(v any) string {
	var b strings.Builder
	var write func(v reflect.Value)
	write = func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			write(v.Elem())
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				write(v.Index(i))
				b.WriteString(",")
			}
		case v.Kind() != reflect.Struct:
			fmt.Fprint(&b, v)
		default:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				text := (f.Name == "Text" || f.Name == "Matching") && v.Type() != reflect.TypeFor[Pattern]() && v.Type() != reflect.TypeFor[Part]()
				if f.Type != reflect.TypeFor[At]() && !text {
					b.WriteString(f.Name + "{")
					write(v.Field(i))
					b.WriteString("}")
				}
			}
		}
	}
	write(reflect.ValueOf(v))
	return b.String()
}
