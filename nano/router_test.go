package nano_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"dyno.example/nano"
)

// ask sends a request through net/http and returns the recorded response.
func ask(app *nano.App, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// tell responds with the route's pattern and the values of its parameters.
func tell(c nano.Ctx) error {
	s := c.Route().String()
	for _, p := range c.Route().Params() {
		s += " " + p + "=" + c.Param(p).String()
	}
	if rest := c.Rest(); rest != nil {
		s += " rest=" + rest.String()
	}
	return c.Text(200, s)
}

func appWith(config nano.Config, patterns ...string) *nano.App {
	app := nano.New(config)
	for _, p := range patterns {
		app.Handle(p, tell)
	}
	return app
}

func TestMatching(t *testing.T) {
	app := appWith(nano.Config{},
		"GET /", "GET /users", "GET /users/{id}", "GET /users/new", "POST /users/{id}",
		"GET /users/{id}/profile", "GET /users/{name}/posts/{post}", "/users/{id}/any",
		"GET /files/{path...}", "GET /files/readme", "GET /static/", "GET /exact/{$}",
		"GET /café", "GET /a%2Fb", "GET /us", "PUT /{x}/b", "PUT /a/{y}",
		"GET /over/{x}/c", "GET /over/b/{y}", "PURGE /cache/{key...}",
	)
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/", "GET / rest="},
		{"GET", "/none/such", "GET / rest=none/such"},
		{"GET", "/users", "GET /users"},
		{"GET", "/us", "GET /us"},
		{"GET", "/use", "GET / rest=use"},
		{"GET", "/users/7", "GET /users/{id} id=7"},
		{"GET", "/users/new", "GET /users/new"},
		{"GET", "/users/newer", "GET /users/{id} id=newer"},
		{"GET", "/users/ne", "GET /users/{id} id=ne"},
		{"POST", "/users/new", "POST /users/{id} id=new"},
		{"GET", "/users/7/profile", "GET /users/{id}/profile id=7"},
		{"GET", "/users/new/profile", "GET /users/{id}/profile id=new"},
		{"GET", "/users/a/posts/b", "GET /users/{name}/posts/{post} name=a post=b"},
		{"DELETE", "/users/7/any", "/users/{id}/any id=7"},
		{"PURGE", "/users/7/any", "/users/{id}/any id=7"},
		{"PURGE", "/cache/a/b", "PURGE /cache/{key...} key=a/b rest=a/b"},
		{"HEAD", "/users/7", "GET /users/{id} id=7"},
		{"GET", "/users/a%2Fb", "GET /users/{id} id=a/b"},
		{"GET", "/users/a%252Fb", "GET /users/{id} id=a%2Fb"},
		{"GET", "/users/%6Eew", "GET /users/new"},
		{"GET", "/users/a%20b/posts/%E2%82%AC", "GET /users/{name}/posts/{post} name=a b post=€"},
		{"GET", "/files/", "GET /files/{path...} path= rest="},
		{"GET", "/files/a/b.txt", "GET /files/{path...} path=a/b.txt rest=a/b.txt"},
		{"GET", "/files/a%2Fb/c", "GET /files/{path...} path=a/b/c rest=a/b/c"},
		{"GET", "/files/readme", "GET /files/readme"},
		{"GET", "/files/readme2", "GET /files/{path...} path=readme2 rest=readme2"},
		{"GET", "/static/", "GET /static/ rest="},
		{"GET", "/static/x/", "GET /static/ rest=x/"},
		{"GET", "/exact/", "GET /exact/{$}"},
		{"GET", "/exact/x", "GET / rest=exact/x"},
		{"GET", "/caf%C3%A9", "GET /café"},
		{"GET", "/a%2fb", "GET /a%2Fb"},
		{"PUT", "/a/b", "PUT /a/{y} y=b"},
		{"PUT", "/c/b", "PUT /{x}/b x=c"},
		{"GET", "/over/b/c", "GET /over/b/{y} y=c"},
		{"GET", "/over/b2/c", "GET /over/{x}/c x=b2"},
	} {
		w := ask(app, tt.method, tt.target)
		want := tt.want
		if tt.method == "HEAD" {
			want = w.Body.String() // the wire leaves it out
		}
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s %s: %d %q, want %q", tt.method, tt.target, w.Code, w.Body, want)
		}
	}
}

