package middleware

import (
	"fmt"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// cached is an app whose response differs each time, with the fields that the query asks for.
func cached(config CacheConfig) *nano.App {
	a := nano.New(nano.Config{})
	n := 0
	a.Use(Cache(config))
	a.Any("/{path...}", func(c nano.Ctx) error {
		n++
		for _, name := range []string{"Cache-Control", "Vary", "Set-Cookie"} {
			if v := c.Query(name); v != nil {
				c.SetHeader(name, v.String())
			}
			if v := c.Query(name + "2"); v != nil {
				c.AddHeader(name, v.String())
			}
		}
		if c.Query("status") != nil {
			return c.Text(404, fmt.Sprint(n))
		}
		return c.Text(200, fmt.Sprint(n))
	})
	return a
}

func TestCache(t *testing.T) {
	for _, c := range []struct {
		name, target string
		first, again []string // fields
		hit          bool
	}{
		{"said nothing", "/", nil, nil, false},
		{"max-age", "/?Cache-Control=max-age=60", nil, nil, true},
		{"max-age=0", "/?Cache-Control=max-age=0", nil, nil, false},
		{"s-maxage first", "/?Cache-Control=max-age=60,s-maxage=0", nil, nil, false},
		{"private", "/?Cache-Control=private,max-age=60", nil, nil, false},
		{"no-store", "/?Cache-Control=no-store,max-age=60", nil, nil, false},
		{"a cookie is set", "/?Cache-Control=max-age=60&Set-Cookie=a=b", nil, nil, false},
		{"not found", "/?status&Cache-Control=max-age=60", nil, nil, false},
		{"asked with a cookie", "/?Cache-Control=max-age=60", []string{"Cookie", "a=b"}, nil, false},
		{"asked again with a cookie", "/?Cache-Control=max-age=60", nil, []string{"Cookie", "a=b"}, false},
		{"asked with a key", "/?Cache-Control=max-age=60", []string{"X-API-Key", "a"}, nil, false},
		{"asked again with a key", "/?Cache-Control=max-age=60", nil, []string{"X-API-Key", "a"}, false},
		{"vary by a second field", "/?Cache-Control=max-age=60&Vary=Accept&Vary2=X-Tenant", []string{"X-Tenant", "a"}, []string{"X-Tenant", "b"}, false},
		{"vary, sent twice", "/?Cache-Control=max-age=60&Vary=X-Tenant", []string{"X-Tenant", "a"}, []string{"X-Tenant", "a", "X-Tenant", "b"}, false},
		{"private in a second field", "/?Cache-Control=max-age=60&Cache-Control2=private", nil, nil, false},
		{"public", "/?Cache-Control=public,max-age=60", []string{"Authorization", "x"}, []string{"Authorization", "y"}, true},
		{"the client wants it fresh", "/?Cache-Control=max-age=60", nil, []string{"Cache-Control", "no-cache"}, false},
		{"vary, the same", "/?Cache-Control=max-age=60&Vary=Accept", []string{"Accept", "a"}, []string{"Accept", "a"}, true},
		{"vary, another", "/?Cache-Control=max-age=60&Vary=Accept", []string{"Accept", "a"}, []string{"Accept", "b"}, false},
		{"vary by everything", "/?Cache-Control=max-age=60&Vary=*", nil, nil, false},
	} {
		a := cached(CacheConfig{})
		first, again := ask(a, "GET", c.target, c.first...), ask(a, "GET", c.target, c.again...)
		if hit := again.Text() == first.Text(); hit != c.hit || hit != (again.Header.Get("Age") != "") {
			t.Errorf("%s: %q, then %q with age %q", c.name, first.Text(), again.Text(), again.Header.Get("Age"))
		}
	}
}

// What somebody was let in for is kept for nobody, whatever field says who that is.
func TestCacheOfWhomWasLetIn(t *testing.T) {
	a, n := nano.New(nano.Config{}), 0
	a.Use(Cache(CacheConfig{Fresh: time.Minute}), KeyAuth(KeyAuthConfig{Keys: map[string]string{"a": "alice"}, Header: "X-Token"}))
	a.Get("/", func(c nano.Ctx) error {
		n++
		return c.Text(200, fmt.Sprint(n))
	})
	if first, again := ask(a, "GET", "/", "X-Token", "a"), ask(a, "GET", "/"); first.Status != 200 || again.Status != 401 {
		t.Errorf("%d, then %d %q", first.Status, again.Status, again.Text())
	}
}

func TestCacheKeys(t *testing.T) {
	a := cached(CacheConfig{Fresh: time.Minute})
	client := nanotest.New(a)
	one := client.Get("/a?x=1").Do().Text()
	for _, r := range []*nanotest.Request{client.Get("/a?x=2"), client.Get("/b?x=1"), nanotest.New(a).Host("other.example").Get("/a?x=1")} {
		if got := r.Do(); got.Text() == one {
			t.Error("another target was given the same response")
		}
	}
	if got := client.Post("/a?x=1").Text("").Do(); got.Text() == one {
		t.Error("a POST was given the response of a GET")
	}
	if got := client.Head("/a?x=1").Do(); got.Header.Get("Age") == "" || got.Header.Get("Content-Length") != fmt.Sprint(len(one)) {
		t.Errorf("HEAD: %v", got.Header)
	}
}

func TestCacheIsBounded(t *testing.T) {
	a := cached(CacheConfig{Fresh: time.Minute, MaxBytes: 2000})
	first := ask(a, "GET", "/0").Text()
	for i := range 20 {
		ask(a, "GET", fmt.Sprintf("/%d", i+1))
	}
	if got := ask(a, "GET", "/0").Text(); got == first {
		t.Error("21 responses of more than 300 bytes are kept in 2,000")
	}
	mustPanic(t, "negative", func() { Cache(CacheConfig{MaxBytes: -1}) })
}
