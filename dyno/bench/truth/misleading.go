//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// acceptNoise are findings about a busy machine that are accepted where the case is about
// something else.
var acceptNoise = []string{"--accept", "other-load,generator-stalled,generator-late,generator-full,generator-gc"}

// misleadingCases are services of which something false is easily told: what never got a response,
// failed at once, warmed up or drifted, and processes that are not the server.
func misleadingCases() []Case {
	overload := []string{"-R", "2000", "--arrivals", "uniform", "-c", "20", "-d", "5s", "--drain", "1s"}
	cases := []Case{
		{"told/overload", "960/s are served of 2,000/s: the p99 is 3 s at least", overloaded(nil, overload...)},
		{"told/overload-stopped-in-the-last-second", "the same, and dyno is stopped for 0.25 s in the last second", overloaded([]stop{{4600 * time.Millisecond, 250 * time.Millisecond}}, overload...)},
		{"told/overload-stopped-in-the-middle", "the same, and dyno is stopped for 0.25 s in the middle", overloaded([]stop{{2300 * time.Millisecond, 250 * time.Millisecond}}, overload...)},
		{"told/never-sent", "20 ms each; what was never sent says nothing of the service", neverSent},
		{"told/generator-cpu", "dyno polls for arrivals while every CPU is also used by another program", spinBesideHogs},
		{"told/quick-failures", "2 % fail at once: the p99 is among them", quickFailures},
		{"told/capacity-of-failing-2%", "2 % fail at every rate: no rate holds p99 < 1s", capacityFailing},
		{"told/capacity-beside-a-stopped-lab", "every response takes 5 ms: it never is that nothing responded", capacityBusy},
		{"told/drift", "responses take 2 ms more each second", changing(faults{Delay: 2 * time.Millisecond, Drift: 2 * time.Millisecond}, "drifting", "-R", "100", "-c", "40", "-d", "15s")},
		{"told/cold", "responses take 20 ms for 4 s, and 2 ms from then on", changing(faults{Delay: 2 * time.Millisecond, Slow: 20 * time.Millisecond, Cold: 4 * time.Second}, "still-warming-up", "-c", "2", "-d", "14s")},
		{"told/counts-of-a-busy-machine", "every response is a 200, on a machine that is never quiet", countsBesideHogs},
		{"told/accepted-load", "the machine is busy, and that was accepted: not a plain VALID", acceptedBesideHogs},
	}
	cases = append(cases,
		Case{"told/warm-up-left-out", "the same for 16 s: the figures and thresholds are those of the warm service", warmUpLeftOut},
		Case{"told/full-listen-queue", "a listen queue of 2, ten connections a second are taken of 100", fullQueue},
		Case{"told/no-drops", "no connection is dropped", noDrops},
		Case{"told/accepted-beside-errors", "the machine is busy, which was accepted, and 5 % fail, which was not", acceptedBesideErrors},
	)
	for _, c := range misleadingStudies() {
		cases = append(cases, Case{"told/" + c.name, c.injected, c.of.examine})
	}
	return cases
}

// overloaded asks 2,000/s of a service of 20 ms with 20 connections. Half of what is due is
// without a response in time, whatever happens to dyno meanwhile: in any stretch of the load
// some 1 % wait 3 s by its end, or get none.
func overloaded(stops []stop, args ...string) func(context.Context, *lab, *Examined) error {
	return func(ctx context.Context, l *lab, e *Examined) error {
		return l.serve(faults{Delay: 20 * time.Millisecond}, func(s *service) error {
			all := slices.Concat(args, acceptNoise[:1], []string{"other-load"}, []string{"--fail", "p99<2.5s", s.url()})
			r, err := l.load(ctx, e, s.begun, stops, all...)
			if err != nil {
				return err
			}
			late := false // who was due in the first two seconds waits less
			for _, w := range r.Windows {
				late = late || w.Second >= 2 && w.Validity != "invalid"
			}
			if r.Requests == 0 || !late {
				e.silent("response p99", r.says(), ">= 2.8s")
				return nil
			}
			if us, known, there := r.figure("response", "p99"); !there {
				e.silent("response p99", r.says(), ">= 2.8s")
			} else {
				e.say("response p99", us >= 2.8e6, fmt.Sprintf("%s, known: %v", micro(us), known), ">= 2.8s")
			}
			booked := r.Requests - r.Carried + r.Drained + r.Failed + r.Shed + r.Unfinished + r.CutOff
			e.say("the books", booked == r.Offered, fmt.Sprintf("%d accounted for", booked), fmt.Sprintf("%d offered", r.Offered))
			for _, t := range r.Thresholds {
				e.say(t.Threshold, t.Decision != "holds", t.Decision, "not met")
			}
			e.say("exit status", r.code != 0, fmt.Sprint(r.code), "not 0: half had no response")
			return nil
		})
	}
}

func neverSent(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Delay: 20 * time.Millisecond}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, append(slices.Clone(acceptNoise), "-R", "2000", "-c", "20", "-d", "4s", "--drain", "1s", s.url())...)
		if err != nil {
			return err
		}
		for _, clock := range []string{"service", "first_byte"} {
			for _, name := range []string{"p50", "p90"} {
				us, known, there := r.figure(clock, name)
				if !there {
					e.silent(clock+" "+name, r.says(), "20 ms")
					continue
				}
				// At most 20 of thousands were under way at the end.
				e.say(clock+" "+name, known && us >= 19_900, fmt.Sprintf("%s, known: %v", micro(us), known), "20 ms and what the machine adds, of all that were sent")
			}
		}
		e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1: half had no response")
		return nil
	})
}

