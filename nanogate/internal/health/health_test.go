package health

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// made makes an upstream of these addresses, watched until the test ends.
func made(t *testing.T, parts upstream.Parts, addresses ...string) *upstream.Upstream {
	t.Helper()
	c := &config.Upstream{Name: "u"}
	for _, text := range addresses {
		a, err := config.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Endpoints = append(c.Endpoints, config.Endpoint{Address: a, Weight: 1})
	}
	u := (&upstream.Registry{Loops: 1}).New(c, parts)
	t.Cleanup(u.Close)
	return u
}

// marks are what speaks against the endpoints, in their order.
func marks(u *upstream.Upstream) string {
	var all []string
	for _, e := range u.Set().All {
		all = append(all, fmt.Sprint(uint32(e.Marks())))
	}
	return strings.Join(all, " ")
}

func until(t *testing.T, u *upstream.Upstream, want string) {
	t.Helper()
	for range 4000 {
		if marks(u) == want {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the marks are %s, want %s", marks(u), want)
}

func TestActive(t *testing.T) {
	var sick atomic.Bool
	var asked atomic.Value
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Host + r.URL.Path)
		if sick.Load() {
			w.WriteHeader(503)
		}
	})
	tcp := httptest.NewServer(handler)
	defer tcp.Close()
	socket := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(ln, handler)
	defer ln.Close()
	checks := NewActive(&config.Health{Path: "/health", Host: "api.example", Every: time.Millisecond, Timeout: time.Minute, Unhealthy: 2, Healthy: 3, Low: 200, High: 399})
	u := made(t, upstream.Parts{Watchers: []upstream.Watcher{checks}}, tcp.Listener.Addr().String(), "127.0.0.1:1", "unix:"+socket)
	until(t, u, "0 1 0")
	if got := asked.Load(); got != "api.example/health" {
		t.Errorf("asked for %v", got)
	}
	sick.Store(true)
	until(t, u, "1 1 1")
	if s := u.Set(); !s.Panic || len(s.Usable) != 3 {
		t.Errorf("when nobody is well, %d are asked", len(s.Usable))
	}
	sick.Store(false)
	until(t, u, "0 1 0")
}

// The first response decides at once; after it, it takes as many failures in a row as the
// rules say, and as many successes.
func TestActiveInARow(t *testing.T) {
	asked, responses := make(chan bool), make(chan int)
	over := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- true:
			w.WriteHeader(<-responses)
		case <-over:
		}
	}))
	defer server.Close()
	defer close(over)
	checks := NewActive(&config.Health{Path: "/", Every: time.Millisecond, Timeout: time.Minute, Unhealthy: 3, Healthy: 2, Low: 200, High: 200})
	u := made(t, upstream.Parts{Watchers: []upstream.Watcher{checks}}, server.Listener.Addr().String())
	statuses := []int{200, 500, 404, 200, 500, 500, 301, 200, 500, 200, 200, 200}
	want := []string{"0", "0", "0", "0", "0", "0", "1", "1", "1", "1", "0", "0"}
	for i, status := range statuses {
		<-asked // the response before has been acted upon
		if i > 0 {
			if got := marks(u); got != want[i-1] {
				t.Errorf("after %v: %s, want %s", statuses[:i], got, want[i-1])
			}
		}
		responses <- status
	}
}

func TestOutliers(t *testing.T) {
	o := NewOutliers(&config.Outliers{Failures: 3, Eject: 10 * time.Second, Most: 0.5})
	u := made(t, upstream.Parts{}, "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4")
	e := u.Set().All
	now := time.Now()
	try := func(i int, outcomes ...any) {
		for _, outcome := range outcomes {
			switch what := outcome.(type) {
			case int:
				o.Tried(e[i], what, request.OK, 0)
			case request.Failure:
				o.Tried(e[i], 0, what, 0)
			}
		}
	}
	for _, step := range []struct {
		name  string
		do    func()
		after time.Duration
		want  string
	}{
		{"all good", func() { try(0, 200, 404, 200) }, 0, "0 0 0 0"},
		{"not in a row", func() { try(0, 500, 502, 200, 500, 500) }, 0, "0 0 0 0"},
		{"in a row", func() { try(0, request.ConnectFailed) }, 0, "2 0 0 0"},
		{"a client that hung up says nothing", func() { try(1, 500, request.ClientGone, request.TimedOut, request.ClientGone) }, 0, "2 0 0 0"},
		{"of any kind", func() { try(1, request.BadResponse) }, 0, "2 2 0 0"},
		{"no more than half", func() { try(2, 500, 500, 500) }, 0, "2 2 0 0"},
		{"still out", func() {}, 9 * time.Second, "2 2 0 0"},
		{"back", func() {}, 10 * time.Second, "0 0 0 0"},
		{"again, for longer", func() { try(0, 500, 500, 500) }, 11 * time.Second, "2 0 0 0"},
		{"it is longer", func() {}, 22 * time.Second, "2 0 0 0"},
		{"back again", func() {}, 31 * time.Second, "0 0 0 0"},
		{"long after, as the first time", func() { try(0, 500, 500, 500) }, 200 * time.Second, "2 0 0 0"},
		{"and back as then", func() {}, 210 * time.Second, "0 0 0 0"},
	} {
		step.do()
		o.look(u, now.Add(step.after))
		if got := marks(u); got != step.want {
			t.Fatalf("%s: %s, want %s", step.name, got, step.want)
		}
	}
	u.Update([]upstream.Instance{{Address: e[3].Address}})
	o.look(u, now)
	left := 0
	o.records.Range(func(_, _ any) bool { left++; return true })
	if left != 0 {
		t.Errorf("%d endpoints that are gone are remembered", left)
	}
	if n := testing.AllocsPerRun(100, func() { o.Tried(e[3], 200, request.OK, 1) }); n != 0 {
		t.Errorf("%v allocations for a try that went well", n)
	}
}

// When more have failed than may be ejected, those that are listed first are, after those have returned
// whose time is over: it is no matter of chance.
func TestOutliersInOrder(t *testing.T) {
	for range 50 {
		o := NewOutliers(&config.Outliers{Failures: 1, Eject: 10 * time.Second, Most: 0.5})
		u := made(t, upstream.Parts{}, "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4")
		now := time.Now()
		fail := func(list ...int) {
			for _, i := range list {
				o.Tried(u.Set().All[i], 500, request.OK, 0)
			}
		}
		fail(3, 2, 1)
		o.look(u, now)
		if got := marks(u); got != "0 2 2 0" {
			t.Fatalf("%s, want 0 2 2 0", got)
		}
		fail(0, 3)
		o.look(u, now.Add(10*time.Second))
		if got := marks(u); got != "2 0 0 2" {
			t.Fatalf("%s, want 2 0 0 2", got)
		}
	}
}

// Watch acts when endpoints fail, and ends with its context.
func TestOutliersWatch(t *testing.T) {
	o := NewOutliers(&config.Outliers{Failures: 1, Eject: time.Hour, Most: 1})
	u := made(t, upstream.Parts{}, "127.0.0.1:1", "127.0.0.1:2")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { o.Watch(ctx, u); close(ended) }()
	o.Tried(u.Set().All[1], 0, request.ConnectFailed, 0)
	until(t, u, "0 2")
	cancel()
	<-ended
}
