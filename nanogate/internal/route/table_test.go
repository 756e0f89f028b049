package route

import (
	"fmt"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// tableOf makes a table of the routes of a configuration, each with its name.
func tableOf(t testing.TB, routes string) *Table[string] {
	t.Helper()
	c, err := config.Parse("f", []byte("listen: 127.0.0.1:1\nroutes:\n"+routes))
	if err != nil {
		t.Fatal(err)
	}
	return namesOf(c)
}

// namesOf makes a table of a configuration's routes, each with its name.
func namesOf(c *config.Config) *Table[string] {
	order := map[*string]int{}
	for i, r := range c.Routes {
		order[&r.Name] = i
	}
	e := (&Table[string]{}).Edit(func(name *string) int { return order[name] })
	for _, r := range c.Routes {
		e.Add(&r.Match, r.Priority, &r.Name)
	}
	return e.Table()
}

func TestFind(t *testing.T) {
	table := tableOf(t, `
  - {name: root, match: {path: /}, respond: {}}
  - {name: any, match: {path: "/*"}, respond: {}}
  - {name: api, match: {path: "/api/*"}, respond: {}}
  - {name: api-post, match: {path: "/api/*", methods: [POST]}, respond: {}}
  - {name: user, match: {path: "/api/users/{id}", methods: [GET]}, respond: {}}
  - {name: me, match: {path: /api/users/me}, respond: {}}
  - {name: orders, match: {path: "/api/users/{id}/orders/*"}, respond: {}}
  - {name: version, match: {path: "/api/*", headers: {X-Version: "2*"}}, respond: {}}
  - {name: debug, match: {path: "/api/*", query: {debug: "*"}, headers: {X-Version: "2"}}, respond: {}}
  - {name: beta, match: {path: "/api/*", cookies: {release: beta}}, respond: {}}
  - {name: prefix, match: {path: "/pre*"}, respond: {}}
  - {name: host, match: {host: a.example.com, path: "/*"}, respond: {}}
  - {name: below, match: {host: "*.example.com", path: "/*"}, respond: {}}
  - {name: first, match: {path: /api/first}, priority: 1, respond: {}}
  - {name: only, match: {host: only.test, path: /x, methods: [PUT, DELETE]}, respond: {}}
`)
	for _, c := range []struct{ line, fields, want, params string }{
		{"GET /", "", "root", ""}, {"GET /x", "", "any", "x"}, {"GET /api", "", "api", ""}, {"GET /api/", "", "api", ""}, {"GET /apix", "", "any", "apix"},
		{"GET /api/a/b", "", "api", "a/b"}, {"POST /api/a", "", "api-post", "a"}, {"POST /api", "", "api-post", ""},
		{"GET /api/users/7", "", "user", "7"}, {"HEAD /api/users/7", "", "user", "7"}, {"DELETE /api/users/7", "", "api", "users/7"}, {"GET /api/users/me", "", "me", ""},
		{"GET /api/users/", "", "api", "users/"}, {"GET /api/users/7/orders", "", "orders", "7"}, {"GET /api/users/7/orders/1/2", "", "orders", "7 1/2"}, {"GET /api/users/me/orders", "", "orders", "me"},
		{"GET /api/a", "X-Version: 2.1\r\n", "version", "a"}, {"GET /api/a?debug=1", "X-Version: 2\r\n", "debug", "a"}, {"GET /api/a?x&de%62ug", "X-Version: 2\r\n", "debug", "a"}, {"GET /api/a", "X-Version: 1\r\n", "api", "a"},
		{"GET /api/a", "Cookie: a=b; release=beta\r\n", "beta", "a"}, {"GET /api/a", "Cookie: release=betas\r\n", "api", "a"},
		{"GET /prefix", "", "prefix", "fix"}, {"GET /pre", "", "prefix", ""}, {"GET /pr", "", "any", "pr"},
		{"GET /api/first", "Host: z\r\n", "first", ""},
		{"GET /q", "Host: a.example.com\r\n", "host", "q"}, {"GET /q", "Host: A.Example.Com.:80\r\n", "host", "q"}, {"GET /q", "Host: b.example.com\r\n", "below", "q"}, {"GET /q", "Host: c.b.example.com\r\n", "below", "q"}, {"GET /q", "Host: example.com\r\n", "any", "q"},
		{"GET /x", "Host: only.test\r\n", "any", "x"}, {"PUT /x", "Host: only.test\r\n", "only", ""},
	} {
		if !strings.Contains(c.fields, "Host:") {
			c.fields += "Host: h\r\n"
		}
		r := requesttest.Parse(t, c.line+" HTTP/1.1\r\n"+c.fields+"\r\n")
		var f Found
		got := table.Find(r, &f)
		var params []string
		for _, p := range f.Params[:f.N] {
			if p.End > p.Start {
				params = append(params, string(r.Path[p.Start:p.End]))
			}
		}
		if got == nil || *got != c.want || strings.Join(params, " ") != c.params {
			name := "nothing"
			if got != nil {
				name = *got
			}
			t.Errorf("%s %q: %s with %q, want %s with %q", c.line, c.fields, name, params, c.want, c.params)
		}
	}
}

func TestWrongMethod(t *testing.T) {
	table := tableOf(t, `
  - {match: {path: /a, methods: [GET, POST]}, respond: {}}
  - {match: {path: /a, methods: [POST, PUT]}, respond: {}}
`)
	var f Found
	r := requesttest.Parse(t, "DELETE /a HTTP/1.1\r\nHost: h\r\n\r\n")
	if table.Find(r, &f) != nil || !f.WrongMethod {
		t.Errorf("%+v", f)
	}
	if got := strings.Join(table.Allowed(r), " "); got != "GET POST PUT" {
		t.Errorf("allowed: %s", got)
	}
	if r := requesttest.Parse(t, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n"); table.Find(r, &f) != nil || f.WrongMethod {
		t.Errorf("another path: %+v", f)
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	var routes strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&routes, "  - {match: {path: \"/service-%d/{id}/*\", host: h%d.example.com}, respond: {}}\n", i, i%10)
	}
	table := tableOf(t, routes.String())
	r := requesttest.Parse(t, "GET /service-777/42/rest HTTP/1.1\r\nHost: H7.example.com\r\n\r\n")
	var f Found
	if n := testing.AllocsPerRun(100, func() {
		if table.Find(r, &f) == nil {
			t.Fatal("nothing was found")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A lookup agrees with a plain reading of the patterns about whether there is any match.
func FuzzFind(f *testing.F) {
	f.Add("/a/b", "/a/*", "/{x}/b")
	f.Add("/api", "/api/*", "/ap*")
	f.Fuzz(func(t *testing.T, path, one, two string) {
		src := fmt.Sprintf("listen: 127.0.0.1:1\nroutes: [{match: {path: %q}, respond: {}}, {match: {path: %q}, respond: {}}]\n", one, two)
		c, err := config.Parse("f", []byte(src))
		if err != nil || !request.Clean([]byte(path), false) || strings.ContainsAny(path, "% ?#\\") {
			t.Skip()
		}
		for i := range len(path) {
			if path[i] <= ' ' || path[i] > '~' {
				t.Skip()
			}
		}
		table, want := namesOf(c), false
		for _, r := range c.Routes {
			want = want || matches(r.Match.Path.Text, path)
		}
		var found Found
		if got := table.Find(requesttest.Parse(t, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"), &found); (got != nil) != want {
			t.Fatalf("%q in %q and %q: %v, want %v", path, one, two, got, want)
		}
	})
}

// matches is what a pattern means, segment by segment.
func matches(pattern, path string) bool {
	body, star := strings.CutSuffix(pattern, "*")
	if star && body != "/" && strings.HasSuffix(body, "/") && matches(strings.TrimSuffix(body, "/"), path) {
		return true
	}
	for body != "" {
		if strings.HasPrefix(body, "{") {
			end := strings.IndexByte(body, '}')
			n := strings.IndexByte(path, '/')
			if n < 0 {
				n = len(path)
			}
			if n == 0 {
				return false
			}
			body, path = body[end+1:], path[n:]
			continue
		}
		if path == "" || path[0] != body[0] {
			return false
		}
		body, path = body[1:], path[1:]
	}
	return star || path == ""
}

// A rank decides before conditions and methods, and not before the path; a scheme is a
// condition, as is a method that is just that.
func TestRankAndScheme(t *testing.T) {
	table := tableOf(t, `
  - {name: fields, match: {path: "/a/*", headers: {x: "1"}, rank: 2}, respond: {}}
  - {name: method, match: {path: "/a/*", methods: [PATCH], rank: 1}, respond: {}}
  - {name: exact, match: {path: /a/b, rank: 3}, respond: {}}
  - {name: star, match: {path: /s, headers: {x: {is: "1*"}}}, respond: {}}
  - {name: plain, match: {path: /s, scheme: http}, respond: {}}
  - {name: both, match: {path: /s}, respond: {}}
  - {name: just, match: {path: /m, methods: {is: GET}}, respond: {}}
  - {name: also, match: {path: /m, headers: {x: "1"}}, respond: {}}
  - {name: port, match: {path: /p, port: 8443}, respond: {}}
  - {name: insecure, match: {path: /p, port: 8080}, respond: {}}
`)
	for _, c := range []struct {
		line, fields, want string
		secure             bool
	}{
		{"PATCH /a/c", "x: 1\r\n", "method", false}, {"GET /a/c", "x: 1\r\n", "fields", false}, {"PATCH /a/b", "x: 1\r\n", "exact", false},
		{"GET /p", "", "port", true}, {"GET /p", "", "insecure", false},
		{"GET /m", "", "just", false}, {"HEAD /m", "x: 1\r\n", "also", false}, {"HEAD /m", "", "", false}, {"POST /m", "", "", false},
		{"GET /s", "", "plain", false}, {"GET /s", "", "both", true}, {"GET /s", "x: 1*\r\n", "star", true}, {"GET /s", "x: 12\r\n", "both", true},
	} {
		r := requesttest.Parse(t, c.line+" HTTP/1.1\r\nHost: h\r\n"+c.fields+"\r\n")
		if r.Secure, r.Port = c.secure, 8080; c.secure {
			r.Port = 8443
		}
		var f Found
		name := ""
		if got := table.Find(r, &f); got != nil {
			name = *got
		}
		if name != c.want || name == "" && f.WrongMethod {
			t.Errorf("%s %s secure %v: %q, want %q; a wrong method: %v", c.line, c.fields, c.secure, name, c.want, f.WrongMethod)
		}
	}
}
