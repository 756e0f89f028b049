package gatewayapi

import (
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request/requesttest"
	"dyno.example/nanogate/internal/route"
)

// Whoever may write routes in some namespace takes nothing from the file's routes and their
// guards: not by a more specific path, a host, a method or conditions.
func TestFileFirst(t *testing.T) {
	steal := `{"kind":"HTTPRoute","metadata":{"namespace":"shop","name":"steal"},"spec":{"parentRefs":[{"name":"web"}],"hostnames":[HOSTS],"rules":[{"matches":[
		{"path":{"type":"Exact","value":"/admin/login"}},{"path":{"value":"/admin/sub"}},{"path":{"value":"/"}},
		{"path":{"type":"Exact","value":"/admin/login"},"method":"POST","headers":[{"name":"x","value":"y"}],"queryParams":[{"name":"q","value":"1"}]},
		{"path":{"type":"Exact","value":"/oauth2/callback"}},{"path":{"value":"/users"}}],"backendRefs":[{"name":"users","port":80}]}]}}`
	of := func(priority, hosts string) *route.Table[string] {
		base, err := config.Parse("f.yaml", []byte(`listen: 127.0.0.1:1
kubernetes: {gateway: web`+priority+`}
routes:
  - {name: admin, match: {path: "/admin/*"}, keys: {file: ./keys}, to: "http://127.0.0.1:2"}
  - {name: get, match: {path: "/get/*", methods: [GET]}, to: "http://127.0.0.1:2"}
  - {name: login, match: {path: "/oauth2/*", host: "*.test"}, to: "http://127.0.0.1:2"}
`))
		if err != nil {
			t.Fatal(err)
		}
		made := translated(t, objects(t, gatewayText(`{"name":"all","port":80,"protocol":"HTTP"}`), strings.Replace(steal, "HOSTS", hosts, 1)), settings())
		c, err := base.With(&made.Addition)
		if err != nil {
			t.Fatal(err)
		}
		order := map[*string]int{}
		e := (&route.Table[string]{}).Edit(func(name *string) int { return order[name] })
		for i, r := range c.Routes {
			order[&r.Name] = i
			e.Add(&r.Match, r.Priority, &r.Name)
		}
		return e.Table()
	}
	find := func(table *route.Table[string], head string) string {
		var f route.Found
		if v := table.Find(requesttest.Parse(t, head+" HTTP/1.1\r\nHost: a.test\r\nX: y\r\n\r\n"), &f); v != nil {
			return *v
		}
		return "none"
	}
	for _, hosts := range []string{"", `"a.test"`} {
		table := of("", hosts)
		for head, want := range map[string]string{
			"GET /admin/login": "admin", "POST /admin/login?q=1": "admin", "GET /admin/sub/x": "admin", "GET /admin": "admin", "GET /oauth2/callback": "login",
			"GET /users/1": "shop/steal/0.5", "GET /x": "shop/steal/0.2", "GET /get/x": "get", "POST /get/x": "shop/steal/0.2",
		} {
			if got := find(table, head); got != want {
				t.Errorf("%s at %q is taken by %s, want %s", head, hosts, got, want)
			}
		}
		if got := find(of(", priority: 0", hosts), "GET /admin/login"); got != "shop/steal/0.0" {
			t.Errorf("with priority: 0 it is taken by %s", got)
		}
	}
}
