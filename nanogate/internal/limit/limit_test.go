package limit

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

func TestRate(t *testing.T) {
	second := int64(time.Second)
	for _, c := range []struct {
		name  string
		rules config.Rate
		at    []int64 // when requests come
		pass  string  // which are admitted
	}{
		{"a burst, then the rate", config.Rate{Requests: 2, Per: time.Second, Burst: 3}, []int64{0, 0, 0, 0, second / 2, second/2 + 1, second, second}, "yyynynyn"},
		{"one a minute", config.Rate{Requests: 1, Per: time.Minute, Burst: 1}, []int64{0, 1, 59 * second, 60 * second, 60*second + 1}, "ynnyn"},
		{"silence saves no more than the burst", config.Rate{Requests: 10, Per: time.Second, Burst: 2}, []int64{0, 3600 * second, 3600 * second, 3600 * second}, "yyyn"},
	} {
		c.rules.Keys = 100
		l := NewRate(c.rules)
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		var got strings.Builder
		for _, at := range c.at {
			r.Now = 1e9 + at
			if l.Check(r) == nil {
				got.WriteByte('y')
			} else {
				got.WriteByte('n')
			}
		}
		if got.String() != c.pass {
			t.Errorf("%s: admitted %s, want %s", c.name, got.String(), c.pass)
		}
	}
}

// Whatever comes when, no window has more than the burst and what the rate gives in it,
// and who asks less than the rate is never refused.
func TestRateHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rate, burst = 50, 7
	l := NewRate(config.Rate{Requests: rate, Per: time.Second, Burst: burst, Keys: 10})
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	var admitted []int64
	for range 5000 {
		r.Now += random.Int64N(int64(20 * time.Millisecond))
		if l.Check(r) == nil {
			admitted = append(admitted, r.Now)
		}
	}
	for i := range admitted {
		for _, j := range []int{i + burst, i + 100, i + 1000} {
			if j < len(admitted) {
				if most := burst + float64(admitted[j]-admitted[i])*rate/1e9; float64(j-i+1) > most+1e-6 {
					t.Fatalf("%d requests in %v, at most %.1f may", j-i+1, time.Duration(admitted[j]-admitted[i]), most)
				}
			}
		}
	}
	for range 1000 {
		r.Now += int64(time.Second) / rate
		if a := l.Check(r); a != nil {
			t.Fatal("who keeps to the rate is refused")
		}
	}
}

func TestRateKeys(t *testing.T) {
	ask := func(l *Rate, client, fields string) bool {
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
		r.Now, r.Client = 1, netip.MustParseAddr(client)
		return l.Check(r) == nil
	}
	for _, c := range []struct {
		name           string
		rules          config.Rate
		client, fields string // after a request from 192.0.2.1 with X-User: ann and a cookie user=ann
		pass           bool
	}{
		{"the same address", config.Rate{}, "192.0.2.1", "", false},
		{"mapped", config.Rate{}, "::ffff:192.0.2.1", "", false},
		{"another", config.Rate{}, "192.0.2.2", "", true},
		{"the route", config.Rate{Key: config.RateRoute}, "192.0.2.2", "", false},
		{"the same value", config.Rate{Key: config.RateHeader, Name: "x-user"}, "192.0.2.2", "X-User: ann\r\n", false},
		{"another value", config.Rate{Key: config.RateHeader, Name: "x-user"}, "192.0.2.1", "X-User: bob\r\n", true},
		{"no value", config.Rate{Key: config.RateHeader, Name: "x-user"}, "192.0.2.1", "", true},
		{"the same cookie", config.Rate{Key: config.RateCookie, Name: "user"}, "192.0.2.2", "Cookie: a=b; user=ann\r\n", false},
	} {
		c.rules.Requests, c.rules.Per, c.rules.Burst, c.rules.Keys = 1, time.Hour, 1, 1000
		l := NewRate(c.rules)
		if !ask(l, "192.0.2.1", "X-User: ann\r\nCookie: user=ann\r\n") {
			t.Fatal("the first is refused")
		}
		if got := ask(l, c.client, c.fields); got != c.pass {
			t.Errorf("%s: admitted %v, want %v", c.name, got, c.pass)
		}
	}
	six := NewRate(config.Rate{Requests: 1, Per: time.Hour, Burst: 1, Keys: 1000})
	if !ask(six, "2001:db8::1", "") || ask(six, "2001:db8::2", "") || !ask(six, "2001:db8:0:1::1", "") {
		t.Error("of IPv6 a network of 64 bits is one client")
	}
}

