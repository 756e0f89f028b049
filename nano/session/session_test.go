package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// visited is an app that remembers a name, and a client that keeps cookies.
func visited(config Config) *nano.App {
	a := nano.New(nano.Config{})
	config.Insecure = true
	a.Use(New(config))
	a.Post("/login", func(c nano.Ctx) error {
		s := Of(c)
		body, _ := c.Body()
		s.Set("user", string(body))
		s.Renew()
		return c.Text(200, "hello")
	})
	a.Get("/", func(c nano.Ctx) error { return c.Text(200, Of(c).Get("user")) })
	a.Post("/logout", func(c nano.Ctx) error { Of(c).End(); return c.NoContent(204) })
	a.Post("/forget", func(c nano.Ctx) error { Of(c).Delete("user"); return c.NoContent(204) })
	a.Post("/fails", func(c nano.Ctx) error { Of(c).Set("user", "eve"); return errors.New("it fails") })
	return a
}

func cookieOf(r *nanotest.Response) string {
	return strings.Split(r.Header.Get("Set-Cookie"), ";")[0]
}

func TestSession(t *testing.T) {
	a := visited(Config{})
	client := nanotest.New(a).KeepCookies()
	if got := client.Get("/").Do(); got.Text() != "" || got.Header.Get("Set-Cookie") != "" {
		t.Errorf("reading made a session: %q, %v", got.Text(), got.Header)
	}
	login := client.Post("/login").Text("ada").Do()
	if set := login.Header.Get("Set-Cookie"); !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax") {
		t.Errorf("cookie %q", set)
	}
	if got := login.Header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control %q", got)
	}
	if got := client.Get("/").Do(); got.Text() != "ada" {
		t.Errorf("%q", got.Text())
	}
	if got := nanotest.New(a).Get("/").Do(); got.Text() != "" {
		t.Errorf("another client is %q", got.Text())
	}
	client.Post("/fails").Do()
	if got := client.Get("/").Do(); got.Text() != "ada" {
		t.Errorf("after a request that failed: %q", got.Text())
	}
	client.Post("/logout").Do()
	stolen := nanotest.New(a).Get("/").Header("Cookie", cookieOf(login)).Do()
	if got := client.Get("/").Do(); got.Text() != "" || stolen.Text() != "" {
		t.Errorf("after the end: %q, with the old cookie %q", got.Text(), stolen.Text())
	}
}

// TestFixation: an ID that was there before logging in is worth nothing after, and one
// that the server never gave is not taken over.
func TestFixation(t *testing.T) {
	a := visited(Config{})
	first := nanotest.New(a).Post("/login").Text("eve").Do()
	planted := cookieOf(first)
	second := nanotest.New(a).Post("/login").Header("Cookie", planted).Text("ada").Do()
	if cookieOf(second) == planted || cookieOf(second) == "" {
		t.Fatalf("the ID stays %q", planted)
	}
	if got := nanotest.New(a).Get("/").Header("Cookie", planted).Do(); got.Text() != "" {
		t.Errorf("the planted ID is %q", got.Text())
	}
	made := "session=" + newID()
	if got := nanotest.New(a).Post("/login").Header("Cookie", made).Text("ada").Do(); cookieOf(got) == made {
		t.Error("an ID of the client's own was taken over")
	}
}

func TestSecureByDefault(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(New(Config{}))
	a.Get("/", func(c nano.Ctx) error { Of(c).Set("a", "b"); return c.NoContent(204) })
	set := nanotest.New(a).Get("/").Do().Header.Get("Set-Cookie")
	for _, want := range []string{"__Host-session=", "Secure", "HttpOnly", "Path=/"} {
		if !strings.Contains(set, want) {
			t.Errorf("%q lacks %s", set, want)
		}
	}
}

// failing is a store that is away.
type failing struct{ Store }

var errAway = errors.New("the store is away")

func (failing) Load(context.Context, string) (map[string]string, error) { return nil, errAway }
func (failing) Save(context.Context, string, map[string]string, time.Duration) error {
	return errAway
}

func TestAStoreThatIsAway(t *testing.T) {
	client := nanotest.New(visited(Config{Store: failing{}}))
	if got := client.Post("/login").Text("ada").Do(); got.Status != 503 || got.Header.Get("Set-Cookie") != "" {
		t.Errorf("logging in gets %d, cookie %q", got.Status, got.Header.Get("Set-Cookie"))
	}
	if got := client.Get("/").Header("Cookie", "session="+newID()).Do(); got.Status != 503 {
		t.Errorf("a session that can't be read gets %d", got.Status)
	}
}

func TestTooLarge(t *testing.T) {
	client := nanotest.New(visited(Config{MaxBytes: 100}))
	if got := client.Post("/login").Text(strings.Repeat("a", 200)).Do(); got.Status != 503 {
		t.Errorf("%d", got.Status)
	}
}

func TestMemoryForgets(t *testing.T) {
	m := NewMemory(1000).(*memory)
	now, ctx := time.Unix(0, 0), context.Background()
	m.now = func() time.Time { return now }
	for _, id := range []string{"a", "b", "c"} {
		if err := m.Save(ctx, id, map[string]string{"k": id}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	m.Load(ctx, "a") // used last
	m.Save(ctx, "d", map[string]string{"k": "d"}, time.Hour)
	for id, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if got, _ := m.Load(ctx, id); (got != nil) != want {
			t.Errorf("%s is there: %v, want %v", id, got != nil, want)
		}
	}
	now = now.Add(time.Hour)
	if got, _ := m.Load(ctx, "a"); got != nil {
		t.Error("a is there after its time")
	}
}
