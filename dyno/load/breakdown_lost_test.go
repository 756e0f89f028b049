package load

import (
	"net"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// TestKindsKnowWhatWasLost: what was given up is in the figures of the kinds too, as
// old as it got, though it never was sent. All kinds together are the whole.
func TestKindsKnowWhatWasLost(t *testing.T) {
	t.Parallel()
	full := profile.Profile{Mode: profile.Open, Connections: 4, Rate: 400, Arrivals: profile.Uniform}
	shed := full
	shed.Overflow = profile.ShedArrival
	eachEngine(t, func(t *testing.T, engine string) {
		for _, c := range []struct {
			name    string
			serve   func() func(net.Conn)
			profile profile.Profile
			timeout time.Duration
			least   time.Duration // that the slowest of each kind are proven to have taken
		}{
			{"stands still until after the drain", func() func(net.Conn) { return frozen(300*time.Millisecond, time.Hour) }, full, time.Minute, 600 * time.Millisecond},
			{"a tenth hangs", func() func(net.Conn) { return hanging(10) }, full, 300 * time.Millisecond, 299 * time.Millisecond},
			{"shed", func() func(net.Conn) { return frozen(300*time.Millisecond, 800*time.Millisecond) }, shed, time.Minute, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				eventually(t, func(wrong func(string, ...any)) {
					s := spec(server(t, c.serve()), c.profile)
					s.Engine, s.Duration, s.Timeout, s.Drain = engine, time.Second, c.timeout, 300*time.Millisecond
					s.Requests = nil
					for _, name := range []string{"a", "b"} {
						s.Requests = append(s.Requests, request.Request{Name: name, Method: "GET", Path: "/" + name})
					}
					r := mustRun(t, s)
					all := &r.Total
					if all.GivenUp(measure.Response) == 0 {
						wrong("nothing was given up")
						return
					}
					var sum measure.Window
					for i := range r.Requests {
						k := &r.Requests[i].Total
						sum.AddCounts(k)
						most, known := k.Quantile(measure.Response, 100)
						if known || time.Duration(most) < c.least {
							wrong("%s: the slowest took at least %v, known %v; given up %d", r.Requests[i].Name, time.Duration(most), known, k.GivenUp(measure.Response))
						}
						if lost, share := k.GivenUp(measure.Response), k.Censored()/all.Censored(); lost == 0 || share < 0.4 || share > 2.5 {
							wrong("%s: %d given up, %.2f of the share in all", r.Requests[i].Name, lost, share)
						}
					}
					if sum.Shed != all.Shed || sum.Unfinished != all.Unfinished || sum.Errors != all.Errors || sum.Completed != all.Completed || sum.Drained != all.Drained {
						t.Errorf("the kinds together have %+v, the load has %+v", sum, *all)
					}
				})
			})
		}
	})
}
