//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// figureCases are figures that can't exist, or are known exactly.
func figureCases() []Case {
	return []Case{
		{"figures/p99.99-of-50", "50 requests have no p99.99: a threshold on it can't be decided", impossible},
		{"figures/n-is-n", "-n 1000 sends 1,000 requests", exactly},
		{"figures/absent-is-null", "no TLS and no failures: the clocks of TLS have no figures", absent},
		{"figures/poisson-mean", "Poisson arrivals at 2,000/s for 5 s: 10,000 give or take five standard deviations", poisson},
		{"figures/throughput-closed", "10 connections, 10 ms each: at most 1,000 requests/s", closedThroughput},
		{"figures/slow-quarter", "a quarter of the requests is 50 ms slower", slowQuarter},
		{"figures/mix", "two kinds of request, one of them 50 ms slower", mixed},
		{"figures/mix-frozen-beyond-the-drain", "two kinds of request, of which the last second's get no response", mixedFrozen},
	}
}

func impossible(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-n", "50", "-c", "2", "--fail", "p99.99<1s", s.url())
		if err != nil {
			return err
		}
		if len(r.Thresholds) == 0 {
			return fmt.Errorf("no threshold in the output: %s", lastLines(r.stderr))
		}
		e.say("p99.99<1s", r.Thresholds[0].Decision != "holds", r.Thresholds[0].Decision, "50 requests can't tell")
		e.say("exit status", r.code != 0, fmt.Sprint(r.code), "not 0")
		return nil
	})
}

func exactly(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Delay: time.Millisecond}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-n", "1000", "-c", "8", s.url())
		if err != nil {
			return err
		}
		s.mu.Lock()
		served := s.served
		s.mu.Unlock()
		e.say("requests sent", served == 1000, fmt.Sprintf("%d reached the service", served), "1,000")
		e.say("requests", r.Requests == 1000 || r.LeftOut > 0, fmt.Sprint(r.Requests), "1,000")
		return nil
	})
}

func absent(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-c", "2", "-d", "1s", s.url())
		if err != nil {
			return err
		}
		for _, clock := range []string{"tls_full", "tls_resumed", "read_delay"} {
			us, _, there := r.figure(clock, "p99")
			e.say(clock+" p99", !there, fmt.Sprintf("%v", us), "there is none")
		}
		return nil
	})
}

func poisson(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-R", "2000", "-c", "64", "-d", "5s", s.url())
		if err != nil {
			return err
		}
		if r.LeftOut > 0 {
			e.silent("offered", r.says(), "10,000 ± 500")
			return nil
		}
		e.say("offered", r.Offered >= 9500 && r.Offered <= 10500, fmt.Sprint(r.Offered), "10,000 ± 500")
		e.say("requests", r.Requests+uint64(r.failed())+r.Unfinished <= r.Offered, fmt.Sprint(r.Requests), "no more than were offered")
		return nil
	})
}

func closedThroughput(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Delay: 10 * time.Millisecond}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-c", "10", "-d", "4s", s.url())
		if err != nil {
			return err
		}
		if r.Throughput == nil {
			e.silent("throughput", r.says(), "at most 1,000/s")
			return nil
		}
		e.say("throughput", *r.Throughput <= 1001 && *r.Throughput > 300, fmt.Sprintf("%.0f/s", *r.Throughput), "at most 1,000/s")
		if us, known, there := r.figure("response", "p50"); there && known {
			e.say("response p50", us >= 9_900, micro(us), "at least 10 ms")
		}
		return nil
	})
}

func slowQuarter(ctx context.Context, l *lab, e *Examined) error {
	quick, err := startService(faults{Delay: 2 * time.Millisecond, Slow: 52 * time.Millisecond, SlowShare: 0.25})
	if err != nil {
		return err
	}
	defer quick.stop()
	r, err := l.load(ctx, e, nil, nil, "-R", "300", "-c", "60", "-d", "4s", quick.url())
	if err != nil {
		return err
	}
	e.hold(r, "response", "p50", 2*time.Millisecond)
	e.hold(r, "response", "p90", 52*time.Millisecond)
	if strings.Contains(r.stdout, "NaN") {
		e.say("the object", false, "NaN", "figures or null")
	}
	return nil
}

// mixed asks a service for two things, of which /slow takes longer: each kind has
// figures of its own.
func mixed(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Delay: 2 * time.Millisecond, Slow: 52 * time.Millisecond, SlowPath: "/slow"}, func(s *service) error {
		targets, err := l.targets(s, "/quick", "/slow")
		if err != nil {
			return err
		}
		r, err := l.load(ctx, e, nil, nil, "-R", "300", "-c", "60", "-d", "4s", "--targets", targets)
		if err != nil {
			return err
		}
		for i, truth := range []time.Duration{2 * time.Millisecond, 52 * time.Millisecond} {
			for _, name := range []string{"p50", "p90"} {
				e.holdKind(r, i, name, truth)
			}
		}
		return nil
	})
}

// mixedFrozen asks a service for two things that stands still to the end: what is lost
// is lost to both kinds.
func mixedFrozen(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{FreezeAt: 4 * time.Second, FreezeFor: time.Minute}, func(s *service) error {
		targets, err := l.targets(s, "/one", "/other")
		if err != nil {
			return err
		}
		r, err := l.load(ctx, e, nil, nil, "-R", "400", "--arrivals", "uniform", "-d", "5s", "-c", "20", "-T", "4s", "--targets", targets)
		if err != nil {
			return err
		}
		var sum kindReport
		out := r.leftOut(4) // with what was due in it
		for i := range r.ByRequest {
			k := &r.ByRequest[i]
			us := k.Response["p99"]
			if us == nil || out {
				e.silent("p99 of "+k.Name, r.says(), ">= 3.9s")
			} else {
				e.say("p99 of "+k.Name, *us >= 3.5e6, micro(*us), ">= 3.9s")
			}
			sum.Requests, sum.Drained, sum.Unfinished = sum.Requests+k.Requests, sum.Drained+k.Drained, sum.Unfinished+k.Unfinished
		}
		if r.unusable() { // no window can be used
			return nil
		}
		e.say("all kinds together", len(r.ByRequest) == 2 && sum.Requests == r.Requests && sum.Unfinished == r.Unfinished,
			fmt.Sprintf("%d requests, %d unfinished", sum.Requests, sum.Unfinished), fmt.Sprintf("%d and %d", r.Requests, r.Unfinished))
		return nil
	})
}

// leftOut reports whether a second is in no figure.
func (r *loadReport) leftOut(second int) bool {
	for _, w := range r.Windows {
		if w.Second == second {
			return w.Validity == "invalid"
		}
	}
	return false
}

// targets writes a list of URLs of a service.
func (l *lab) targets(s *service, paths ...string) (file string, err error) {
	var text strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&text, "GET %s%s\n\n", strings.TrimSuffix(s.url(), "/"), path)
	}
	file = filepath.Join(l.dir, "targets.txt")
	return file, os.WriteFile(file, []byte(text.String()), 0o644)
}

// holdKind says whether a figure of a kind of request is the truth.
func (e *Examined) holdKind(r *loadReport, i int, name string, truth time.Duration) {
	if i >= len(r.ByRequest) || r.ByRequest[i].Response[name] == nil || r.Validity == "invalid" {
		e.silent(fmt.Sprintf("%s of kind %d", name, i), r.says(), truth.String())
		return
	}
	us := *r.ByRequest[i].Response[name]
	e.say(name+" of "+r.ByRequest[i].Name, near(us, truth), micro(us), truth.String())
}