func TestResponsesWithoutRoute(t *testing.T) {
	patterns := []string{
		"GET /a", "GET /dir/", "POST /both", "GET /both", "GET /slash/{$}", "/every", "GET /x/{id}", "GET /deep/{id}/",
		"POST /odd/",
	}
	for _, tt := range []struct {
		name, method, target string
		policy               nano.SlashPolicy
		status               int
		field, value         string
	}{
		{"missing", "GET", "/b", 0, 404, "", ""},
		{"wrong method", "POST", "/a", 0, 405, "Allow", "GET, HEAD, OPTIONS"},
		{"wrong method of two", "PUT", "/both", 0, 405, "Allow", "GET, HEAD, OPTIONS, POST"},
		{"wrong method, found with a slash", "PUT", "/dir", 0, 405, "Allow", "GET, HEAD, OPTIONS"},
		{"wrong method, strict", "PUT", "/dir", nano.SlashStrict, 404, "", ""},
		{"options", "OPTIONS", "/both", 0, 204, "Allow", "GET, HEAD, OPTIONS, POST"},
		{"options of nothing", "OPTIONS", "/b", 0, 404, "", ""},
		{"options of all", "OPTIONS", "*", 0, 204, "Allow", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY"},
		{"star", "GET", "*", 0, 400, "", ""},
		{"add slash", "GET", "/dir?q=1", 0, 301, "Location", "/dir/?q=1"},
		{"add slash, other method", "POST", "/odd", 0, 308, "Location", "/odd/"},
		{"add slash, exact", "GET", "/slash", 0, 301, "Location", "/slash/"},
		{"add slash after a parameter", "GET", "/deep/a%2Fb%5C", 0, 301, "Location", "/deep/a%2Fb%5C/"},
		{"cut slash", "GET", "/a/", 0, 301, "Location", "/a"},
		{"cut slash after a parameter", "GET", "/x/7/", 0, 301, "Location", "/x/7"},
		{"strict", "GET", "/dir", nano.SlashStrict, 404, "", ""},
		{"strict, more", "GET", "/a/", nano.SlashStrict, 404, "", ""},
		{"merge", "GET", "/dir", nano.SlashMerge, 200, "", ""},
		{"merge, more", "GET", "/x/7/", nano.SlashMerge, 200, "", ""},
		{"double slash", "GET", "/a//b", 0, 301, "Location", "/a/b"},
		{"double slash in front", "GET", "//evil.example/x", 0, 301, "Location", "/evil.example/x"},
		{"backslash in front", "GET", "/%5Cevil.example/./", 0, 301, "Location", "/%5Cevil.example/"},
		{"dots", "GET", "/a/../a", 0, 301, "Location", "/a"},
		{"dots in escapes", "GET", "/x/%2e%2e/a", 0, 301, "Location", "/a"},
		{"dots as a parameter", "GET", "/x/..", 0, 301, "Location", "/"},
		{"dots below a subtree", "GET", "/dir/x/../../a", 0, 301, "Location", "/a"},
		{"dots above the root", "GET", "/../../a", 0, 301, "Location", "/a"},
		{"dots, strict", "GET", "/x/..", nano.SlashStrict, 404, "", ""},
		{"double slash below a subtree, strict", "GET", "/dir//x", nano.SlashStrict, 404, "", ""},
		{"every method", "TRACE", "/every", 0, 200, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			app := appWith(nano.Config{TrailingSlash: tt.policy}, patterns...)
			r := httptest.NewRequest(tt.method, "/", nil)
			r.RequestURI = tt.target
			if err := setURL(r, tt.target); err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != tt.status || w.Header().Get(tt.field) != tt.value {
				t.Errorf("got %d %s: %q, want %d %q", w.Code, tt.field, w.Header().Get(tt.field), tt.status, tt.value)
			}
		})
	}
}

// setURL sets a target as it would come from a connection: NewRequest cleans it.
func setURL(r *http.Request, target string) error {
	if target == "*" {
		r.URL.Path = "*"
		return nil
	}
	u, err := url.ParseRequestURI("http://x" + target)
	r.URL = u
	return err
}

func TestSlashMergeKeepsParameters(t *testing.T) {
	app := appWith(nano.Config{TrailingSlash: nano.SlashMerge}, "GET /x/{id}", "GET /y/{a}/{b}/")
	for target, want := range map[string]string{
		"/x/a%2Fb/":   "GET /x/{id} id=a/b",
		"/y/1/2":      "GET /y/{a}/{b}/ a=1 b=2 rest=",
		"/y/%41/%2F2": "GET /y/{a}/{b}/ a=A b=/2 rest=",
	} {
		if w := ask(app, "GET", target); w.Body.String() != want {
			t.Errorf("%s: %d %q, want %q", target, w.Code, w.Body, want)
		}
	}
}

func TestDecodingKeepsOtherViews(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/{a}/{b}/{c}", func(c nano.Ctx) error {
		a := c.Param("a")
		b := c.Param("b")
		z := c.Param("c")
		if again := c.Param("a"); string(again) != string(a) {
			t.Errorf("a is %q, then %q", a, again)
		}
		if string(a) != "1/1" || string(b) != "2%2" || string(z) != strings.Repeat("/", 200) {
			t.Errorf("got %q %q %q", a, b, z)
		}
		return nil
	})
	ask(app, "GET", "/1%2F1/2%252/"+strings.Repeat("%2F", 200))
}

