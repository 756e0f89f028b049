package load

import (
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// disturbed makes windows invalid by their index, as other programs do, and lets the
// others count.
func disturbed(s *Spec, windows ...int) {
	index := -int((s.Warmup+time.Second-1)/time.Second) - 1 // it is asked once before the first window
	s.Accept = slices.DeleteFunc(finding.Names(), func(n finding.Name) bool { return n == finding.OtherLoad })
	s.Others = func() *measure.Others {
		o := &measure.Others{Length: time.Second, Waited: time.Second}
		if slices.Contains(windows, index) {
			o.Parts = []measure.OthersPart{{Use: "both", CPUs: []int{0}, Used: time.Second}}
		}
		index++
		return o
	}
}

// balance holds what is said of arrivals to what was offered.
func balance(t *testing.T, w *measure.Window) {
	t.Helper()
	if w.Offered != w.Booked() {
		t.Errorf("offered %d; %d completed, %d of them carried, %d drained, %d failed, %d shed, %d unfinished, %d cut off: %d", w.Offered,
			w.Completed, w.Carried, w.Drained, w.Failures(), w.Shed, w.Unfinished, w.CutOff, w.Booked())
	}
	if known := w.Timed(measure.Response) + w.GivenUp(measure.Response) + w.Failed(measure.Response) + w.CutOff; known != w.Offered {
		t.Errorf("%d of %d arrivals are in the percentiles", known, w.Offered)
	}
}

// unreliable responds after a while: every tenth request with an error, every hundredth not
// at all, every other hundredth by closing.
func unreliable(after time.Duration) func(net.Conn) {
	var seen atomic.Int64
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			reply := okReply
			switch n := seen.Add(1); {
			case n%100 == 50:
				return
			case n%100 == 99:
				io.Copy(io.Discard, c)
				return
			case n%10 == 5:
				reply = "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"
			}
			time.Sleep(after)
			if _, err := io.WriteString(c, reply); err != nil {
				return
			}
		}
	}
}

// TestEveryLoadsBooksBalance: what was offered in the windows that count is what was
// completed, drained, failed, shed and unfinished, whichever windows are left out.
func TestEveryLoadsBooksBalance(t *testing.T) {
	t.Parallel()
	open := profile.Profile{Mode: profile.Open, Connections: 8, Rate: 500, Arrivals: profile.Poisson}
	shedding := open
	shedding.Overflow = profile.ShedArrival
	closed := profile.Profile{Mode: profile.Closed, Connections: 8}
	two := []request.Request{{Name: "a", Method: "GET", Path: "/a", Weight: 1}, {Name: "b", Method: "GET", Path: "/b", Weight: 2}}
	eachEngine(t, func(t *testing.T, engine string) {
		for name, p := range map[string]profile.Profile{"open": open, "shedding": shedding, "closed": closed} {
			outs := [][]int{{0, 2}}
			if p.Overflow == "" && p.Mode == profile.Open {
				outs = append(outs, nil, []int{1}, []int{2})
			}
			for _, out := range outs {
				s := spec(server(t, unreliable(30*time.Millisecond)), p)
				s.Engine, s.Duration, s.Warmup, s.Timeout, s.Drain, s.Requests = engine, 3*time.Second, time.Second, 700*time.Millisecond, 300*time.Millisecond, two
				disturbed(&s, out...)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					r := ran(t, s)
					balance(t, &r.Total)
					balance(t, &r.All)
					var kinds measure.Window
					for i := range r.Requests {
						kinds.AddCounts(&r.Requests[i].Total)
					}
					if w := &r.Total; kinds.Right() != w.Right() || kinds.Completed != w.Completed || kinds.Unfinished != w.Unfinished || kinds.Errors.Wrong() != w.Errors.Wrong() {
						t.Errorf("of all kinds %+v, together %+v", kinds, w)
					}
					if r.All.Sent < r.Total.Sent || out == nil && r.leftOut == 0 && (r.All.Sent != r.Total.Sent || r.All.Ended() != r.Total.Ended()) {
						t.Errorf("of all windows %+v, of those that count %+v", r.All, r.Total)
					}
					var windows measure.Window
					for i := range r.Windows {
						counted := r.Windows[i].Counted(!r.Windows[i].Warmup() && r.Windows[i].Validity() != finding.Invalid)
						windows.AddCounts(&counted)
					}
					if windows.Offered != r.Total.Offered || windows.Booked() != r.Total.Booked() {
						t.Errorf("by window %d offered and %d booked, in all %d and %d", windows.Offered, windows.Booked(), r.Total.Offered, r.Total.Booked())
					}
				})
			}
		}
	})
}

// TestTheLastWindowTakesNothingWithIt: a service that responds to half of what is asked has
// the same percentiles if the last second, after which all the rest is drained and given
// up, is left out.
func TestTheLastWindowTakesNothingWithIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, out := range [][]int{nil, {3}} {
			eventually(t, func(wrong func(string, ...any)) {
				s := spec(server(t, replyAfter(20*time.Millisecond)), profile.Profile{Mode: profile.Open, Connections: 4, Rate: 400, Arrivals: profile.Uniform})
				s.Engine, s.Duration, s.Drain = engine, 4*time.Second, 500*time.Millisecond
				disturbed(&s, out...)
				r := ran(t, s)
				w := &r.Total
				if w.Unfinished == 0 || w.Unsent == 0 {
					t.Errorf("%d unfinished, %d unsent", w.Unfinished, w.Unsent)
				}
				if ns, known := w.Quantile(measure.Response, 99); known || time.Duration(ns) < 1200*time.Millisecond {
					wrong("p99 is %v, known %v", time.Duration(ns), known)
				}
				// Of those that were sent few are under way: their service time is known.
				if ns, known := w.Quantile(measure.Service, 90); !known || time.Duration(ns) < 20*time.Millisecond {
					wrong("p90 of the service time is %v, known %v", time.Duration(ns), known)
				}
				if got := r.Throughput(); got > 230 {
					wrong("%.0f requests/s", got)
				}
			})
		}
	})
}

func replyAfter(after time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			time.Sleep(after)
			if _, err := io.WriteString(c, okReply); err != nil {
				return
			}
		}
	}
}

// TestWhatWasSentIsCountedWhateverCounts: no window is valid, so that there are no figures
// to trust; how much was sent, and what came back, is known all the same.
func TestWhatWasSentIsCountedWhateverCounts(t *testing.T) {
	t.Parallel()
	two := []request.Request{{Name: "a", Method: "GET", Path: "/a", Weight: 1}, {Name: "b", Method: "GET", Path: "/b", Weight: 1}}
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(server(t, replyAfter(time.Millisecond)), profile.Profile{Mode: profile.Open, Connections: 4, Rate: 200, Arrivals: profile.Uniform})
		s.Engine, s.Duration, s.Warmup, s.Requests = engine, 2*time.Second, time.Second, two
		disturbed(&s, 0, 1)
		r := ran(t, s)
		shown, trusted := r.Shown()
		if r.Total.Sent != 0 || trusted || shown != &r.All {
			t.Errorf("%d sent in windows that count, trusted %v", r.Total.Sent, trusted)
		}
		balance(t, &r.All)
		if w := &r.All; w.Statuses[200] != w.Ended() || w.Ended() == 0 || w.Hist[measure.Response].TotalCount() != int64(w.Ended()) {
			t.Errorf("%+v", w)
		}
		kinds := uint64(0)
		for i := range r.Requests {
			kinds += r.Requests[i].Shown().Ended()
		}
		if kinds != r.All.Ended() {
			t.Errorf("%d of all kinds, %d together", kinds, r.All.Ended())
		}
	})
}
