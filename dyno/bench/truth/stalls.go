//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// stallCases are servers that stand still, or never respond: the lab must see it,
// and to the right extent.
func stallCases() []Case {
	const ms, s = time.Millisecond, time.Second
	return []Case{
		{"stalls/open-frozen-1s-in-5", "a fifth of 5 s frozen: p90 500 ms, p99 950 ms by the schedule", frozenOpen(500, faults{FreezeAt: 2500 * ms, FreezeFor: s}, 5, 64+700)},
		{"stalls/open-frozen-few-connections", "the same with 20 connections, all held by the server", frozenOpen(500, faults{FreezeAt: 2500 * ms, FreezeFor: s}, 5, 20)},
		{"stalls/open-frozen-2000", "the same at 2,000 requests/s", frozenOpen(2000, faults{FreezeAt: 2500 * ms, FreezeFor: s}, 5, 2600)},
		{"stalls/open-frozen-to-the-end", "frozen from 4 s until 0.5 s after the end of 5 s: every due request is sent and counts", frozenOpen(500, faults{FreezeAt: 4 * s, FreezeFor: 1500 * ms}, 5, 20)},
		{"stalls/open-frozen-beyond-the-drain", "frozen from 4 s on for 60 s: quantiles from p80 on are lower bounds", frozenBeyond("")},
		{"stalls/open-hang-4%", "4 % of the requests never get a response, time limit 3 s: p99 is at least 3 s", hangOpen("")},
		{"stalls/closed-hang-4%", "4 % of the requests never get a response within the load", hangClosed("")},
		{"stalls/closed-frozen-at-the-end", "a closed loop's server is frozen for the last 0.45 s of 5 and beyond", frozenClosedEnd},
		{"stalls/closed-frozen-in-the-middle", "a closed loop's server is frozen for 1 s of 5", frozenClosedMiddle},
		{"stalls/h2-open-frozen-1s-in-5", "the same as over HTTP/1.1, ten requests at once on each connection", frozenOpen(500, faults{Speaks: overHTTP2, FreezeAt: 2500 * ms, FreezeFor: s}, 5, 700)},
		{"stalls/h2-open-frozen-to-the-end", "frozen from 4 s until 0.5 s after the end of 5 s", frozenOpen(500, faults{Speaks: overHTTP2, FreezeAt: 4 * s, FreezeFor: 1500 * ms}, 5, 20)},
		{"stalls/h2-open-frozen-beyond-the-drain", "frozen from 4 s on for 60 s", frozenBeyond(overHTTP2)},
		{"stalls/h2-open-hang-4%", "4 % of the requests never get a response, time limit 3 s", hangOpen(overHTTP2)},
		{"stalls/h2-closed-hang-4%", "4 % of the requests never get a response within the load", hangClosed(overHTTP2)},
		{"stalls/grpc-open-frozen-to-the-end", "calls: frozen from 4 s until 0.5 s after the end of 5 s", frozenOpen(500, faults{Speaks: overGRPC, FreezeAt: 4 * s, FreezeFor: 1500 * ms}, 5, 20)},
		{"stalls/grpc-open-hang-4%", "4 % of the calls never get a response, time limit 3 s", hangOpen(overGRPC)},
		{"stalls/grpc-closed-hang-4%", "4 % of the calls never get a response within the load", hangClosed(overGRPC)},
		{"stalls/slow-5%", "5 % take 200 ms, the others 5 ms: p90 is 5 ms, p99 200 ms", slowShare},
		{"stalls/frozen-is-the-servers", "a frozen server held all connections: the load is not to blame", blamed},
	}
}

// near reports whether a time in µs is the truth, give or take a tenth and what
// a busy machine adds.
func near(us float64, truth time.Duration) bool {
	t := float64(truth.Microseconds())
	return us >= 0.9*t-5_000 && us <= 1.1*t+40_000
}

func micro(us float64) string { return fmt.Sprintf("%.1f ms", us/1e3) }

