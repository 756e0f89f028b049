//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"net"
	"strings"
	"time"
)

// faultCases are services that fail: kinds and shares must be right.
func faultCases() []Case {
	return []Case{
		{"faults/fail-15%", "15 % of the responses are a 500", share15("fail", "status", faults{Fail: 0.15})},
		{"faults/fail-2%", "2 % of the responses are a 500", share15("fail", "status", faults{Fail: 0.02})},
		{"faults/reset-5%", "5 % of the requests end in a reset", share15("reset", "reset", faults{Reset: 0.05})},
		{"faults/cut-5%", "5 % of the bodies are cut short", share15("cut", "reset", faults{Cut: 0.05})},
		{"faults/wrong-3%", "3 % of the responses have another body", share15("wrong", "expect", faults{Wrong: 0.03}, "--expect", "body == "+goodBody)},
		{"faults/redirects-only", "everything is a redirect to another path", redirects},
		{"faults/ssh", "the peer speaks SSH", garbage},
		{"faults/nobody-listens", "nobody listens at the address", nobody},
		{"faults/never-answers", "connections are taken, and no response ever comes", mute},
		{"faults/dies", "the service is gone after 2 of 5 s", dies},
		{"faults/threshold-fails", "15 % fail: 'errors < 1%' does not hold", thresholdFails},
		{"faults/threshold-holds", "nothing fails: 'errors < 1%, p50 < 1s' holds", thresholdHolds},
	}
}

func mentions(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), w) {
			return true
		}
	}
	return false
}

// share15 loads a service of which a known share fails, and looks for that share
// under one kind of error, and for no other kind.
func share15(fate, kind string, f faults, args ...string) func(context.Context, *lab, *Examined) error {
	return func(ctx context.Context, l *lab, e *Examined) error {
		return l.serve(f, func(s *service) error {
			r, err := l.load(ctx, e, nil, nil, append([]string{"-R", "500", "-c", "50", "-d", "4s", s.url()}, args...)...)
			if err != nil {
				return err
			}
			bad, all := float64(s.count(fate)), float64(s.requests())
			truth := bad / all
			if r.unusable() { // no window can be used
				e.silent("errors as "+kind, r.says(), fmt.Sprintf("%.2f %%", 100*truth))
				e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
				if fate == "fail" {
					e.say("status codes", r.All.Statuses["500"] > 0 && r.All.Statuses["200"] > 0, fmt.Sprint(r.All.Statuses), "200 and 500")
				}
				return nil
			}
			got := r.errorsOf(kind) / float64(r.Offered)
			// What was left out was drawn from the same requests: five standard
			// deviations of such a draw.
			margin := 5 * math.Sqrt(truth*(1-truth)/float64(r.Offered)) * min(1, float64(r.LeftOut)+0.05)
			e.say("errors as "+kind, math.Abs(got-truth) <= margin+2/float64(r.Offered), fmt.Sprintf("%.2f %%", 100*got), fmt.Sprintf("%.2f %%", 100*truth))
			e.heard(fmt.Sprintf("%v", r.Errors))
			other := r.failed() - r.errorsOf(kind)
			e.say("other errors", other <= 2, fmt.Sprintf("%.0f", other), "none")
			e.say("validity", truth < 0.01 || r.Validity != "valid", r.says(), fmt.Sprintf("%.1f %% failed", 100*truth))
			if truth > 0.01 {
				e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1: more than 1 % failed")
			}
			if fate == "fail" {
				e.say("status codes", r.Statuses["500"] > 0 && r.Statuses["200"] > 0, fmt.Sprint(r.Statuses), "200 and 500")
			}
			return nil
		})
	}
}

