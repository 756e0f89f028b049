package nano_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"dyno.example/nano"
)

// refusal returns the message with which a registration panics; "": it is taken.
func refusal(register func()) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprint(p)
		}
	}()
	register()
	return ""
}

// TestOtherSyntaxIsRefused: what is a parameter in other routers would be letters
// that nobody sends.
func TestOtherSyntaxIsRefused(t *testing.T) {
	for _, c := range []struct{ pattern, says string }{
		{"/users/:id", "{id}"},
		{"/users/:id/posts/:post", "{id}"},
		{"/users/:id<int>", "{id}"},
		{"/users/:id?", "{id}"},
		{"/:lang/x", "{lang}"},
		{"/files/*", "{path...}"},
		{"/files/*path", "{path...}"},
		{"/files/*filepath", "{filepath...}"},
		{"/a*", "{path...}"},
		{"/users/{id}*", "{path...}"},
		{"/q?a=b", "Ctx.Query"},
		{"/users/{id}?full=1", "Ctx.Query"},
		{"/a#b", "%23"},
		{"/users/<id>", "{name}"},
		{"/users/<int:id>", "{name}"},
		{"/{a}{b}", "where the first one ends"},
		{"/{a", "isn't closed"},
		{"/a}", "closes nothing"},
		{"/{a:int?}", "{name?:int}"},
		{"/{a:itn}", "no constraint itn"},
		{"/{a:}", "nothing follows"},
		{"/{a:[}", "no regular expression"},
		{"/{a:x)(y}", "no regular expression"},
		{"/{a:" + strings.Repeat("[0-9]", 200) + "}", "512 bytes"},
		{"/{a?}/b", "at the end"},
		{"/{a?}/{b}", "at the end"},
		{"/{a?}/", "at the end"},
		{"/{a?}/{b...}", "at the end"},
		{"/x{a?}", "whole segment"},
		{"/{a...:int}", "constraint"},
		{"/v{a...}", "whole last segment"},
		{"/{a...}/b", "must be at the end"},
		{"/{a:int}/{a}", "comes twice"},
	} {
		app := nano.New(nano.Config{})
		got := refusal(func() { app.Get(c.pattern, tell) })
		if !strings.Contains(got, c.says) || !strings.Contains(got, "segment_test.go:") || !strings.Contains(got, c.pattern) {
			t.Errorf("%s: %q, want %q", c.pattern, got, c.says)
		}
	}
	for _, right := range []string{"/users/%3Aid", "/a:b", "/users:batch", "/users/{id}:verify", "/%2A", "/a%3Fb", "/:", "/:1"} {
		app := nano.New(nano.Config{})
		if got := refusal(func() { app.Get(right, tell) }); got != "" {
			t.Errorf("%s: %s", right, got)
		}
	}
}

