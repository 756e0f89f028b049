package upstream

import (
	"context"
	"fmt"
	"math"
	"testing"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// made makes an upstream of endpoints with these weights.
func made(t *testing.T, balance config.Balance, weights ...int) *Upstream {
	t.Helper()
	c := &config.Upstream{Name: "u", Balance: balance}
	for i, w := range weights {
		a, err := config.ParseAddress(fmt.Sprintf("127.0.0.1:%d", 9001+i))
		if err != nil {
			t.Fatal(err)
		}
		c.Endpoints = append(c.Endpoints, config.Endpoint{Address: a, Weight: w})
	}
	u := (&Registry{Loops: 2}).New(c, Parts{})
	t.Cleanup(u.Close)
	return u
}

func of(t *testing.T, text string) *request.Request {
	t.Helper()
	head := &http1.Request{}
	if n, err := head.Parse([]byte(text), nil); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	r := &request.Request{}
	r.Begin(head, []byte(text))
	r.Path = r.RawPath()
	return r
}

// counts picks so often and counts by endpoint.
func counts(u *Upstream, r *request.Request, n int) map[string]int {
	l := &Local{Seed: 7}
	got := map[string]int{}
	for range n {
		got[u.Pick(r, l, nil).Name]++
	}
	return got
}

func TestRoundRobin(t *testing.T) {
	got := counts(made(t, config.Balance{Kind: config.RoundRobin}, 1, 2, 3), nil, 600)
	for name, want := range map[string]int{"127.0.0.1:9001": 100, "127.0.0.1:9002": 200, "127.0.0.1:9003": 300} {
		if got[name] != want {
			t.Errorf("%s was picked %d times, want %d", name, got[name], want)
		}
	}
}

// Of two drawn at random the one with fewer requests under way is taken.
func TestLeastRequest(t *testing.T) {
	u := made(t, config.Balance{}, 1, 1, 1)
	for range 50 {
		u.Set().All[0].Begin()
	}
	if got := counts(u, nil, 1000); got["127.0.0.1:9001"] != 0 {
		t.Errorf("the endpoint with most under way was picked %d times", got["127.0.0.1:9001"])
	}
	even := counts(made(t, config.Balance{}, 1, 3), nil, 4000)
	if share := float64(even["127.0.0.1:9002"]) / 4000; share < 0.6 {
		t.Errorf("weight 3 of 4 got %.2f", share)
	}
}

func TestEWMA(t *testing.T) {
	u := made(t, config.Balance{Kind: config.EWMA}, 1, 1)
	slow, fast := u.Set().All[0], u.Set().All[1]
	slow.Took(20e6, 1e9)
	fast.Took(1e6, 1e9)
	if got := counts(u, nil, 100); got[slow.Name] != 0 {
		t.Errorf("the slow one was picked %d times", got[slow.Name])
	}
	// It has become fast: after a while the mean has followed.
	for i := range 100 {
		slow.Took(1e5, 1e9+int64(i)*1e9)
	}
	if got := counts(u, nil, 100); got[slow.Name] != 100 {
		t.Errorf("the one that became the faster was picked %d times", got[slow.Name])
	}
}

func TestHash(t *testing.T) {
	balance := config.Balance{Kind: config.Hash, Key: config.HashHeader, Name: "x-user", Bound: 1.25}
	u := made(t, balance, 1, 1, 1, 1)
	key := func(i int) *request.Request {
		return of(t, fmt.Sprintf("GET / HTTP/1.1\r\nHost: h\r\nX-User: %d\r\n\r\n", i))
	}
	l := &Local{Seed: 1}
	before := map[int]string{}
	spread := map[string]int{}
	for i := range 2000 {
		e := u.Pick(key(i), l, nil)
		before[i] = e.Name
		spread[e.Name]++
		if again := u.Pick(key(i), l, nil); again != e {
			t.Fatalf("key %d went to %s, then to %s", i, e.Name, again.Name)
		}
	}
	for name, n := range spread {
		if math.Abs(float64(n)/500-1) > 0.35 {
			t.Errorf("%s has %d of 2000 keys", name, n)
		}
	}
	// One goes: its keys move, and no others.
	gone := u.Set().All[2]
	u.Mark(gone, Unhealthy, true, "")
	for i := range 2000 {
		if e := u.Pick(key(i), l, nil); e.Name != before[i] && before[i] != gone.Name {
			t.Fatalf("key %d moved from %s to %s", i, before[i], e.Name)
		}
	}
	u.Mark(gone, Unhealthy, false, "")
	// One that has more than its share under way gets no more for a while.
	e := u.Pick(key(1), l, nil)
	for range 10 {
		e.Begin()
		u.Count(1)
	}
	if other := u.Pick(key(1), l, nil); other == e {
		t.Error("an endpoint with everything under way was picked again")
	}
	if other := u.Pick(key(5), l, u.Pick(key(5), l, nil)); other == nil || other.Name == before[5] {
		t.Error("the endpoint that was tried was picked again")
	}
}

// Endpoints that stay are the same objects; those that go are marked and their numbers
// used again.
func TestUpdate(t *testing.T) {
	g := &Registry{Loops: 1}
	u := g.New(&config.Upstream{Name: "u"}, Parts{})
	instance := func(port int) Instance {
		a, _ := config.ParseAddress(fmt.Sprintf("127.0.0.1:%d", port))
		return Instance{Address: a}
	}
	u.Update([]Instance{instance(1), instance(2), instance(2)})
	first := u.Set().All
	if len(first) != 2 {
		t.Fatalf("%d endpoints", len(first))
	}
	first[1].Begin()
	u.Update([]Instance{instance(2), instance(3)})
	second := u.Set().All
	if second[0] != first[1] || second[0].Under() != 1 || !first[0].Gone() || second[1].Slot == second[0].Slot {
		t.Errorf("%v became %v", first, second)
	}
	u.Close()
	if !second[0].Gone() || len(g.free) != g.next {
		t.Errorf("gone %v, of %d numbers %v are free", second[0].Gone(), g.next, g.free)
	}
}

// What nothing speaks for is asked all the same when there is nothing else, unless
// somebody took it out.
func TestMarks(t *testing.T) {
	u := made(t, config.Balance{}, 1, 1)
	a, b := u.Set().All[0], u.Set().All[1]
	u.Mark(a, Unhealthy, true, "")
	u.Mark(a, Ejected, true, "")
	u.Mark(a, Unhealthy, false, "")
	if s := u.Set(); len(s.Usable) != 1 || s.Usable[0] != b || s.Panic {
		t.Errorf("one is out: %+v", s)
	}
	u.Mark(b, Drained, true, "")
	if s := u.Set(); len(s.Usable) != 1 || s.Usable[0] != a || !s.Panic {
		t.Errorf("both are out, one for good: %+v", s)
	}
	u.Mark(a, Drained, true, "")
	if u.Pick(nil, &Local{Seed: 1}, nil) != nil {
		t.Error("what was taken out was picked")
	}
}

type sourceFunc func(ctx context.Context, update func([]Instance))

func (f sourceFunc) Watch(ctx context.Context, update func([]Instance)) { f(ctx, update) }

type watcherFunc func(ctx context.Context, u *Upstream)

func (f watcherFunc) Watch(ctx context.Context, u *Upstream) { f(ctx, u) }

// Sources add to the static endpoints; they and watchers end with the upstream.
func TestParts(t *testing.T) {
	a, _ := config.ParseAddress("127.0.0.1:1")
	found, _ := config.ParseAddress("127.0.0.1:2")
	ended := make(chan bool, 2)
	updated := make(chan bool)
	u := (&Registry{Loops: 1}).New(&config.Upstream{Endpoints: []config.Endpoint{{Address: a, Weight: 1}}}, Parts{
		Sources: []Source{sourceFunc(func(ctx context.Context, update func([]Instance)) {
			update([]Instance{{Address: found}})
			updated <- true
			<-ctx.Done()
			ended <- true
		})},
		Watchers: []Watcher{watcherFunc(func(ctx context.Context, _ *Upstream) { <-ctx.Done(); ended <- true })},
	})
	<-updated
	if n := len(u.Set().All); n != 2 {
		t.Errorf("%d endpoints", n)
	}
	u.Close()
	if len(ended) != 2 {
		t.Errorf("%d of the source and the watcher have ended", len(ended))
	}
}

// knowing is a source that knows of an instance before it is watched.
type knowing struct {
	sourceFunc
	known []Instance
}

func (k knowing) Known() []Instance { return k.known }

// What a source knows is there at once, and each source tells only of its own.
func TestSources(t *testing.T) {
	var all []Instance
	for _, text := range []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"} {
		a, _ := config.ParseAddress(text)
		all = append(all, Instance{Address: a})
	}
	silent, now, told := make(chan []Instance), make(chan []Instance), make(chan bool)
	telling := func(from chan []Instance) sourceFunc {
		return func(_ context.Context, update func([]Instance)) {
			for instances := range from {
				update(instances)
				told <- true
			}
		}
	}
	u := (&Registry{Loops: 1}).New(&config.Upstream{}, Parts{Sources: []Source{knowing{telling(silent), all[:2]}, telling(now)}})
	if n := len(u.Set().All); n != 2 {
		t.Errorf("%d endpoints before a source was asked", n)
	}
	one := u.Set().All[0]
	now <- all[2:]
	<-told
	if n := len(u.Set().All); n != 3 || u.Set().All[0] != one {
		t.Errorf("%d endpoints after another source has told one", n)
	}
	silent <- nil
	<-told
	if n := len(u.Set().All); n != 1 {
		t.Errorf("%d endpoints after the source says that it has none", n)
	}
	close(silent)
	close(now)
	u.Close()
}

func TestPickAllocatesNothing(t *testing.T) {
	r := of(t, "GET / HTTP/1.1\r\nHost: h\r\nX-User: 1\r\n\r\n")
	l := &Local{Seed: 1}
	for _, b := range []config.Balance{{}, {Kind: config.RoundRobin}, {Kind: config.EWMA}, {Kind: config.Hash, Key: config.HashHeader, Name: "x-user", Bound: 1.25}} {
		u := made(t, b, 1, 2, 3)
		if n := testing.AllocsPerRun(100, func() {
			e := u.Pick(r, l, nil)
			e.Begin()
			e.Took(1e6, 1e9)
			e.End()
		}); n != 0 {
			t.Errorf("%v: %v allocations", b.Kind, n)
		}
	}
}