// hold says whether a figure is the truth.
func (e *Examined) hold(r *loadReport, clock, name string, truth time.Duration) {
	us, known, there := r.figure(clock, name)
	about, so := clock+" "+name, truth.String()
	switch {
	case !there || r.Validity == "invalid":
		e.silent(about, r.says(), so)
	case !known:
		e.say(about, us <= 1.1*float64(truth.Microseconds())+40_000, ">= "+micro(us), so)
	default:
		e.say(about, near(us, truth), micro(us), so)
		e.heard(r.says())
	}
}

// holdAtLeast says whether a figure is a lower bound that proves at least so much.
func (e *Examined) holdAtLeast(r *loadReport, clock, name string, proven time.Duration) {
	us, known, there := r.figure(clock, name)
	so := ">= " + proven.String()
	text := micro(us)
	if !known {
		text = ">= " + text
	}
	if !there || r.Validity == "invalid" {
		e.silent(clock+" "+name, r.says(), so)
		return
	}
	e.say(clock+" "+name, us >= 0.9*float64(proven.Microseconds()), text, so)
	e.heard(r.says())
}

// serve runs a service for the time of f.
func (l *lab) serve(f faults, do func(s *service) error) error {
	s, err := startService(f)
	if err != nil {
		return err
	}
	defer s.stop()
	return do(s)
}

// frozenOpen loads a server that freezes once. With uniform arrivals the responses
// of those that come in the freeze are spread evenly up to its length.
func frozenOpen(rate int, f faults, seconds, connections int) func(context.Context, *lab, *Examined) error {
	return func(ctx context.Context, l *lab, e *Examined) error {
		return l.serve(f, func(s *service) error {
			flags, err := l.through(s, connections)
			if err != nil {
				return err
			}
			flags = append(flags, "-R", strconv.Itoa(rate), "--arrivals", "uniform", "-d", fmt.Sprintf("%ds", seconds), s.url())
			r, err := l.load(ctx, e, nil, nil, flags...)
			if err != nil {
				return err
			}
			length := time.Duration(seconds) * time.Second
			inside := min(f.FreezeFor, length-f.FreezeAt) // in which requests come that are held
			share := float64(inside) / float64(length)
			for _, q := range []struct {
				name string
				at   float64
			}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}} {
				truth := time.Duration(0)
				if beyond := (1 - q.at) / share; beyond < 1 {
					truth = f.FreezeFor - time.Duration(beyond*float64(inside))
				}
				if r.LeftOut > 0 && q.at > 0.5 {
					e.silent("response "+q.name, r.says(), truth.String()) // of other windows than the truth is of
					continue
				}
				e.hold(r, "response", q.name, truth)
			}
			e.say("requests", r.LeftOut > 0 || r.Offered == uint64(rate*seconds), fmt.Sprintf("%d offered", r.Offered), fmt.Sprintf("%d were due", rate*seconds))
			e.say("requests given up", r.Unfinished == 0, fmt.Sprintf("%d unfinished", r.Unfinished), "none: all get a response soon after the end")
			return nil
		})
	}
}

func frozenBeyond(speaks string) func(context.Context, *lab, *Examined) error {
	f := faults{Speaks: speaks, FreezeAt: 4 * time.Second, FreezeFor: time.Minute}
	return examining(f, 20, []string{"-R", "400", "--arrivals", "uniform", "-d", "5s", "-T", "4s"}, func(_ *service, r *loadReport, e *Examined) {
		e.hold(r, "response", "p50", 0)
		e.holdAtLeast(r, "response", "p90", 3500*time.Millisecond)
		e.holdAtLeast(r, "response", "p99", 3900*time.Millisecond)
		e.say("a quiet VALID", r.Validity != "valid", r.says(), "a fifth of the requests never got a response")
	})
}

// examining loads a service, so many requests at once, and has what was said judged.
func examining(f faults, atOnce int, args []string, judge func(s *service, r *loadReport, e *Examined)) func(context.Context, *lab, *Examined) error {
	return func(ctx context.Context, l *lab, e *Examined) error {
		return l.serve(f, func(s *service) error {
			flags, err := l.through(s, atOnce)
			if err != nil {
				return err
			}
			r, err := l.load(ctx, e, nil, nil, append(append(flags, args...), s.url())...)
			if err != nil {
				return err
			}
			judge(s, r, e)
			return nil
		})
	}
}