// TestSegments: which route matches, and with which values.
func TestSegments(t *testing.T) {
	app := nano.New(nano.Config{})
	for _, p := range []string{
		"/items/{id:int}", "/items/{id:uuid}", "/items/{name:alpha}", "/items/{rest}", "/items/new",
		"/posts/{year:[0-9]{4}}/{month:(0[1-9]|1[0-2])}", "/posts/{slug:[a-z][a-z0-9-]*}",
		"/range/{from:int}-{to:int}", "/range/{a}-{b}", "/range/{x}",
		"/v{major}.{minor}/x", "/v{major}/x", "/file/{name}.{ext}", "/file/{name}.json", "/file/report-{name}",
		"/act/{id}:verify", "/act/{id}",
		"/list/{page?:uint}", "/cal/{year?:uint}/{month?:uint}", "/on/{day:date}", "/esc/{a}2{b}", "/esc/{v:.+x}", "/flag/{f:bool}",
		"/{lang?:(en|de)}",
	} {
		app.Get(p, showMatch)
	}
	for _, c := range []struct{ path, want string }{
		{"/items/7", "/items/{id:int} id=7"},
		{"/items/-7", "/items/{id:int} id=-7"},
		{"/items/+7", "/items/{rest} rest=+7"},
		{"/items/9223372036854775807", "/items/{id:int} id=9223372036854775807"},
		{"/items/9223372036854775808", "/items/{rest} rest=9223372036854775808"},
		{"/items/-9223372036854775808", "/items/{id:int} id=-9223372036854775808"},
		{"/items/-9223372036854775809", "/items/{rest} rest=-9223372036854775809"},
		{"/items/new", "/items/new"},
		{"/items/newer", "/items/{name:alpha} name=newer"},
		{"/items/n3w", "/items/{rest} rest=n3w"},
		{"/items/%37", "/items/{id:int} id=7"},
		{"/items/123e4567-e89b-12d3-a456-426614174000", "/items/{id:uuid} id=123e4567-e89b-12d3-a456-426614174000"},
		{"/items/123e4567-e89b-12d3-a456-42661417400g", "/items/{rest} rest=123e4567-e89b-12d3-a456-42661417400g"},
		{"/posts/2026/11", "/posts/{year:[0-9]{4}}/{month:(0[1-9]|1[0-2])} year=2026 month=11"},
		{"/posts/2026/13", "404"},
		{"/posts/20266/11", "404"},
		{"/posts/a-title", "/posts/{slug:[a-z][a-z0-9-]*} slug=a-title"},
		{"/posts/A", "404"},
		{"/range/1-9", "/range/{from:int}-{to:int} from=1 to=9"},
		{"/range/-5--6", "/range/{from:int}-{to:int} from=-5 to=-6"},
		{"/range/x-y-z", "/range/{a}-{b} a=x b=y-z"},
		{"/range/-y", "/range/{x} x=-y"},
		{"/range/y-", "/range/{x} x=y-"},
		{"/range/--y", "/range/{a}-{b} a=- b=y"},
		{"/v1.2/x", "/v{major}.{minor}/x major=1 minor=2"},
		{"/v12/x", "/v{major}/x major=12"},
		{"/v/x", "404"},
		{"/file/a.tar.gz", "/file/{name}.{ext} name=a ext=tar.gz"},
		{"/file/a.b.json", "/file/{name}.json name=a.b"},
		{"/file/report-a.json", "/file/report-{name} name=a.json"},
		{"/file/.json", "404"},
		{"/act/7:verify", "/act/{id}:verify id=7"},
		{"/act/7:other", "/act/{id} id=7:other"},
		{"/list", "/list/{page?:uint} page="},
		{"/list/3", "/list/{page?:uint} page=3"},
		{"/list/x", "404"},
		{"/cal", "/cal/{year?:uint}/{month?:uint} year= month="},
		{"/cal/2026", "/cal/{year?:uint}/{month?:uint} year=2026 month="},
		{"/cal/2026/2", "/cal/{year?:uint}/{month?:uint} year=2026 month=2"},
		{"/list/", "301 /list"},
		{"/list/3/", "301 /list/3"},
		{"/on/2024-02-29", "/on/{day:date} day=2024-02-29"},
		{"/on/2026-02-29", "404"},
		{"/on/1900-02-29", "404"},
		{"/on/2026-00-10", "404"},
		// An escaped slash is three bytes of canonical path, none of which is text.
		{"/esc/a%2Fb", "404"},
		{"/esc/a%2F2b", "/esc/{a}2{b} a=a/ b=b"},
		{"/esc/a%252F", "/esc/{a}2{b} a=a% b=F"},
		{"/esc/a%2Fx", "/esc/{v:.+x} v=a/x"},
		{"/flag/true", "/flag/{f:bool} f=true"},
		{"/flag/True", "404"},
		{"/", "/{lang?:(en|de)} lang="},
		{"/de", "/{lang?:(en|de)} lang=de"},
		{"/fr", "404"},
	} {
		if got := asked(app, c.path); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}

func showMatch(c nano.Ctx) error {
	s := c.Route().Pattern()
	for _, name := range c.Route().Params() {
		s += " " + name + "=" + c.Param(name).String()
	}
	return c.Text(200, s)
}

// asked returns the response to a GET: what a 200 says, else the status.
func asked(app *nano.App, target string) string {
	u, err := url.ParseRequestURI("http://h.example" + target)
	if err != nil {
		return err.Error()
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, &http.Request{Method: "GET", URL: u, Host: u.Host, Body: http.NoBody})
	if w.Code == 200 {
		return w.Body.String()
	}
	return strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Header().Get("Location")))
}

