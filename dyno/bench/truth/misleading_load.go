//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cold are the faults of a service that takes ten times as long for 4 s.
var cold = faults{Delay: 2 * time.Millisecond, Slow: 20 * time.Millisecond, Cold: 4 * time.Second}

// warmUpLeftOut loads a cold service: if it is said to have been warming up, its figures
// and thresholds are those of the warm one, and the counts are of all that came.
func warmUpLeftOut(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(cold, func(s *service) error {
		r, err := l.load(ctx, e, nil, nil, slices.Concat([]string{"-c", "2", "-d", "16s", "--fail", "every window: p50<15ms", "--fail", "p50<15ms"}, acceptNoise, []string{s.url()})...)
		if err != nil {
			return err
		}
		if r.finding("still-warming-up") == nil {
			e.silent("the figures", r.says(), "a busy machine hides that the service warmed up")
			return nil
		}
		e.say("seconds left out", r.LeftOut >= 3, fmt.Sprint(r.LeftOut), "the 4 cold ones")
		if us, _, there := r.figure("response", "p50"); there {
			e.say("response p50", us >= 2e3 && us < 15e3, micro(us), "2 ms and what the machine adds")
		}
		if us, _, there := r.figure("response", "p90"); there {
			e.say("response p90", us < 20e3, micro(us), "below 20 ms: no cold second is in it")
		}
		booked := r.Requests - r.Carried + r.Drained + r.Failed + r.Shed + r.Unfinished + r.CutOff
		e.say("the books", booked == r.Offered, fmt.Sprintf("%d accounted for", booked), fmt.Sprintf("%d offered", r.Offered))
		// Those under way at the end came too.
		e.say("the counts of all", r.All.Sent == uint64(s.requests()), fmt.Sprint(r.All.Sent), fmt.Sprintf("%d came", s.requests()))
		for _, t := range r.Thresholds {
			e.say(t.Threshold, t.Decision != "fails", t.Decision, "it holds once the service is warm")
		}
		return nil
	})
}

// listenDropsOf is the kernel's counter of connections that it dropped at listen queues.
func listenDropsOf() (uint64, error) {
	data, err := os.ReadFile("/proc/self/net/netstat")
	if err != nil {
		return 0, err
	}
	var heads []string
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "TcpExt:" {
			continue
		}
		if i := slices.Index(heads, "ListenDrops"); i >= 0 {
			return strconv.ParseUint(words[i], 10, 64)
		}
		heads = words
	}
	return 0, fmt.Errorf("the kernel doesn't count ListenDrops")
}

// fullQueue loads a service that takes ten connections a second with a queue of two.
func fullQueue(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Backlog: 2, AcceptEach: 100 * time.Millisecond}, func(s *service) error {
		before, err := listenDropsOf()
		if err != nil {
			return err
		}
		r, err := l.load(ctx, e, nil, nil, slices.Concat(acceptNoise, []string{"-R", "100", "-c", "60", "--reuse", "none", "-d", "4s", "-T", "2s", "--drain", "1s", s.url()})...)
		if err != nil {
			return err
		}
		after, err := listenDropsOf()
		if err != nil {
			return err
		}
		if after-before < 50 {
			e.silent("listen-drops", r.says(), fmt.Sprintf("the kernel dropped only %d", after-before))
			return nil
		}
		e.say("listen-drops", r.finding("listen-drops") != nil, r.says(), fmt.Sprintf("the kernel dropped %d", after-before))
		e.say("validity", r.Validity != "valid", r.says(), "most connections were dropped")
		return nil
	})
}

// noDrops loads a service that drops nothing.
func noDrops(ctx context.Context, l *lab, e *Examined) error {
	return l.serve(faults{Delay: time.Millisecond}, func(s *service) error {
		before, err := listenDropsOf()
		if err != nil {
			return err
		}
		r, err := l.load(ctx, e, nil, nil, slices.Concat(acceptNoise, []string{"-R", "100", "-c", "10", "-d", "2s", s.url()})...)
		if err != nil {
			return err
		}
		after, err := listenDropsOf()
		if err != nil {
			return err
		}
		e.say("listen-drops", r.finding("listen-drops") == nil || after > before, r.says(), fmt.Sprintf("the kernel dropped %d", after-before))
		return nil
	})
}

// acceptedBesideErrors fails 5 %, which makes the load SUSPECT, on a machine that is busy,
// which was accepted: each finding that was says so in its line.
func acceptedBesideErrors(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, -1, func() error {
		return l.serve(faults{Fail: 0.05}, func(s *service) error {
			accept := acceptNoise[1] + ",arrivals-off,steal,cpu-speed,retransmits,rate-missed"
			a, err := l.ask(ctx, e, nil, nil, "load", "--plain", "--no-calibration", "--accept", accept, "-c", "4", "-d", "3s", s.url())
			if err != nil {
				return err
			}
			seen := false
			for line := range strings.Lines(a.stdout) {
				name, _, is := strings.Cut(strings.TrimSpace(line), ": ")
				if is && slices.Contains(strings.Split(accept, ","), name) {
					seen = true
					e.say(name, strings.Contains(line, "ACCEPTED"), strings.TrimSpace(line), "it was accepted")
				}
			}
			if !seen {
				e.silent("what was accepted", lastLines(a.stdout), "the machine was busy")
			}
			e.say("validity", !mentions(a.stdout, "validity     valid", "validity     accepted"), lastLines(a.stdout), "5 % failed, which was not accepted")
			return nil
		})
	})
}
