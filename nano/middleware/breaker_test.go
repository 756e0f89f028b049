package middleware

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestBreaker(t *testing.T) {
	now := int64(0)
	var changes []string
	config := BreakerConfig{Min: 4, Window: 10 * time.Second, Open: 5 * time.Second, Trials: 2,
		Changed: func(c nano.Ctx, from, to BreakerState) {
			changes = append(changes, c.Path().String()+" "+from.String()+" "+to.String())
		}}
	config.setDefaults()
	a := app(config.middleware(func() int64 { return now }))
	a.Get("/x/{status}", func(c nano.Ctx) error { n, _ := c.Param("status").Int(); return c.NoContent(n) })
	const s = int64(time.Second)
	for i, tt := range []struct {
		at     int64
		ask    string // the status that the handler would respond with
		status int
		retry  string
	}{
		{0, "500", 500, ""},
		{0, "500", 500, ""},
		{0, "404", 404, ""},
		{11 * s, "500", 500, ""}, // the first three are forgotten
		{11 * s, "200", 200, ""},
		{12 * s, "200", 200, ""},
		{12 * s, "503", 503, ""}, // two of four: it opens
		{12 * s, "200", 503, "5"},
		{16*s + 1, "200", 503, "1"},
		{17 * s, "500", 500, ""}, // a trial, which fails
		{18 * s, "200", 503, "4"},
		{22 * s, "200", 200, ""},
		{22 * s, "200", 200, ""}, // two trials: it closes
		{22 * s, "500", 500, ""},
		{22 * s, "500", 500, ""},
		{22 * s, "200", 200, ""},
	} {
		now = tt.at
		got := ask(a, "GET", "/x/"+tt.ask)
		if got.Status != tt.status || got.Header.Get("Retry-After") != tt.retry {
			t.Errorf("%d: %d, Retry-After %q", i, got.Status, got.Header.Get("Retry-After"))
		}
		if got := ask(a, "GET", "/"); got.Status != 200 {
			t.Errorf("%d: another route responds with %d", i, got.Status)
		}
	}
	want := "/x/503 closed open,/x/500 open half-open,/x/500 half-open open,/x/200 open half-open,/x/200 half-open closed"
	if got := strings.Join(changes, ","); got != want {
		t.Errorf("changes:\n got %s\nwant %s", got, want)
	}
}

func TestBreakerTrials(t *testing.T) {
	now := int64(0)
	config := BreakerConfig{Min: 1, Trials: 2, Open: 1}
	config.setDefaults()
	a := app()
	fail, enter, leave := true, make(chan struct{}), make(chan struct{})
	a.Get("/x", func(c nano.Ctx) error {
		if fail {
			return c.NoContent(500)
		}
		enter <- struct{}{}
		<-leave
		return nil
	}, nano.With(config.middleware(func() int64 { return now })))
	ask(a, "GET", "/x")
	now, fail = 10, false
	var trials sync.WaitGroup
	for range 2 {
		trials.Go(func() { nanotest.New(a).Get("/x").Do() })
		<-enter
	}
	if got := ask(a, "GET", "/x"); got.Status != 503 || got.Header.Get("Retry-After") != "1" {
		t.Errorf("beside two trials: %d", got.Status)
	}
	close(leave)
	trials.Wait()
	go func() { <-enter }()
	if got := ask(a, "GET", "/x"); got.Status != 200 {
		t.Errorf("after two trials: %d", got.Status)
	}
	mustPanic(t, "ratio", func() { Breaker(BreakerConfig{Ratio: 2}) })
	allocs(t, Breaker(BreakerConfig{}), 0)
}

// TestBreakerClientsThatHaveGone: clients can't open a breaker by leaving.
func TestBreakerClientsThatHaveGone(t *testing.T) {
	a := app(Breaker(BreakerConfig{Min: 1}))
	a.Get("/x", func(c nano.Ctx) error { return fmt.Errorf("asking the database: %w", context.Canceled) })
	a.Get("/y", func(c nano.Ctx) error { return errors.New("asking the database") })
	for i := range 3 {
		if got := ask(a, "GET", "/x"); got.Status != 500 {
			t.Errorf("request %d: %d, the breaker is open", i, got.Status)
		}
	}
	ask(a, "GET", "/y")
	if got := ask(a, "GET", "/y"); got.Status != 503 {
		t.Errorf("after a failure: %d", got.Status)
	}
}

// TestBreakerLateTrials has trials end when those after them are under way: they
// neither make room for more of them nor count as theirs.
func TestBreakerLateTrials(t *testing.T) {
	now := int64(0)
	config := BreakerConfig{Min: 1, Trials: 2, Open: 10}
	config.setDefaults()
	b := &breaker{BreakerConfig: config, now: func() int64 { return now }}
	bad, good := nano.Outcome{Status: 500}, nano.Outcome{Status: 200}
	enter := func() int64 { trial, _ := b.enter(nano.Ctx{}); return trial }
	b.after(nano.Ctx{}, bad)
	now = 10
	first, late := enter(), enter()
	b.afterTrial(nano.Ctx{}, bad, first)
	now = 20
	second := enter()
	b.afterTrial(nano.Ctx{}, good, late)
	if b.trials != 1 || b.passed != 0 || first == second {
		t.Errorf("a trial of round %d counts in round %d: %d under way, %d passed", late, second, b.trials, b.passed)
	}
	b.afterTrial(nano.Ctx{}, good, second)
	b.afterTrial(nano.Ctx{}, good, enter())
	if b.state != BreakerClosed {
		t.Errorf("two trials have passed, and it is %v", b.state)
	}
}