// A client with a million addresses takes no more memory than the keys that there may be.
// Who comes meanwhile is admitted, and who is at the limit isn't let out of it.
func TestRateIsBounded(t *testing.T) {
	const keys, burst = 1600, 10
	l := NewRate(config.Rate{Requests: 10, Per: time.Hour, Burst: burst, Keys: keys})
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	r.Now = 1e9
	greedy := netip.MustParseAddr("192.0.2.1")
	r.Client = greedy
	for range burst {
		if l.Check(r) != nil {
			t.Fatal("the first are refused")
		}
	}
	for n := range uint32(200_000) {
		r.Client = netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		if l.Check(r) != nil {
			t.Fatalf("who is new is refused after %d others", n)
		}
		if n%1000 == 0 {
			if r.Client = greedy; l.Check(r) == nil {
				t.Fatalf("who is at the limit is admitted after %d others", n)
			}
		}
	}
	kept := 0
	for i := range l.buckets.parts {
		kept += len(l.buckets.parts[i].full)
	}
	if kept > keys {
		t.Errorf("%d keys are kept, with %d at most", kept, keys)
	}
	if n := testing.AllocsPerRun(1000, func() { r.Now += 1e9; l.Check(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		rules config.Rate
		want  string
	}{
		{config.Rate{Requests: 100, Per: time.Second}, "Retry-After: 1\r\n"},
		{config.Rate{Requests: 4, Per: time.Minute}, "Retry-After: 15\r\n"},
		{config.Rate{Requests: 1, Per: time.Minute}, "Retry-After: 60\r\n"},
		{config.Rate{Requests: 5, Per: time.Hour}, "Retry-After: 720\r\n"},
		{config.Rate{Requests: 1, Per: time.Hour}, "Retry-After: 3600\r\n"},
	} {
		c.rules.Burst, c.rules.Keys = 1, 1
		l := NewRate(c.rules)
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		l.Check(r)
		if a := l.Check(r); a == nil || a.Status != 429 || !strings.HasSuffix(string(a.Fields), c.want) {
			t.Errorf("%d in %v: %+v, want %q", c.rules.Requests, c.rules.Per, a, c.want)
		} else if a.Detail != "rate limit exceeded" {
			t.Errorf("the client is told %q", a.Detail)
		}
	}
}

func TestConcurrency(t *testing.T) {
	l := NewConcurrency(&config.Concurrency{Most: 2})
	if l.Check(nil) != nil || l.Check(nil) != nil {
		t.Fatal("the first two are refused")
	}
	if a := l.Check(nil); a == nil || a.Status != 503 {
		t.Errorf("the third: %+v", a)
	}
	l.Done(&request.Outcome{})
	if l.Check(nil) != nil {
		t.Error("there is room, and it is refused")
	}
}

// A service that serves so many at once and lets the others wait is sent no more
// than it can serve in time, and hardly less; when it gets slower, for less.
func TestConcurrencyFinds(t *testing.T) {
	l := NewConcurrency(&config.Concurrency{Objective: 50 * time.Millisecond, Least: 1, Most: 10_000})
	service := int64(10 * time.Millisecond)
	const at = 20 // at once: 2,000 a second
	var under []request.Outcome
	now, l2 := int64(1e9), 0
	l.window.began.Store(now)
	refused, responded, late := 0, 0, 0
	run := func(d time.Duration) {
		refused, responded, late = 0, 0, 0
		free := make([]int64, at)
		for end := now + int64(d); now < end; now += int64(time.Second) / 6000 {
			for len(under) > 0 && under[0].Ended <= now {
				o := under[0]
				under = under[1:]
				if responded++; o.Responded-o.Began > int64(50*time.Millisecond) {
					late++
				}
				l.Done(&o)
			}
			if l.Check(nil) != nil {
				refused++
				continue
			}
			slices.Sort(free)
			free[0] = max(free[0], now) + service
			o := request.Outcome{Began: now, Responded: free[0], Ended: free[0], Upstream: true, Status: 200}
			i, _ := slices.BinarySearchFunc(under, o, func(a, b request.Outcome) int { return int(a.Ended - b.Ended) })
			under = slices.Insert(under, i, o)
		}
		l2++
	}
	run(5 * time.Second) // to find it
	run(20 * time.Second)
	if perSecond := responded / 20; perSecond < 1800 || late*5 > responded || refused == 0 {
		t.Errorf("of 2,000 a second that it can do, %d were served, %d of %d late, %d refused, bound %d", perSecond, late, responded, refused, l.Bound())
	}
	before := l.Bound()
	service *= 4
	run(5 * time.Second)
	run(20 * time.Second)
	if perSecond := responded / 20; perSecond < 450 || l.Bound() >= before || late*5 > responded {
		t.Errorf("four times slower: %d a second of 500, %d of %d late, bound %d after %d", perSecond, late, responded, l.Bound(), before)
	}
}

func TestBreaker(t *testing.T) {
	rules := &config.Breaker{Errors: 0.5, Over: 10 * time.Second, Least: 4, Open: 5 * time.Second, Probes: 2, Slow: time.Second}
	good := request.Outcome{Status: 200, Upstream: true}
	failed := request.Outcome{Status: 500, Upstream: true}
	cut := request.Outcome{Failed: request.UpstreamGone}
	gone := request.Outcome{Status: 200, Upstream: true, Failed: request.ClientGone}
	own := request.Outcome{Status: 429}
	missing := request.Outcome{Status: 404, Upstream: true}
	for _, c := range []struct {
		name string
		ends []request.Outcome
		want string
	}{
		{"all good", []request.Outcome{good, good, good, good, good}, "closed"},
		{"too few", []request.Outcome{failed, failed, failed}, "closed"},
		{"half", []request.Outcome{good, failed, good, cut}, "open"},
		{"less than half", []request.Outcome{good, good, good, failed, cut}, "closed"},
		{"clients that hang up", []request.Outcome{gone, gone, gone, gone, gone}, "closed"},
		{"refused here", []request.Outcome{own, own, own, own, failed}, "closed"},
		{"the client's faults", []request.Outcome{missing, missing, missing, missing}, "closed"},
	} {
		b := NewBreaker(rules)
		now := int64(1e9)
		for _, o := range c.ends {
			r := &request.Request{Now: now}
			if b.Check(r) != nil {
				break
			}
			o.Began, o.Ended = now, now+1e6
			b.Done(&o)
			now += 1e8
		}
		if got := b.State(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// It opens, probes, opens for longer, probes again, and closes.
func TestBreakerHeals(t *testing.T) {
	b := NewBreaker(&config.Breaker{Errors: 0.5, Over: 10 * time.Second, Least: 2, Open: 5 * time.Second, Probes: 2})
	now := int64(1e9)
	send := func(status int) string {
		if b.Check(&request.Request{Now: now}) != nil {
			return "refused"
		}
		b.Done(&request.Outcome{Status: status, Upstream: true, Began: now, Ended: now + 1})
		return b.State()
	}
	var got []string
	for _, step := range []struct {
		after  time.Duration
		status int
	}{{0, 500}, {1, 500}, {4 * time.Second, 200}, {2 * time.Second, 200}, {1, 500}, {6 * time.Second, 200}, {5 * time.Second, 200}, {1, 200}, {1, 500}, {1, 500}, {6 * time.Second, 200}} {
		now += int64(step.after)
		got = append(got, send(step.status))
	}
	want := "closed open refused half-open open refused half-open closed closed open half-open"
	if fmt.Sprint(got) != "["+want+"]" {
		t.Errorf("\n got %v\nwant [%s]", got, want)
	}
}

// Requests that were sent before the breaker opened say nothing of whether it is over,
// and no more than the probes pass at once.
func TestBreakerProbes(t *testing.T) {
	b := NewBreaker(&config.Breaker{Errors: 0.5, Over: 10 * time.Second, Least: 1, Open: time.Second, Probes: 3})
	before := request.Outcome{Status: 200, Upstream: true, Began: 1, Ended: 5e9}
	b.Done(&request.Outcome{Failed: request.TimedOut, Began: 1, Ended: 2})
	r := &request.Request{Now: 4e9}
	admitted := 0
	for range 10 {
		if b.Check(r) == nil {
			admitted++
		}
	}
	for range 10 {
		b.Done(&before)
	}
	if admitted != 3 || b.State() != "half-open" {
		t.Errorf("%d probes, and it is %s", admitted, b.State())
	}
	for range 3 {
		b.Done(&request.Outcome{Status: 204, Upstream: true, Began: 4e9, Ended: 5e9})
	}
	if b.State() != "closed" {
		t.Errorf("all probes succeeded, and it is %s", b.State())
	}
}
