//go:build linux

package proxy

import (
	"regexp"
	"strconv"
	"testing"
	"time"

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
		e := explanation{}
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
