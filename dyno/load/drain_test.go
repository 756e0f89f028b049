package load

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/nano/wire/clock"
)

// frozen responds at once, except between two instants since the first request: what
// comes then has its response at the end of it.
func frozen(from, until time.Duration) func(net.Conn) {
	var first atomic.Int64
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			first.CompareAndSwap(0, clock.Now())
			if at := time.Duration(clock.Now() - first.Load()); at >= from && at < until {
				time.Sleep(until - at)
			}
			if _, err := io.WriteString(c, okReply); err != nil {
				return
			}
		}
	}
}

// hanging never responds to one in n of the requests, and the others at once.
func hanging(n int64) func(net.Conn) {
	var seen atomic.Int64
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			if seen.Add(1)%n == 0 {
				io.Copy(io.Discard, c)
				return
			}
			if _, err := io.WriteString(c, okReply); err != nil {
				return
			}
		}
	}
}

// total sums up all measured windows with their histograms, also those that the
// machine has spoiled.
func total(r *Result) *measure.Window {
	t := new(measure.Window)
	for i := range r.Windows {
		w := &r.Windows[i]
		if w.Warmup() {
			continue
		}
		t.Add(w)
		for c := range measure.NumClocks {
			if h := w.Hist[c]; h != nil {
				if t.Hist[c] == nil {
					t.Hist[c] = measure.NewHistogram()
				}
				t.Hist[c].Merge(h)
			}
			if h := w.Waited[c]; h != nil {
				if t.Waited[c] == nil {
					t.Waited[c] = measure.NewHistogram()
				}
				t.Waited[c].Merge(h)
			}
		}
	}
	return t
}

// TestDrainSendsWhatWasDue: a server that stands still until after the end does not
// make the requests vanish that were due meanwhile. All are sent, and have the times
// that the freeze gave them.
func TestDrainSendsWhatWasDue(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			s := spec(server(t, frozen(500*time.Millisecond, 1500*time.Millisecond)), profile.Profile{Mode: profile.Open, Connections: 4, Rate: 400, Arrivals: profile.Uniform})
			s.Engine, s.Duration = engine, time.Second
			w := total(ran(t, s))
			if w.Offered != 400 || w.Completed+w.Drained != 400 || w.Unfinished != 0 || w.Sent != 400 {
				t.Errorf("offered %d, sent %d, completed %d, drained %d, unfinished %d", w.Offered, w.Sent, w.Completed, w.Drained, w.Unfinished)
			}
			// Half of them were due in the freeze: those at its beginning waited for a
			// second, those at the end of the load for half of it.
			if w.SentLate < 100 || w.Queued < 100 {
				wrong("sent after the end: %d, queued %d", w.SentLate, w.Queued)
			}
			p60, known := w.Quantile(measure.Response, 60)
			if !known || time.Duration(p60) < 450*time.Millisecond {
				wrong("p60 is %v, %v", time.Duration(p60), known)
			}
			if w.Length != s.Duration {
				t.Errorf("the drain counts as measured time: %v", w.Length)
			}
		})
	})
}

// TestDrainHasAnEnd: what takes longer is known to have taken that long.
func TestDrainHasAnEnd(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, drain := range []time.Duration{-1, 300 * time.Millisecond} {
			eventually(t, func(wrong func(string, ...any)) {
				s := spec(server(t, frozen(200*time.Millisecond, time.Hour)), profile.Profile{Mode: profile.Open, Connections: 4, Rate: 400, Arrivals: profile.Uniform})
				s.Engine, s.Duration, s.Drain, s.Timeout = engine, 600*time.Millisecond, drain, time.Minute
				began := time.Now()
				r := ran(t, s)
				w := total(r)
				if took := time.Since(began); took > s.Timeout {
					t.Errorf("the load took %v", took)
				}
				if w.Offered != 240 || w.Completed+w.Drained+w.Unfinished != w.Offered {
					t.Errorf("offered %d, completed %d, drained %d, unfinished %d", w.Offered, w.Completed, w.Drained, w.Unfinished)
				}
				if w.Unfinished < 100 {
					wrong("unfinished %d of 240", w.Unfinished)
				}
				want := 300*time.Millisecond + max(drain, 0)
				if ns, known := w.Quantile(measure.Response, 100); known || time.Duration(ns) < want {
					wrong("the maximum is at least %v, %v; want %v", time.Duration(ns), known, want)
				}
				// Half of those that were due in the 400 ms are older than half of that.
				if ns, known := w.Quantile(measure.Response, 100-30); known || time.Duration(ns) < want-250*time.Millisecond {
					wrong("p70 is at least %v, %v", time.Duration(ns), known)
				}
				if r.leftOut == 0 && w.Unfinished > 0 && !hasFinding(r, finding.Unfinished) {
					t.Errorf("findings %+v", r.Findings)
				}
			})
		}
	})
}

func hasFinding(r *Result, name finding.Name) bool {
	for _, f := range r.Findings {
		if f.Name == name {
			return true
		}
	}
	return false
}

