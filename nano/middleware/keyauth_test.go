package middleware

import (
	"testing"

	"dyno.example/nano"
)

func TestKeyAuth(t *testing.T) {
	keys := map[string]string{"k-ada": "ada", "k-bob": "bob"}
	for _, c := range []struct {
		name   string
		config KeyAuthConfig
		target string
		fields []string
		want   int
	}{
		{"right", KeyAuthConfig{Keys: keys}, "/", []string{"X-API-Key", "k-ada"}, 200},
		{"wrong", KeyAuthConfig{Keys: keys}, "/", []string{"X-API-Key", "k-eve"}, 401},
		{"part of one", KeyAuthConfig{Keys: keys}, "/", []string{"X-API-Key", "k-ad"}, 401},
		{"none", KeyAuthConfig{Keys: keys}, "/", nil, 401},
		{"in the query unasked", KeyAuthConfig{Keys: keys}, "/?key=k-ada", nil, 401},
		{"in the query", KeyAuthConfig{Keys: keys, Query: "key"}, "/?key=k-ada", nil, 200},
		{"bearer", KeyAuthConfig{Keys: keys, Header: "Authorization"}, "/", []string{"Authorization", "bearer k-bob"}, 200},
		{"other scheme", KeyAuthConfig{Keys: keys, Header: "Authorization"}, "/", []string{"Authorization", "Basic k-bob"}, 401},
		{"own scheme", KeyAuthConfig{Keys: keys, Header: "Authorization", Scheme: "ApiKey"}, "/", []string{"Authorization", "ApiKey k-bob"}, 200},
	} {
		got := ask(app(KeyAuth(c.config)), "GET", c.target, c.fields...)
		if got.Status != c.want || (c.want == 401) != (got.Header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: %d, challenge %q", c.name, got.Status, got.Header.Get("WWW-Authenticate"))
		}
	}
}

func TestKeyAuthTellsWho(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(KeyAuth(KeyAuthConfig{Keys: map[string]string{"k": "ada"}}))
	a.Get("/", func(c nano.Ctx) error { name, _ := KeyOwner.Get(c); return c.Text(200, name) })
	if got := ask(a, "GET", "/", "X-API-Key", "k"); got.Text() != "ada" {
		t.Errorf("%q", got.Text())
	}
	mustPanic(t, "neither keys nor check", func() { KeyAuth(KeyAuthConfig{}) })
	mustPanic(t, "an empty key", func() { KeyAuth(KeyAuthConfig{Keys: map[string]string{"": "nobody"}}) })
}