func hangOpen(speaks string) func(context.Context, *lab, *Examined) error {
	return examining(faults{Speaks: speaks, Hang: 0.04}, 300, []string{"-R", "200", "-d", "5s", "-T", "3s"}, func(s *service, r *loadReport, e *Examined) {
		e.hold(r, "response", "p90", 0)
		e.holdAtLeast(r, "response", "p99", 3*time.Second)
		hung := float64(s.count("hang"))
		got := r.errorsOf("timeout") + float64(r.Unfinished)
		e.say("requests without a response", r.LeftOut > 0 || got >= hung-2 && got <= hung+2, fmt.Sprintf("%.0f timed out or unfinished", got), fmt.Sprintf("%.0f", hung))
	})
}

func hangClosed(speaks string) func(context.Context, *lab, *Examined) error {
	f := faults{Speaks: speaks, Hang: 0.04, Delay: 5 * time.Millisecond}
	return examining(f, 50, []string{"-d", "5s", "-T", "30s", "--fail", "errors<1%"}, func(s *service, r *loadReport, e *Examined) {
		// Each place hangs after some 25 responses, within the first second or so.
		e.holdAtLeast(r, "response", "max", 2*time.Second)
		named := r.Validity != "valid" || r.Unfinished > 0 || r.Censored > 0
		e.say("the requests that hang", named, r.says()+fmt.Sprintf(", %d unfinished, %.2f %% censored", r.Unfinished, 100*r.Censored), fmt.Sprintf("%d hang", s.count("hang")))
		if len(r.Thresholds) == 1 {
			e.say("errors<1%", r.Thresholds[0].Decision != "holds", r.Thresholds[0].Decision, "4 % got no response")
		}
		e.say("exit status", r.code != 0, fmt.Sprint(r.code), "not 0")
	})
}

func frozenClosedEnd(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{FreezeAt: 4550 * time.Millisecond, FreezeFor: 10 * time.Second, Delay: 2 * time.Millisecond}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-c", "64", "-d", "5s", "-T", "30s", s.url())
		if err != nil {
			return err
		}
		e.holdAtLeast(r, "response", "max", 400*time.Millisecond)
		return nil
	})
}

func frozenClosedMiddle(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{FreezeAt: 2 * time.Second, FreezeFor: time.Second, Delay: 2 * time.Millisecond}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-c", "64", "-d", "5s", s.url())
		if err != nil {
			return err
		}
		if r.LeftOut > 0 {
			e.silent("response max", r.says(), "1 s")
			return nil
		}
		e.hold(r, "response", "max", time.Second)
		return nil
	})
}

func slowShare(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Delay: 5 * time.Millisecond, Slow: 200 * time.Millisecond, SlowShare: 0.05}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-R", "300", "-c", "100", "-d", "5s", s.url())
		if err != nil {
			return err
		}
		e.hold(r, "response", "p50", 5*time.Millisecond)
		e.hold(r, "response", "p90", 5*time.Millisecond)
		e.hold(r, "response", "p99", 200*time.Millisecond)
		return nil
	})
}

// blamed asks whose fault it is that arrivals were not sent as scheduled.
func blamed(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{FreezeAt: 1500 * time.Millisecond, FreezeFor: 2 * time.Second}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-R", "1000", "-d", "6s", "-c", "10", s.url())
		if err != nil {
			return err
		}
		own := []string{"generator-stalled", "generator-late", "generator-full"}
		for _, f := range r.Findings {
			if slices.Contains(own, f.Name) && f.Validity == "invalid" {
				e.silent(f.Name, f.Detail, "the server held all connections")
			}
		}
		e.hold(r, "response", "max", 2*time.Second)
		if f := r.finding("arrivals-off"); f != nil {
			e.say("arrivals-off", mentions(f.Detail, "connection"), f.Detail, "all connections were held by the server")
		} else {
			e.silent("arrivals-off", "nothing", "all connections were held by the server")
		}
		return nil
	})
}