// TestClosedLoopsKnowWhatHangs: requests that never come back are in the
// percentiles of a closed loop too, as old as they got, and explain what is in
// flight.
func TestClosedLoopsKnowWhatHangs(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			s := spec(server(t, hanging(25)), profile.Profile{Mode: profile.Closed, Connections: 20, Think: profile.Think{Mean: 5 * time.Millisecond}})
			s.Engine, s.Duration, s.Drain, s.Timeout = engine, 1500*time.Millisecond, 500*time.Millisecond, 30*time.Second
			r := ran(t, s)
			w := total(r)
			if w.Unfinished > 20 || w.Errors.Total() != 0 {
				t.Fatalf("unfinished %d, errors %+v", w.Unfinished, w.Errors)
			}
			if hasFinding(r, finding.Little) {
				t.Errorf("the record is blamed: %+v", r.Findings)
			}
			if w.Unfinished == 0 {
				wrong("nothing is unfinished of %d that were sent", w.Sent)
				return
			}
			if ns, known := w.Quantile(measure.Response, 100); known || time.Duration(ns) < 600*time.Millisecond {
				wrong("the maximum is at least %v, %v", time.Duration(ns), known)
			}
			if r.leftOut == 0 && r.Validity == finding.Valid {
				t.Error("a load of which many requests hang is valid")
			}
		})
	})
}

// TestClosedLoopsSeeAFreezeAtTheEnd: with none left to ask, it is in the times of
// those who are waiting.
func TestClosedLoopsSeeAFreezeAtTheEnd(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			s := spec(server(t, frozen(600*time.Millisecond, 1300*time.Millisecond)), profile.Profile{Mode: profile.Closed, Connections: 16})
			s.Engine, s.Duration = engine, time.Second
			w := total(ran(t, s))
			if w.Drained != 16 || w.Unfinished != 0 {
				wrong("drained %d, unfinished %d", w.Drained, w.Unfinished)
			}
			if most := time.Duration(w.Longest(measure.Response)); most < 600*time.Millisecond {
				wrong("the longest response is %v", most)
			}
		})
	})
}

// TestTimeoutsProveTheirLimit: that a request was given up after so long is the
// bound that its percentile has.
func TestTimeoutsProveTheirLimit(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			s := spec(server(t, hanging(25)), profile.Profile{Mode: profile.Open, Connections: 40, Rate: 400, Arrivals: profile.Uniform})
			s.Engine, s.Duration, s.Timeout = engine, 1200*time.Millisecond, 600*time.Millisecond
			w := total(ran(t, s))
			if w.Errors.Timeout < 10 {
				wrong("errors %+v", w.Errors)
			}
			for _, c := range []measure.Clock{measure.Response, measure.Service, measure.FirstByte} {
				if ns, known := w.Quantile(c, 98); known || time.Duration(ns) < 599*time.Millisecond {
					wrong("p98 of %s is at least %v, %v", c, time.Duration(ns), known)
				}
			}
		})
	})
}

// TestLittleOfFewRequests: the law holds however few requests there are, whatever
// becomes of them; and a record that breaks it is found.
func TestLittleOfFewRequests(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(server(t, hanging(3)), profile.Profile{Mode: profile.Open, Connections: 3, Rate: 20, Arrivals: profile.Uniform})
		s.Engine, s.Duration, s.Warmup, s.Timeout, s.Drain = engine, 1200*time.Millisecond, 300*time.Millisecond, 150*time.Millisecond, 50*time.Millisecond
		r := ran(t, s)
		r.Findings = nil
		r.judge(&s)
		if r.Total.Length == 0 {
			t.Skip("this machine stood still all the time")
		}
		if hasFinding(r, finding.Little) {
			t.Errorf("%+v", r.Findings)
		}
		r.Total.InFlight += 0.1 + 0.1*r.Total.InFlight
		r.judge(&s)
		if !hasFinding(r, finding.Little) {
			t.Error("a tenth too much in flight is not found")
		}
	})
}

// TestInterruptedLoadsDontDrain: who interrupts a load does not want to wait.
func TestInterruptedLoadsDontDrain(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 4}, {Mode: profile.Open, Connections: 4, Rate: 100}} {
			eventually(t, func(wrong func(string, ...any)) {
				s := spec(server(t, frozen(100*time.Millisecond, time.Hour)), p)
				s.Engine, s.Duration, s.Timeout, s.Drain = engine, time.Minute, time.Minute, time.Minute
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s.OnStart = func(int64) { time.AfterFunc(700*time.Millisecond, cancel) }
				r, err := begun(ctx, s)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Interrupted {
					t.Errorf("%s: it was not interrupted", p.Mode)
				}
				if w := total(r); w.Unfinished == 0 || w.Longest(measure.Response) < int64(400*time.Millisecond) {
					wrong("%s: unfinished %d, longest %v", p.Mode, w.Unfinished, time.Duration(w.Longest(measure.Response)))
				}
			})
		}
	})
}
