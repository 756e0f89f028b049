package middleware

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// TestThrottle: two run, one waits, the fourth is turned away.
func TestThrottle(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(Throttle(ThrottleConfig{Running: 2, Waiting: 1, Patience: time.Minute, RetryAfter: 1500 * time.Millisecond}))
	var inside, most atomic.Int64
	entered, leave := make(chan struct{}, 8), make(chan struct{})
	a.Get("/", func(c nano.Ctx) error {
		n := inside.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		entered <- struct{}{}
		<-leave
		inside.Add(-1)
		return c.NoContent(204)
	})
	client := nanotest.New(a)
	var all sync.WaitGroup
	statuses := make(chan int, 8)
	begin := func() {
		all.Go(func() { statuses <- client.Get("/").Do().Status })
	}
	begin()
	begin()
	<-entered
	<-entered
	// One of these waits, and the others, at whatever moment they come, don't.
	for range 3 {
		begin()
	}
	for range 2 {
		if got := <-statuses; got != 503 {
			t.Errorf("status %d of a request beyond those that may wait", got)
		}
	}
	close(leave)
	all.Wait()
	close(statuses)
	for got := range statuses {
		if got != 204 {
			t.Errorf("status %d of a request that may run or wait", got)
		}
	}
	if most.Load() != 2 {
		t.Errorf("%d ran at a time", most.Load())
	}
}

func TestThrottleLosesPatience(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(Throttle(ThrottleConfig{Running: 1, Waiting: 1, Patience: time.Millisecond}))
	entered, leave := make(chan struct{}), make(chan struct{})
	a.Get("/", func(c nano.Ctx) error {
		close(entered)
		<-leave
		return c.NoContent(204)
	})
	client, first := nanotest.New(a), make(chan int)
	go func() { first <- client.Get("/").Do().Status }()
	<-entered
	if got := client.Get("/").Do(); got.Status != 503 || got.Header.Get("Retry-After") != "1" {
		t.Errorf("%d, Retry-After %q", got.Status, got.Header.Get("Retry-After"))
	}
	close(leave)
	if got := <-first; got != 204 {
		t.Errorf("the first got %d", got)
	}
	mustPanic(t, "nobody may run", func() { Throttle(ThrottleConfig{}) })
}
