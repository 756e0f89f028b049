package nano_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestSetCookie(t *testing.T) {
	for _, tt := range []struct {
		cookie nano.Cookie
		want   string // "": refused
	}{
		{nano.Cookie{Name: "a", Value: "1"}, "a=1; HttpOnly; SameSite=Lax"},
		{nano.Cookie{Name: "a"}, "a=; HttpOnly; SameSite=Lax"},
		{nano.Cookie{Name: "__Host-a", Value: "1", Path: "/", Secure: true, SameSite: nano.SameSiteStrict, MaxAge: time.Hour}, "__Host-a=1; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict"},
		{nano.Cookie{Name: "a", Value: "1", Domain: "example.com", ForScripts: true, Secure: true, SameSite: nano.SameSiteNone, Partitioned: true}, "a=1; Domain=example.com; Secure; SameSite=None; Partitioned"},
		{nano.Cookie{Name: "a", MaxAge: -1, Expires: time.Unix(0, 0)}, "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; HttpOnly; SameSite=Lax"},
		{nano.Cookie{Name: "a", MaxAge: time.Millisecond}, "a=; Max-Age=1; HttpOnly; SameSite=Lax"},
		{nano.Cookie{Name: ""}, ""},
		{nano.Cookie{Name: "a b"}, ""},
		{nano.Cookie{Name: "a=b"}, ""},
		{nano.Cookie{Name: "a", Value: "x y"}, ""},
		{nano.Cookie{Name: "a", Value: "x;Domain=b"}, ""},
		{nano.Cookie{Name: "a", Value: "x\r\nSet-Cookie: b=c"}, ""},
		{nano.Cookie{Name: "a", Path: "/;x"}, ""},
		{nano.Cookie{Name: "a", Path: "x"}, ""},
		{nano.Cookie{Name: "a", Domain: "a;b"}, ""},
		{nano.Cookie{Name: "a", SameSite: nano.SameSiteNone}, ""},
		{nano.Cookie{Name: "a", Partitioned: true}, ""},
		{nano.Cookie{Name: "__Host-a", Secure: true}, ""},
		{nano.Cookie{Name: "__Secure-a"}, ""},
	} {
		app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
		app.Get("/", func(c nano.Ctx) error {
			c.SetCookie(nano.Cookie{Name: "first", Value: "x"})
			c.SetCookie(tt.cookie)
			return nil
		})
		if err := tt.cookie.Check(); (err == nil) != (tt.want != "") {
			t.Errorf("%+v: Check says %v", tt.cookie, err)
		}
		got := nanotest.New(app).Get("/").Do()
		if tt.want == "" {
			if got.Status != 500 {
				t.Errorf("%+v was sent: %v", tt.cookie, got.Header)
			}
			continue
		}
		sent := got.Header["Set-Cookie"]
		if len(sent) != 2 || sent[1] != tt.want {
			t.Errorf("got %q, want %q", sent, tt.want)
			continue
		}
		if _, err := http.ParseSetCookie(sent[1]); err != nil {
			t.Error(err)
		}
	}
}

func TestCookie(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Get("/", func(c nano.Ctx) error {
		if v := c.Cookie("a"); v != nil {
			return c.Text(200, v.String())
		}
		return c.NoContent(204)
	})
	for _, tt := range []struct {
		sent, want string
		status     int
	}{
		{"a=1", "1", 200},
		{"b=2; a=1; a=3", "1", 200},
		{"b=2;a=1", "1", 200},
		{`a="q"`, "q", 200},
		{"a=", "", 200},
		{"A=1", "", 204},
		{"a", "", 204},
		{"=1; aa=1", "", 204},
		{`a=x"y; a=2`, "2", 200},
		{"a=b=c", "b=c", 200},
	} {
		if got := nanotest.New(app).Get("/").Header("Cookie", tt.sent).Do(); got.Status != tt.status || got.Text() != tt.want {
			t.Errorf("%s: %d %q, want %d %q", tt.sent, got.Status, got.Body, tt.status, tt.want)
		}
	}
}

func TestSignedCookies(t *testing.T) {
	old, recent := []byte(strings.Repeat("o", 32)), []byte(strings.Repeat("n", 32))
	signer := func(keys ...[]byte) *nano.CookieSigner {
		s, err := nano.NewCookieSigner(keys...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := nano.NewCookieSigner([]byte("short")); err == nil {
		t.Error("a short key was taken")
	}
	const secret = "user=17; admin=\"no\""
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Get("/set", func(c nano.Ctx) error {
		signer(old).Set(c, nano.Cookie{Name: "s", Value: secret})
		return nil
	})
	app.Get("/get/{name}", func(c nano.Ctx) error {
		v, ok := signer(recent, old).Get(c, c.Param("name").String())
		if !ok {
			return c.NoContent(204)
		}
		return c.Text(200, v)
	})
	client := nanotest.New(app).KeepCookies()
	value, _, _ := strings.Cut(client.Get("/set").Do().Header.Get("Set-Cookie"), ";")
	value = strings.TrimPrefix(value, "s=")
	if got := client.Get("/get/s").Do(); got.Text() != secret {
		t.Errorf("got %d %q", got.Status, got.Body)
	}
	for _, forged := range []string{"s=x" + value, "s=" + value + "x", "s=" + strings.Split(value, ".")[0], "t=" + value, "s=.", "s="} {
		if got := nanotest.New(app).Get("/get/"+forged[:1]).Header("Cookie", forged).Do(); got.Status != 204 {
			t.Errorf("%q was taken: %q", forged, got.Body)
		}
	}
}
