package middleware

import (
	"encoding/base64"
	"errors"
	"testing"

	"dyno.example/nano"
)

func TestBasicAuth(t *testing.T) {
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	users := BasicAuthConfig{Users: map[string]string{"ann": "p:w", "bob": ""}}
	broken := BasicAuthConfig{Check: func(nano.Ctx, string, string) (bool, error) { return true, errors.New("no database") }}
	for _, tt := range []struct {
		name   string
		config BasicAuthConfig
		sent   string
		status int
		user   string
	}{
		{"right", users, basic("ann:p:w"), 200, "ann"},
		{"lower case", users, "basic" + basic("ann:p:w")[5:], 200, "ann"},
		{"empty password", users, basic("bob:"), 200, "bob"},
		{"wrong", users, basic("ann:pw"), 401, ""},
		{"other's", users, basic("bob:p:w"), 401, ""},
		{"unknown", users, basic("eve:p:w"), 401, ""},
		{"shifted", users, basic("ann:p:w:"), 401, ""},
		{"none", users, "", 401, ""},
		{"no colon", users, basic("ann"), 401, ""},
		{"not base64", users, "Basic !", 401, ""},
		{"bearer", users, "Bearer abc", 401, ""},
		{"check fails", broken, basic("a:b"), 500, ""},
	} {
		a := app()
		a.Get("/x", func(c nano.Ctx) error { u, _ := User.Get(c); return c.Text(200, u) }, nano.With(BasicAuth(tt.config)))
		got := ask(a, "GET", "/x", "Authorization", tt.sent)
		if got.Status != tt.status || tt.status == 200 && got.Text() != tt.user {
			t.Errorf("%s: %d %s", tt.name, got.Status, got.Text())
		}
		if challenge := got.Header.Get("WWW-Authenticate"); (challenge == `Basic realm="restricted", charset="UTF-8"`) != (tt.status == 401) {
			t.Errorf("%s: challenge %q", tt.name, challenge)
		}
	}
	mustPanic(t, "no users", func() { BasicAuth(BasicAuthConfig{}) })
	mustPanic(t, "colon", func() { BasicAuth(BasicAuthConfig{Users: map[string]string{"a:b": "c"}}) })
}