func spinBesideHogs(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, -1, func() error {
		return l.serveApart(ctx, faults{}, func(url string) error {
			r, err := l.load(ctx, e, nil, nil, append(slices.Clone(acceptNoise), "-R", "1000", "--pacing", "spin", "-c", "20", "-d", "4s", url)...)
			if err != nil {
				return err
			}
			if r.CPU == nil {
				e.silent("the generator's CPU time", r.says(), "above 0")
				return nil
			}
			// A request takes two system calls at least.
			e.say("the generator's CPU time", *r.CPU > 0.5, fmt.Sprintf("%.2f µs a request", *r.CPU), "some microseconds a request")
			return nil
		})
	})
}

func quickFailures(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Fail: 0.02}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, append(slices.Clone(acceptNoise), "-R", "1000", "-c", "20", "-d", "3s", "--max-errors", "5%", "--fail", "p99<1s", "--fail", "every window: p99<1s", s.url())...)
		if err != nil {
			return err
		}
		us, known, there := r.figure("response", "p99")
		e.say("response p99", !there || !known, fmt.Sprintf("%s, known %v, there %v", micro(us), known, there), "it is among the failures")
		for _, t := range r.Thresholds {
			e.say(t.Threshold, t.Decision != "holds", t.Decision, "not met: failures count as the slowest")
		}
		e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
		return nil
	})
}

// capacityFailing asks for the capacity of a service that fails 2 % at any rate.
func capacityFailing(ctx context.Context, l *lab, e *Examined) error {
	return l.serveFailing(ctx, e, faults{Fail: 0.02}, func(r *capacityReport, a asked) {
		said := fmt.Sprintf("exit %d", a.code)
		if r.Holds != nil {
			said = fmt.Sprintf("%.0f/s holds", r.Holds.Rate)
		}
		e.say("capacity", r.Holds == nil && a.code != 0, said, "no rate holds")
	})
}

func capacityBusy(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, -1, func() error {
		return l.serveFailing(ctx, e, faults{Delay: 5 * time.Millisecond}, func(_ *capacityReport, a asked) {
			e.say("the reason", !mentions(a.stdout+a.stderr, "nothing responded"), lastLines(a.stderr), "every request got a response")
		})
	})
}

// serveFailing searches the capacity of a service in this process for half a minute.
func (l *lab) serveFailing(ctx context.Context, e *Examined, f faults, judge func(*capacityReport, asked)) error {
	return l.serve(f, func(s *service) error {
		a, err := l.ask(ctx, e, nil, nil, "capacity", "--json", "--quiet", "--objective", "p99<1s", "-c", "20", "--trial", "2s", "--max-rate", "1000", "--max-time", "30s", s.url())
		if err != nil {
			return err
		}
		var r capacityReport
		if err := json.Unmarshal([]byte(a.stdout), &r); err != nil {
			return fmt.Errorf("dyno capacity --json: %w\n%s", err, a.stderr)
		}
		judge(&r, a)
		return nil
	})
}

// changing loads a service that is not the same all the time.
func changing(f faults, name string, args ...string) func(context.Context, *lab, *Examined) error {
	return func(ctx context.Context, l *lab, e *Examined) error {
		return l.serve(f, func(s *service) error {
			r, err := l.load(ctx, e, nil, nil, slices.Concat(args, acceptNoise, []string{s.url()})...)
			if err != nil {
				return err
			}
			e.say("validity", r.Validity != "valid", r.says(), f.injected())
			if r.finding(name) == nil {
				e.silent("what changed", r.says(), name) // a busy machine may hide it
			} else {
				e.say("what changed", true, name, name)
			}
			return nil
		})
	}
}

// injected says how the service changes.
func (f *faults) injected() string {
	return fmt.Sprintf("%v, %v more each second, %v for the first %v", f.Delay, f.Drift, f.Slow, f.Cold)
}

func countsBesideHogs(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, -1, func() error {
		return l.serveApart(ctx, faults{}, func(url string) error {
			r, err := l.load(ctx, e, nil, nil, "-R", "100", "-c", "8", "-d", "3s", url)
			if err != nil {
				return err
			}
			e.say("statuses", r.All.Statuses["200"] > 0 && len(r.All.Statuses) == 1, fmt.Sprint(r.All.Statuses), "200 only")
			e.say("requests", r.All.Sent > 200, fmt.Sprint(r.All.Sent), "about 300")
			return nil
		})
	})
}

func acceptedBesideHogs(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, -1, func() error {
		return l.serveApart(ctx, faults{}, func(url string) error {
			accept := acceptNoise[1] + ",arrivals-off,steal,cpu-speed,retransmits,rate-missed"
			a, err := l.ask(ctx, e, nil, nil, "load", "--plain", "--no-calibration", "--accept", accept, "-c", "4", "-d", "2s", url)
			if err != nil {
				return err
			}
			for line := range strings.Lines(a.stdout) {
				if word, is := strings.CutPrefix(strings.TrimSpace(line), "validity"); is {
					word = strings.TrimSpace(word)
					e.say("validity", word != "VALID", word, "the machine was busy, and that was accepted")
				}
			}
			return nil
		})
	})
}
