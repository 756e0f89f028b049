package middleware

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// counting is an app whose handler counts its runs, and fails if the body says so.
func counting(config IdempotencyConfig) (client *nanotest.Client, runs *int) {
	runs = new(int)
	a := nano.New(nano.Config{})
	a.Use(Idempotency(config))
	a.Post("/orders", func(c nano.Ctx) error {
		*runs++
		body, _ := c.Body()
		switch string(body) {
		case "fail":
			return errors.New("the database is away")
		case "refuse":
			return nano.NewProblem(409, "sold out")
		}
		c.SetHeader("Location", fmt.Sprintf("/orders/%d", *runs))
		return c.JSON(201, map[string]int{"order": *runs})
	})
	return nanotest.New(a), runs
}

func TestIdempotency(t *testing.T) {
	client, runs := counting(IdempotencyConfig{})
	order := func(key, body string) *nanotest.Response {
		r := client.Post("/orders").Header("Authorization", "Bearer ada")
		if key != "" {
			r.Header("Idempotency-Key", key)
		}
		return r.Text(body).Do()
	}
	first := order("k1", "tea")
	again := order("k1", "tea")
	if *runs != 1 || again.Status != 201 || again.Text() != first.Text() || again.Header.Get("Location") != "/orders/1" || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("after %d runs the repetition gets %d %q, %v", *runs, again.Status, again.Text(), again.Header)
	}
	if first.Header.Get("Idempotent-Replayed") != "" {
		t.Error("the first response is called a repetition")
	}
	for _, c := range []struct {
		name, key, body string
		status, runs    int
	}{
		{"the key for another request", "k1", "coffee", 422, 1},
		{"another key", "k2", "tea", 201, 2},
		{"no key", "", "tea", 201, 3},
		{"a failure", "k3", "fail", 500, 4},
		{"tried again", "k3", "fail", 500, 5},
		{"a refusal", "k4", "refuse", 409, 6},
		{"is kept", "k4", "refuse", 409, 6},
		{"a key without end", strings.Repeat("k", 256), "tea", 400, 6},
	} {
		if got := order(c.key, c.body); got.Status != c.status || *runs != c.runs {
			t.Errorf("%s: %d after %d runs, want %d after %d", c.name, got.Status, *runs, c.status, c.runs)
		}
	}
	// Somebody else who guesses the key gets no response of ada's.
	if got := client.Post("/orders").Header("Authorization", "Bearer eve").Header("Idempotency-Key", "k1").Text("tea").Do(); got.Header.Get("Idempotent-Replayed") != "" {
		t.Error("eve was given ada's response")
	}
}

// Whoever tells its users apart by what nano's own middleware does gets nobody another's
// response, though both number their keys alike.
func TestIdempotencyOfOthers(t *testing.T) {
	auth := func(header string, query string) nano.Middleware {
		return KeyAuth(KeyAuthConfig{Keys: map[string]string{"key-of-alice": "alice", "key-of-eve": "eve"}, Header: header, Query: query})
	}
	for name, c := range map[string]struct {
		use    []nano.Middleware
		target string
		field  string
		of     [2]string // of alice and of eve
	}{
		"sessions":                {nil, "/", "Cookie", [2]string{"sid=alice", "sid=eve"}},
		"basic":                   {nil, "/", "Authorization", [2]string{"Basic YTph", "Basic ZTpl"}},
		"keys":                    {[]nano.Middleware{auth("", "")}, "/", "X-API-Key", [2]string{"key-of-alice", "key-of-eve"}},
		"keys, looked at later":   {nil, "/", "X-API-Key", [2]string{"key-of-alice", "key-of-eve"}},
		"keys in a field of ours": {[]nano.Middleware{auth("X-Token", "")}, "/", "X-Token", [2]string{"key-of-alice", "key-of-eve"}},
		"keys in the query":       {[]nano.Middleware{auth("", "k")}, "/?k=", "", [2]string{"key-of-alice", "key-of-eve"}},
	} {
		a, runs := nano.New(nano.Config{}), 0
		a.Use(append(c.use, Idempotency(IdempotencyConfig{}))...)
		a.Post("/", func(c nano.Ctx) error {
			runs++
			return c.Text(200, fmt.Sprint("receipt ", runs))
		})
		order := func(who string) *nanotest.Response {
			target := c.target
			if c.field == "" {
				target += who
			}
			r := nanotest.New(a).Post(target).Header("Idempotency-Key", "order-1")
			if c.field != "" {
				r.Header(c.field, who)
			}
			return r.Text("x").Do()
		}
		first, others, again := order(c.of[0]), order(c.of[1]), order(c.of[0])
		if first.Text() != "receipt 1" || again.Text() != "receipt 1" || runs > 2 {
			t.Errorf("%s: %q, then %q after %d runs", name, first.Text(), again.Text(), runs)
		}
		if others.Text() == "receipt 1" {
			t.Errorf("%s: eve gets %q, which is alice's", name, others.Text())
		}
	}
}

func TestIdempotencyRequired(t *testing.T) {
	client, runs := counting(IdempotencyConfig{Required: true})
	if got := client.Post("/orders").Text("tea").Do(); got.Status != 400 || *runs != 0 {
		t.Errorf("%d after %d runs", got.Status, *runs)
	}
}

func TestIdempotencyUnderWay(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(Idempotency(IdempotencyConfig{}))
	entered, leave := make(chan struct{}), make(chan struct{})
	a.Post("/", func(c nano.Ctx) error {
		close(entered)
		<-leave
		return c.NoContent(204)
	})
	client, done := nanotest.New(a), make(chan int)
	send := func() *nanotest.Response { return client.Post("/").Header("Idempotency-Key", "k").Text("x").Do() }
	go func() { done <- send().Status }()
	<-entered
	if got := send(); got.Status != 409 {
		t.Errorf("a repetition meanwhile gets %d", got.Status)
	}
	close(leave)
	if got := <-done; got != 204 {
		t.Errorf("the first gets %d", got)
	}
	if got := send(); got.Status != 204 || got.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("a repetition afterwards gets %d, %v", got.Status, got.Header)
	}
}

func TestMemoryIdempotencyIsBounded(t *testing.T) {
	m := NewMemoryIdempotency(1000).(*memoryIdempotency)
	now := time.Unix(0, 0)
	m.now = func() time.Time { return now }
	ctx, full := context.Background(), false
	for i := range 10 {
		if _, err := m.Begin(ctx, fmt.Sprint(i), IdempotencyRecord{}, time.Hour); errors.Is(err, ErrIdempotencyFull) {
			full = true
		}
	}
	if !full {
		t.Error("ten keys of 200 bytes have room in 1,000")
	}
	now = now.Add(2 * time.Hour)
	if there, err := m.Begin(ctx, "0", IdempotencyRecord{}, time.Hour); there != nil || err != nil {
		t.Errorf("after their time: %v, %v", there, err)
	}
	if len(m.records) != 1 {
		t.Errorf("%d records are left", len(m.records))
	}
}