func TestRegistrationErrors(t *testing.T) {
	for _, tt := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"GET /a", "GET /a"}, "conflicts with route GET /a (registered at"},
		{[]string{"GET /a/{x}", "GET /a/{y}"}, "GET /a/{y} (registered at "},
		{[]string{"/a/{x...}", "/a/"}, "both serve the same requests"},
		{[]string{"GET h.example/a", "GET H.example/a"}, "conflicts"},
		{[]string{"GET a"}, "must begin with a slash"},
		{[]string{"GET"}, "must begin with a slash"},
		{[]string{"G(T /a"}, `"G(T" is not a method`},
		{[]string{"/a/{x"}, "isn't closed"},
		{[]string{"/a/{x}{y}"}, "first one ends"},
		{[]string{"/a/v{x...}"}, "whole last segment"},
		{[]string{"/{x}/{x}"}, "comes twice"},
		{[]string{"{x}.example.com/{x}"}, "comes twice"},
		{[]string{"/{}"}, "no name"},
		{[]string{"/{a-b}"}, "Go identifier"},
		{[]string{"/{a...}/b"}, "must be at the end"},
		{[]string{"/{$}/b"}, "must be at the end"},
		{[]string{"/a//b"}, "clean path"},
		{[]string{"/a/../b"}, "clean path"},
		{[]string{"/a/%2e"}, "clean path"},
		{[]string{"/%zz"}, "hexadecimal"},
		{[]string{"/%4"}, "hexadecimal"},
		{[]string{"example.com:80/"}, "without a port"},
		{[]string{strings.Repeat("a", 256) + "/"}, "256 bytes"},
		{[]string{"münchen.example/"}, "ASCII"},
		{[]string{"a.{x}.com/"}, "first label"},
		{[]string{"/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}/{k}/{l}/{m}/{n}/{o}/{p}/{q}"}, "17 parameters; 16 are possible"},
	} {
		message := panicOf(func() { appWith(nano.Config{}, tt.patterns...) })
		if !strings.HasPrefix(message, "nano: ") || !strings.Contains(message, tt.want) || !strings.Contains(message, "router_test.go:") {
			t.Errorf("%q: %q, want a message with %q", tt.patterns, message, tt.want)
		}
	}
}

// TestMethodInAPattern: a pattern for Get that begins with a method says so.
func TestMethodInAPattern(t *testing.T) {
	message := panicOf(func() { nano.New(nano.Config{}).Get("GET /a", func(nano.Ctx) error { return nil }) })
	if want := "begins with the method GET"; !strings.Contains(message, want) {
		t.Errorf("%q, want a message with %q", message, want)
	}
}

// TestOtherSyntaxIsExplained: a parameter as other routers write it is refused with what to
// write, and how the character itself is.
func TestOtherSyntaxIsExplained(t *testing.T) {
	for pattern, want := range map[string]string{
		"/:id":  `the character ":" at the start of a segment is written %3A`,
		"/a?b":  `the character "?" is written %3F`,
		"/a/{x": "the character is written %7B",
	} {
		if message := panicOf(func() { appWith(nano.Config{}, pattern) }); !strings.Contains(message, want) {
			t.Errorf("%q: %q, want a message with %q", pattern, message, want)
		}
	}
}

func panicOf(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

func TestSixteenParameters(t *testing.T) {
	app := appWith(nano.Config{}, "{h}.example.com/{b}/{c}/{d}/{e}/{f}/{g}/{i}/{j}/{k}/{l}/{m}/{n}/{o}/{p}/{q...}")
	w := ask(app, "GET", "http://0.example.com/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16")
	if !strings.HasSuffix(w.Body.String(), "p=14 q=15/16 rest=15/16") || !strings.Contains(w.Body.String(), " h=0 b=1 ") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestHosts(t *testing.T) {
	app := appWith(nano.Config{},
		"GET /x", "GET example.com/x", "GET {tenant}.example.com/x/{id}", "GET api.example.com/x/{id}", "GET [::1]/x", "GET /x/{id}",
		"GET api.example.com/", "POST /only")
	for target, want := range map[string]string{
		"http://other.org/x":                        "GET /x",
		"http://example.com/x":                      "GET example.com/x",
		"http://EXAMPLE.com.:8080/x":                "GET example.com/x",
		"http://api.example.com/x/7":                "GET api.example.com/x/{id} id=7",
		"http://api.example.com/y":                  "GET api.example.com/ rest=y",
		"http://acme.example.com/x/a%2Fb":           "GET {tenant}.example.com/x/{id} tenant=acme id=a/b",
		"http://Acme.example.com:80/x/8":            "GET {tenant}.example.com/x/{id} tenant=Acme id=8",
		"http://acme.example.com/x":                 "GET /x",
		"http://a.b.example.com/x/9":                "GET /x/{id} id=9",
		"http://[::1]:80/x":                         "GET [::1]/x",
		"http://.example.com/x/1":                   "GET /x/{id} id=1",
		"http://" + strings.Repeat("a", 300) + "/x": "GET /x",
	} {
		if w := ask(app, "GET", target); w.Body.String() != want {
			t.Errorf("%s: %d %q, want %q", target, w.Code, w.Body, want)
		}
	}
}
