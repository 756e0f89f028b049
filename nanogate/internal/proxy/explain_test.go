//go:build linux

package proxy

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// takes is a filter that takes so long, and then responds.
type takes struct {
	long  time.Duration
	reply *request.Reply
}

func (f takes) Check(*request.Request) *request.Reply {
	time.Sleep(f.long)
	return f.reply
}

// What an explanation says of a filter is what it did: it took at least as long as it slept,
// in the milliseconds of Server-Timing, and no longer than all of the call; and it said that.
func TestExplanationsAreTrue(t *testing.T) {
	var deferred, refused = request.Refuse(503, "", ""), request.Refuse(418, "", "")
	deferred.Deferred = &request.Deferred{}
	for _, c := range []struct {
		f    takes
		says string
	}{
		{takes{0, nil}, ""},
		{takes{30 * time.Millisecond, nil}, ""},
		{takes{5 * time.Millisecond, refused}, `;desc="418"`},
		{takes{5 * time.Millisecond, deferred}, `;desc="waits"`},
	} {
		e := explanation{now: clock.Now}
		began := time.Now()
		reply := e.check(&snapshot.Step{Name: "a b", Phase: filter.Limits, Filter: c.f}, new(request.Request))
		whole := time.Since(began)
		m := regexp.MustCompile(`^, limits\.a_b;dur=([0-9.]+)(.*)$`).FindStringSubmatch(string(e.text))
		if m == nil || m[2] != c.says || reply != c.f.reply {
			t.Errorf("%+v: %q", c.f, e.text)
			continue
		}
		ms, err := strconv.ParseFloat(m[1], 64)
		said := time.Duration(ms * float64(time.Millisecond))
		if err != nil || said < c.f.long-time.Microsecond || said > whole+time.Microsecond {
			t.Errorf("slept for %v, %v in all, and %v is said", c.f.long, whole, said)
		}
	}
}

// slow is a filter that takes so long at a slot, before and after it has another one called at
// one.
type slow struct {
	long   time.Duration
	within func(c *client)
}

func (f slow) respond(c *client) bool {
	time.Sleep(f.long)
	if f.within != nil {
		f.within(c)
		time.Sleep(f.long)
	}
	return true
}

func (f slow) replying(*client, *request.Reply) bool {
	time.Sleep(f.long)
	return true
}

// What is said of slots is what was done there: each took at least as long as it slept, and all
// of them together no longer than the call of the first, of which the others' time is no part,
// also when the head is written in the midst of them.
func TestExplanationsOfSlotsAreTrue(t *testing.T) {
	const outer, inner = 5 * time.Millisecond, 20 * time.Millisecond
	for _, c := range []struct {
		name   string
		within bool // the head is written while both are called
	}{{"after", false}, {"within", true}} {
		l, cl := bench(t, "routes: [{name: r, respond: {status: 200}}]\n")
		x := &cl.x
		x.route = &snapshot.Route{Name: "r", Along: []snapshot.Listed{{Name: "cache", Phase: filter.Content, With: filter.SetOf(filter.Cache)}}}
		e := &explanation{route: x.route, now: clock.Now}
		l.keep(x).explanation = e
		var said []byte
		var whole, began time.Duration
		tell := func() { said, whole = e.appendTo(nil, x), time.Duration(clock.Now())-began }
		var s slots
		s.reply.fill(filter.AtReply, filter.GRPCWeb, slow{long: inner})
		s.content.fill(filter.AtContent, filter.Cache, slow{outer, func(cl *client) {
			s.reply.back(x, filter.SetOf(filter.GRPCWeb), func(f atReply) bool { return f.replying(cl, nil) })
			if c.within {
				tell()
			}
		}})
		began = time.Duration(clock.Now())
		s.content.any(x, filter.SetOf(filter.Cache), func(f atContent) bool { return f.respond(cl) })
		if !c.within {
			tell()
		}
		m := regexp.MustCompile(`^, content\.grpc-web;dur=([0-9.]+);desc="reply ([0-9.]+)", content\.cache;dur=([0-9.]+);desc="content ([0-9.]+)"\r\n$`).FindStringSubmatch(string(said))
		if m == nil || m[1] != m[2] || m[3] != m[4] {
			t.Errorf("%s: %q", c.name, said)
			continue
		}
		least := outer
		if !c.within {
			least *= 2
		}
		web, cached := milliseconds(t, m[1]), milliseconds(t, m[3])
		if web < inner-time.Microsecond || cached < least-time.Microsecond || web+cached > whole+time.Microsecond {
			t.Errorf("%s: slept for %v and %v, %v in all, and %v and %v are said", c.name, inner, least, whole, web, cached)
		}
	}
}

func milliseconds(t *testing.T, text string) time.Duration {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Error(err)
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// A filter at whose slot the exchange ends, and another one begins, is charged to neither.
func TestExplanationsEndWithTheirExchange(t *testing.T) {
	l, c := bench(t, "routes: [{name: r, respond: {status: 200}}]\n")
	x := &c.x
	l.keep(x).explanation = &explanation{now: clock.Now}
	next := &explanation{now: clock.Now}
	var s slots
	s.content.fill(filter.AtContent, filter.Cache, slow{0, func(*client) {
		l.forget(x)
		l.keep(x).explanation = next
	}})
	s.content.any(x, filter.SetOf(filter.Cache), func(f atContent) bool { return f.respond(c) })
	if x.explained() != next || next.called != 0 || len(next.open) != 0 {
		t.Errorf("%+v", next)
	}
}
