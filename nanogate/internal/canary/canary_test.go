package canary

import (
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// canaryOf makes the canary of a file's first route.
func canaryOf(t testing.TB, fields string) *Canary {
	t.Helper()
	c, err := config.Parse("f", []byte("listen: 127.0.0.1:1\nroutes: [{to: u, canary: {to: u, "+fields+"}}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return New(c.Routes[0].Canary, "a", 1, slog.New(slog.DiscardHandler), 0)
}

func requestOf(t testing.TB, fields string) *request.Request {
	t.Helper()
	text := "GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n"
	head, r := &http1.Request{}, &request.Request{}
	if n, err := head.Parse([]byte(text), nil); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	r.Begin(head, []byte(text))
	return r
}

// truth is what requests come to in truth, at each side.
type truth struct {
	fails, slow [2]float64 // shares
	failure     request.Outcome
}

// simulated is a stream of requests, 100 a second.
type simulated struct {
	*Canary
	r     *request.Request
	local upstream.Local
	now   int64
}

func simulate(t testing.TB, k *Canary, seed uint64) *simulated {
	return &simulated{Canary: k, r: requestOf(t, ""), local: upstream.Local{Seed: seed*2654435761 + 1}}
}

func (s *simulated) chance(share float64) bool { return float64(s.local.Random()>>11)/(1<<53) < share }

// send sends so many requests, or until the canary is rolled back. It returns how many
// were the canary's.
func (s *simulated) send(is truth, n int) (canaries int) {
	for range n {
		s.now += int64(10 * time.Millisecond)
		s.r.Begin(s.r.Head, s.r.Buf)
		yes, ticket := s.Draw(s.r, &s.local)
		side := 0
		if yes {
			side = 1
			canaries++
		}
		o := request.Outcome{Status: 200}
		if s.chance(is.fails[side]) {
			if o = is.failure; o.Status == 0 && o.Failed == request.OK {
				o.Status = 500
			}
		}
		o.Began, o.Ended = s.now, s.now+int64(time.Millisecond)
		if s.chance(is.slow[side]) {
			o.Began -= int64(time.Second)
		}
		ticket.Ended(&o)
		if s.stage.Load().held {
			break
		}
	}
	return canaries
}

// A canary that is no worse is given up with the chance that its confidence says at most,
// whatever the requests of both come to.
func TestFalseRollBacks(t *testing.T) {
	const series, requests = 60, 1000
	for name, is := range map[string]truth{
		"good":   {fails: [2]float64{0.002, 0.002}, slow: [2]float64{0.01, 0.01}},
		"bad":    {fails: [2]float64{0.2, 0.2}, slow: [2]float64{0.3, 0.3}},
		"better": {fails: [2]float64{0.05, 0.01}, slow: [2]float64{0.05, 0.01}},
	} {
		rolledBack := 0
		for seed := range uint64(series) {
			s := simulate(t, canaryOf(t, "weight: 20%, roll-back: {slow: 500ms, confidence: 90%, least: 0}"), seed+1)
			s.send(is, requests)
			if s.Report().State == RolledBack {
				rolledBack++
			}
		}
		t.Logf("%s: %d of %d", name, rolledBack, series)
		if rolledBack > 6+9 { // four standard deviations over a tenth
			t.Errorf("%s: %d of %d canaries were rolled back", name, rolledBack, series)
		}
	}
}

// One that is worse is given up, soon, and has nobody afterwards.
func TestRollBack(t *testing.T) {
	for name, c := range map[string]struct {
		is   truth
		most int // requests of the canary until then
		why  string
	}{
		"failing":     {truth{fails: [2]float64{0.001, 1}}, 60, "failed"},
		"often":       {truth{fails: [2]float64{0.01, 0.2}}, 200, "failed"},
		"no response": {truth{fails: [2]float64{0.01, 0.5}, failure: request.Outcome{Status: 502, Failed: request.ConnectFailed}}, 100, "failed"},
		"slow":        {truth{slow: [2]float64{0.02, 0.4}}, 200, "took 500ms or more"},
	} {
		t.Run(name, func(t *testing.T) {
			s := simulate(t, canaryOf(t, "weight: 10%, roll-back: {slow: 500ms}"), 99)
			n := s.send(c.is, 20_000)
			r := s.Report()
			if r.State != RolledBack || r.Weight != 0 || n > c.most || n < s.Config.Rules.Least || !strings.Contains(r.Why, c.why) {
				t.Errorf("%v after %d requests of the canary: %s", r.State, n, r.Why)
			}
			for range 1000 {
				if yes, _ := s.Draw(s.r, &s.local); yes {
					t.Fatal("it was sent a request after that")
				}
			}
		})
	}
}

// What isn't the canary's fault doesn't count against it.
func TestKept(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		is     truth
	}{
		"off":           {"roll-back: off", truth{fails: [2]float64{0, 1}}},
		"clients left":  {"roll-back: {confidence: 99%}", truth{fails: [2]float64{0, 0.5}, failure: request.Outcome{Failed: request.ClientGone}}},
		"client errors": {"roll-back: {confidence: 99%}", truth{fails: [2]float64{0, 0.5}, failure: request.Outcome{Status: 404}}},
		"allowed":       {"roll-back: {errors: 3}", truth{fails: [2]float64{0.1, 0.2}}},
		"few":           {"roll-back: {least: 100000}", truth{fails: [2]float64{0, 1}}},
		"nobody asked":  {"roll-back: {confidence: 99%}", truth{slow: [2]float64{0, 1}}},
	} {
		s := simulate(t, canaryOf(t, "weight: 10%, "+c.fields), 5)
		s.send(c.is, 3000)
		if r := s.Report(); r.State != Running || r.Canary.Requests < 200 {
			t.Errorf("%s: %v, %s, %+v", name, r.State, r.Why, r.Canary)
		}
	}
}

// Requests that say where they go are sent there, and say nothing of the others.
func TestSaid(t *testing.T) {
	k := canaryOf(t, "weight: 50%, header: X-Release, cookie: release, sticky: 1h")
	local := upstream.Local{Seed: 1}
	sticks := regexp.MustCompile("^Set-Cookie: release=[0-9a-f]{8}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600\r\n$")
	for _, c := range []struct {
		fields string
		said   bool
		want   bool
	}{
		{"", false, false}, {"Cookie: release=other\r\n", false, false}, {"X-Release: yes\r\n", false, false}, {"Cookie: release=0123456g\r\n", false, false}, {"Cookie: release=1ffffffff\r\n", false, false},
		{"X-Release: canary\r\n", true, true}, {"X-Release: stable\r\nCookie: release=canary\r\n", true, false},
		{"Cookie: a=b; release=canary\r\n", true, true}, {"Cookie: release=stable\r\n", true, false},
		{"Cookie: release=7fffffff\r\n", true, true}, {"Cookie: release=80000000\r\n", true, false},
	} {
		for range 20 {
			r := requestOf(t, c.fields)
			yes, ticket := k.Draw(r, &local)
			if c.said && yes != c.want || (ticket == Ticket{}) != c.said {
				t.Errorf("%q: %v, counted %v", c.fields, yes, ticket != Ticket{})
			}
			if got := string(r.Responds()); sticks.MatchString(got) == c.said || c.said && got != "" {
				t.Errorf("%q: %q", c.fields, got)
			}
		}
	}
	k.RollBack("by hand")
	if yes, _ := k.Draw(requestOf(t, "X-Release: canary\r\n"), &local); yes {
		t.Error("who asks for it gets it after it was rolled back")
	}
}

// A client that was drawn comes back to where it was, also at the next step.
func TestSticky(t *testing.T) {
	few, many := canaryOf(t, "weight: 10%, cookie: release, sticky: 1h"), canaryOf(t, "weight: 30%, cookie: release, sticky: 1h")
	local, canaries := upstream.Local{Seed: 9}, [2]int{}
	for range 1000 {
		r := requestOf(t, "")
		first, _ := few.Draw(r, &local)
		_, value, _ := strings.Cut(string(r.Responds()), "release=")
		again := requestOf(t, "Cookie: release="+value[:8]+"\r\n")
		second, _ := few.Draw(again, &local)
		later, _ := many.Draw(again, &local)
		if first != second || first && !later {
			t.Fatalf("%v, then %v, then %v", first, second, later)
		}
		if first {
			canaries[0]++
		}
		if later {
			canaries[1]++
		}
	}
	if canaries[0] < 60 || canaries[0] > 140 || canaries[1] < 240 || canaries[1] > 360 {
		t.Errorf("%d and %d of 1000 clients", canaries[0], canaries[1])
	}
}

// Steps follow each other by time, each with its share; a canary that was rolled back
// stays so until it is resumed, at its first step and with nothing counted.
func TestSteps(t *testing.T) {
	s := simulate(t, canaryOf(t, "steps: [{weight: 1%, for: 10s}, {weight: 50%, for: 10s}, {weight: 100%}]"), 3)
	for _, c := range []struct {
		step, low, high int
	}{{0, 0, 40}, {1, 400, 620}, {2, 1015, 1015}, {2, 1015, 1015}} {
		if r := s.Report(); r.Step != c.step {
			t.Errorf("step %d, want %d", r.Step, c.step)
		}
		if n := s.send(truth{}, 1015); n < c.low || n > c.high {
			t.Errorf("step %d: %d of 1015 requests", c.step, n)
		}
	}
	s.RollBack("by hand")
	if n := s.send(truth{}, 1000); n != 0 || s.Report().State != RolledBack || s.Report().Why != "by hand" {
		t.Errorf("%d requests, %+v", n, s.Report())
	}
	s.Resume(s.now)
	if r := s.Report(); r.State != Running || r.Step != 0 || r.Canary.Requests != 0 || r.Why != "" {
		t.Errorf("%+v", r)
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	k := canaryOf(t, "weight: 50%, header: x-a, cookie: b, roll-back: {slow: 1s}")
	r, local, o := requestOf(t, "Cookie: a=b\r\n"), upstream.Local{Seed: 1}, request.Outcome{Status: 500, Ended: 1}
	if n := testing.AllocsPerRun(1000, func() {
		_, ticket := k.Draw(r, &local)
		ticket.Ended(&o)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