// TestSegmentConflicts: patterns that could match the same without one being the
// more specific are found when they are registered, in either order.
func TestSegmentConflicts(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		conflict bool
	}{
		{"/{a:int}", "/{b:int}", true},
		{"/{a:int}", "/{b:uint}", false},
		{"/{a:int}", "/{b}", false},
		{"/{a:int}", "/{b:[0-9]+}", true},
		{"/{a:int}", "/{b:[a-z]+}", false},
		{"/{a:[0-9]+}", "/{b:[0-9]{3}}", true},
		{"/{a:[0-9]{2}}", "/{b:[0-9]{3}}", false},
		{"/{a:(?i)abc}", "/{b:(ABC)}", true},
		{"/{a:^x+$}", "/{b:(x)}", true},
		{"/{a:[^0-9]+}", "/{b:[0-9]+}", false},
		{"/{a}-{b}", "/{c}-{d}", true},
		{"/{a}-{b}", "/{c}.{d}", true},
		{"/{a:int}-{b:int}", "/{c:alpha}.{d:alpha}", false},
		{"/{a}.json", "/{a}.xml", false},
		{"/{a:int}-{b}", "/{a}-{b:int}", false}, // the first constraint decides
		{"/v{a}", "/{b}-{c}", false},
		{"/users/{id?}", "/users", true},
		{"/users/{id?}", "/users/{x}", true},
		{"/users/{id?:int}", "/users/{x}", false},
		{"/{a?}", "/{$}", true},
		{"/a/{x:[a-f]+}/c", "/a/{y:[a-z]+}/d", true},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			app := nano.New(nano.Config{})
			app.Get(pair[0], tell)
			got := refusal(func() { app.Get(pair[1], tell) })
			if (got != "") != c.conflict || c.conflict && strings.Count(got, "segment_test.go:") != 2 {
				t.Errorf("%s then %s: %q", pair[0], pair[1], got)
			}
		}
	}
	app := nano.New(nano.Config{})
	app.Get("/{a:[a-z]{2}[0-9]}", tell)
	if got := refusal(func() { app.Get("/{a:x.*}", tell) }); !strings.Contains(got, `such as "xa0"`) {
		t.Errorf("no example that both match: %s", got)
	}
}

// TestSegmentURLs: what URL makes is found again, with the same values.
func TestSegmentURLs(t *testing.T) {
	for _, c := range []struct {
		pattern string
		values  []string
		want    string
	}{
		{"/i/{id:int}", []string{"id", "7"}, "/i/7"},
		{"/i/{id:int}", []string{"id", "x"}, "!would not match"},
		{"/r/{a}-{b}", []string{"a", "x/y", "b", "%-"}, "/r/x%2Fy-%25-"},
		{"/r/{a}-{b}", []string{"a", "x-y", "b", "z"}, "!would not match"},
		{"/r/{a}-{b}", []string{"a", "x", "b", ""}, "!would not match"},
		{"/l/{p?}", nil, "/l"},
		{"/l/{p?}", []string{"p", "2"}, "/l/2"},
		{"/{p?}", nil, "/"},
		{"/c/{y?}/{m?}", []string{"y", "2026"}, "/c/2026"},
		{"/c/{y?}/{m?}", []string{"m", "2"}, "!no {m}"},
		{"{t}.example.com/{p?}", []string{"t", "acme"}, "//acme.example.com/"},
		{"/ü{a}/x", []string{"a", "é"}, "/%C3%BC%C3%A9/x"},
	} {
		app := nano.New(nano.Config{})
		app.Get(c.pattern, showMatch, nano.Name("r"))
		got, err := app.URL("r", c.values...)
		if wrong, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s %v: %s, %v, want %s", c.pattern, c.values, got, err, wrong)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s %v: %s, %v, want %s", c.pattern, c.values, got, err, c.want)
		}
		if found := asked(app, got); !strings.HasPrefix(got, "//") && !strings.HasPrefix(found, app.Routes()[0].Pattern()) {
			t.Errorf("%s isn't found at %s: %s", c.pattern, got, found)
		}
	}
}

func TestTemplates(t *testing.T) {
	for pattern, want := range map[string]string{
		"/a/{id:int}":               "/a/{id}",
		"/a/{y:[0-9]{4}}-{m:int}.x": "/a/{y}-{m}.x",
		"/a/{p?}":                   "/a/{p} /a",
		"/{p?:int}/{q?}":            "/{p}/{q} /{p} /",
		"/a/{rest...}":              "/a/{rest...}",
		"/a/{$}":                    "/a/{$}",
		"/a/":                       "/a/",
		"/":                         "/",
	} {
		app := nano.New(nano.Config{})
		if got := strings.Join(app.Get(pattern, tell).Templates(), " "); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
