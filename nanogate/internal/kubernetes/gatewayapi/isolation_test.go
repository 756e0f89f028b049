package gatewayapi

import (
	"fmt"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/request/requesttest"
	"dyno.example/nanogate/internal/route"
)

// tableOf makes the table of what was made, in which routes have their names.
func tableOf(t *testing.T, made *Result) *route.Table[string] {
	t.Helper()
	c := with(t, made)
	order := map[*string]int{}
	e := (&route.Table[string]{}).Edit(func(name *string) int { return order[name] })
	for i, r := range c.Routes {
		order[&r.Name] = i
		e.Add(&r.Match, r.Priority, &r.Name)
	}
	return e.Table()
}

// A request comes to the listener with the most specific hostname, and finds its routes
// alone, whether hostnames are the listeners' or the routes' too.
func TestIsolation(t *testing.T) {
	gateway := gatewayText(`{"name":"all","port":80,"protocol":"HTTP"}`, `{"name":"wide","port":80,"protocol":"HTTP","hostname":"*.example.com"}`,
		`{"name":"narrow","port":80,"protocol":"HTTP","hostname":"*.foo.example.com"}`, `{"name":"one","port":80,"protocol":"HTTP","hostname":"abc.foo.example.com"}`)
	sections := []string{"all", "wide", "narrow", "one"}
	of := func(section, hostnames string) string {
		return `{"kind":"HTTPRoute","metadata":{"namespace":"shop","name":"` + section + `"},"spec":{"parentRefs":[{"name":"web","sectionName":"` + section + `"}],"hostnames":[` + hostnames + `],"rules":[{"matches":[{"path":{"value":"/` + section + `"}}],"backendRefs":[{"name":"users","port":80}]}]}}`
	}
	for _, hostnames := range []string{"", `"bar.com","*.example.com","*.foo.example.com","abc.foo.example.com"`} {
		added := []string{gateway}
		for _, section := range sections {
			added = append(added, of(section, hostnames))
		}
		made := translated(t, objects(t, added...), settings())
		table := tableOf(t, made)
		for host, owner := range map[string]string{"bar.com": "all", "bar.example.com": "wide", "bar.foo.example.com": "narrow", "abc.foo.example.com": "one"} {
			for _, section := range sections {
				r := requesttest.Parse(t, "GET /"+section+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
				var f route.Found
				got, want := "none", "gateway/shop/web/"+owner
				if v := table.Find(r, &f); v != nil {
					got = *v
				}
				if section == owner {
					want = "shop/" + section + "/0.0"
				} else if owner == "all" {
					want = "none"
				}
				if got != want {
					t.Errorf("hostnames [%s]: %s/%s finds %s, want %s", hostnames, host, section, got, want)
				}
			}
		}
		for i, l := range made.Gateways[Name{Namespace: "shop", Name: "web"}].Listeners {
			if l.AttachedRoutes != 1 {
				t.Errorf("hostnames [%s]: %d routes belong to %s, want 1", hostnames, l.AttachedRoutes, sections[i])
			}
		}
	}
}

// Listeners that don't overlap take nothing from each other, and a route all of whose
// hostnames are a narrower listener's gets no requests.
func TestNoIsolation(t *testing.T) {
	for _, test := range []struct{ name, listeners, hostnames, want string }{
		{"one listener", `{"name":"a","port":80,"protocol":"HTTP","hostname":"*.example.com"}`, ``, "shop/r/0.0 [*.example.com]"},
		{"beside each other", `{"name":"a","port":80,"protocol":"HTTP","hostname":"a.example.com"},{"name":"b","port":80,"protocol":"HTTP","hostname":"b.example.com"}`, ``, "shop/r/0.0 [a.example.com]"},
		{"another protocol", `{"name":"a","port":80,"protocol":"HTTP"},{"name":"b","port":443,"protocol":"HTTPS","hostname":"b.example.com"}`, ``, "shop/r/0.0@http []"},
		{"a narrower one that isn't served", `{"name":"a","port":80,"protocol":"HTTP"},{"name":"b","port":80,"protocol":"TCP","hostname":"b.example.com"}`, `"b.example.com"`, "shop/r/0.0 [b.example.com]"},
		{"all of them narrower", `{"name":"a","port":80,"protocol":"HTTP"},{"name":"b","port":80,"protocol":"HTTP","hostname":"*.example.com"}`, `"c.example.com"`, "gateway/shop/web/b [*.example.com]"},
		{"some of them", `{"name":"a","port":80,"protocol":"HTTP"},{"name":"b","port":80,"protocol":"HTTP","hostname":"*.example.com"}`, `"c.example.com","c.example.org"`, "shop/r/0.0 [c.example.org] gateway/shop/web/b [*.example.com]"},
	} {
		s := settings()
		s.Secure = true
		text := strings.Replace(routeText("r", `{"backendRefs":[{"name":"users","port":80}]}`), `[{"name":"web"}]`, `[{"name":"web","sectionName":"a"}],"hostnames":[`+test.hostnames+`]`, 1)
		made := translated(t, objects(t, gatewayText(test.listeners), text), s)
		var got []string
		for _, r := range made.Addition.Routes {
			got = append(got, fmt.Sprint(r.Name, " ", r.Match.Hosts))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if got := said(made.HTTP[Name{Namespace: "shop", Name: "r"}][0].Conditions); got != "" {
			t.Errorf("%s: of the route is said %q", test.name, got)
		}
	}
}
