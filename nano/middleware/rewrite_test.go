package middleware

import (
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// told is an app that tells what it was asked for.
func told(rewrite func(*nano.Target)) *nanotest.Client {
	a := nano.New(nano.Config{Rewrite: rewrite})
	tell := func(c nano.Ctx) error {
		return c.Text(200, c.Method().String()+" "+c.Path().String()+"?"+c.RawQuery().String()+" id="+c.Param("id").String())
	}
	a.Any("/v1/{id}", tell)
	a.Any("/old/{id}", tell)
	a.Any("/v1/{id}/{rest...}", tell)
	return nanotest.New(a)
}

func TestRewrite(t *testing.T) {
	client := told(Rewrites(Rewrite(
		RewriteRule{"/api/v1/*", "/v1/$1"},
		RewriteRule{"/by/*/of/*", "/v1/$2/$1x"},
		RewriteRule{"/a-rather-long-path-to-something-short", "/v1/s"},
	)))
	for target, want := range map[string]string{
		"/api/v1/7":       "GET /v1/7? id=7",
		"/api/v1/7?a=b":   "GET /v1/7?a=b id=7",
		"/api/v1/7?":      "GET /v1/7? id=7",
		"/api/v1/a%20b":   "GET /v1/a%20b? id=a b",
		"/by/1/of/2":      "GET /v1/2/1x? id=2",
		"/old/7?x=/api/v": "GET /old/7?x=/api/v id=7",
		"/a-rather-long-path-to-something-short?q": "GET /v1/s?q id=s",
	} {
		if got := client.Get(target).Do(); got.Text() != want {
			t.Errorf("%s: %d %q, want %q", target, got.Status, got.Text(), want)
		}
	}
	mustPanic(t, "more than there are stars", func() { Rewrite(RewriteRule{"/a/*", "/b/$1/$2"}) })
	mustPanic(t, "no path", func() { Rewrite(RewriteRule{"a", "/b"}) })
}

func TestMethodOverride(t *testing.T) {
	client := told(Rewrites(MethodOverride(MethodOverrideConfig{Query: "_method"})))
	for _, c := range []struct{ method, target, header, want string }{
		{"POST", "/v1/7", "DELETE", "DELETE /v1/7? id=7"},
		{"POST", "/v1/7", "patch", "PATCH /v1/7? id=7"},
		{"POST", "/v1/7?_method=put", "", "PUT /v1/7?_method=put id=7"},
		{"POST", "/v1/7", "HEAD", "POST /v1/7? id=7"},
		{"POST", "/v1/7", "TRACE", "POST /v1/7? id=7"},
		{"GET", "/v1/7", "DELETE", "GET /v1/7? id=7"},
		{"POST", "/v1/7", "", "POST /v1/7? id=7"},
	} {
		request := client.Request(c.method, c.target)
		if c.header != "" {
			request.Header("X-HTTP-Method-Override", c.header)
		}
		if got := request.Text("body").Do(); got.Text() != c.want {
			t.Errorf("%s %s %s: %d %q, want %q", c.method, c.target, c.header, got.Status, got.Text(), c.want)
		}
	}
	mustPanic(t, "HEAD", func() { MethodOverride(MethodOverrideConfig{Methods: []string{"HEAD"}}) })
}
