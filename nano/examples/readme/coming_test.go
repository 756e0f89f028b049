package readme

import (
	"strings"
	"testing"
	"time"

	lib "github.com/golang-jwt/jwt/v5"

	"dyno.example/nano"
	"dyno.example/nano/jwt"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/session"
)

var tenant = nano.NewKey[string]("tenant")

func withTenant(next nano.Handler) nano.Handler { // called once for each route
	return func(c nano.Ctx) error { // called for each request
		name := c.Header("X-Tenant").String()
		if name == "" {
			return nano.NewProblem(400, "X-Tenant is missing") // next isn't called
		}
		tenant.Set(c, name)
		return next(c)
	}
}

func TestTenant(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error {
		name, _ := tenant.Get(c)
		return c.Text(200, name)
	}, nano.With(withTenant))
	if got := nanotest.New(app).Get("/").Header("X-Tenant", "a").Do(); got.Text() != "a" {
		t.Errorf("%d %s", got.Status, got.Text())
	}
	if got := nanotest.New(app).Get("/").Do(); got.Status != 400 {
		t.Errorf("without a tenant: %d %s", got.Status, got.Text())
	}
}

func token(secret []byte) (string, error) {
	t := lib.NewWithClaims(lib.SigningMethodHS256, jwt.Claims{"sub": "ada", "aud": "orders", "exp": time.Now().Add(time.Hour).Unix()})
	t.Header["kid"] = "2026"
	token, err := t.SignedString(secret) // lib is github.com/golang-jwt/jwt/v5; 32 bytes or more
	return token, err
}

func TestToken(t *testing.T) {
	secret := []byte(strings.Repeat("s", 32))
	token, err := token(secret)
	if err != nil {
		t.Fatal(err)
	}
	if got := nanotest.New(service(secret)).Get("/v1/me").Header("Authorization", "Bearer "+token).Do(); got.Text() != "ada" {
		t.Errorf("%d %s", got.Status, got.Text())
	}
}

func TestSession(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Use(session.New(session.Config{}))
	app.Post("/login", func(c nano.Ctx) error {
		s := session.Of(c) // of session.New(session.Config{}), with app.Use
		s.Set("user", "ada")
		s.Renew() // whoever logs in gets a new ID
		return c.NoContent(204)
	})
	app.Get("/me", func(c nano.Ctx) error { return c.Text(200, session.Of(c).Get("user")) })
	client := nanotest.New(app).KeepCookies()
	client.Post("/login").Do()
	if got := client.Get("/me").Do(); got.Text() != "ada" {
		t.Errorf("%d %s", got.Status, got.Text())
	}
}