func redirects(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Redirect: true}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-c", "4", "-d", "2s", s.url())
		if err != nil {
			return err
		}
		if r.unusable() { // no window can be used
			e.silent("what was measured", r.says(), "a redirect to /elsewhere, each time")
			e.say("status codes", r.All.Statuses["302"] > 0, fmt.Sprint(r.All.Statuses), "302 only")
			return nil
		}
		text := fmt.Sprintf("%v %s", r.Findings, r.stderr)
		e.say("what was measured", mentions(text, "redirect"), r.says(), "a redirect to /elsewhere, each time")
		e.say("status codes", r.Statuses["302"] > 0, fmt.Sprint(r.Statuses), "302 only")
		return nil
	})
}

func garbage(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Banner: "SSH-2.0-OpenSSH_9.2\r\n"}, func(s *service) error {
		a, err := l.ask(ctx, e, nil, nil, "load", "--no-calibration", "--quiet", "-c", "2", "-d", "2s", s.url())
		if err != nil {
			return err
		}
		text := a.stdout + a.stderr
		e.say("exit status", a.code != 0, fmt.Sprint(a.code), "not 0")
		e.say("what came", mentions(text, "ssh-2.0"), lastLines(text), "SSH-2.0-OpenSSH_9.2")
		return nil
	})
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " / ")
}

// freeAddress is one at which nobody listens.
func freeAddress() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

func nobody(ctx context.Context, l *lab, e *Examined) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	r, err := l.load(ctx, e, nil, nil, "-c", "2", "-d", "2s", "http://"+address+"/")
	if err != nil {
		return err
	}
	e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
	e.say("the reason", mentions(r.stderr+r.stdout, "refused"), lastLines(r.stderr), "connection refused")
	noFigures(r, e)
	return nil
}

// noFigures says whether a load without a response has a figure.
func noFigures(r *loadReport, e *Examined) {
	for _, name := range []string{"p50", "p99", "max", "mean"} {
		us, known, there := r.figure("response", name)
		e.say("response "+name, !there || !known, fmt.Sprintf("%v, known %v, there %v", us, known, there), "there is none: no response came")
	}
}

func mute(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Hang: 1}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-R", "50", "-c", "200", "-d", "3s", "-T", "1s", s.url())
		if err != nil {
			return err
		}
		e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
		e.say("validity", r.Validity != "valid", r.says(), "no response came")
		noFigures(r, e)
		return nil
	})
}

func dies(ctx context.Context, l *lab, e *Examined) error {
	s, err := startService(faults{Delay: time.Millisecond})
	if err != nil {
		return err
	}
	defer s.stop()
	go func() {
		<-s.begun
		time.Sleep(2 * time.Second)
		s.stop()
	}()
	r, err := l.load(ctx, e, nil, nil, "-R", "300", "-c", "10", "-d", "5s", s.url())
	if err != nil {
		return err
	}
	e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
	e.say("validity", r.Validity != "valid", r.says(), "three fifths of the requests met no service")
	got := r.failed()/float64(max(r.Offered, 1)) + float64(r.Unfinished)/float64(max(r.Offered, 1))
	e.say("failed", r.LeftOut > 0 || got > 0.4, fmt.Sprintf("%.0f %%", 100*got), "some 60 %")
	return nil
}

func thresholdFails(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Fail: 0.15}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-R", "500", "-d", "3s", "--max-errors", "100%", "--fail", "errors<1%", s.url())
		if err != nil {
			return err
		}
		e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
		if len(r.Thresholds) > 0 {
			e.say("errors<1%", r.Thresholds[0].Decision != "holds", r.Thresholds[0].Decision, "15 % fail")
		}
		return nil
	})
}

func thresholdHolds(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{}, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, "-R", "500", "-d", "3s", "--fail", "errors<1%, p50<1s", s.url())
		if err != nil {
			return err
		}
		for _, t := range r.Thresholds {
			if t.Decision == "fails" || t.Decision == "holds" {
				e.say(t.Threshold, t.Decision == "holds", t.Decision, "it holds")
			} else {
				e.silent(t.Threshold, t.Decision, "it holds")
			}
		}
		return nil
	})
}
