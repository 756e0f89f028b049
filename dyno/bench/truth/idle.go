//go:build linux

package main

import (
	"context"
	"fmt"
)

// idleCases are services that use CPU before anything is asked of them: no fault of
// the machine, and not to be called one.
func idleCases() []Case {
	spins := func(flags string) asking {
		return asking{
			arms: []arm{{"a", "-delay 1ms"}, {"b", flags + " -delay 1ms"}}, load: open200, blocks: 2,
			judge: func(r *studyReport, e *Examined) {
				e.say("what is said of b", r.found("idle-cpu"), r.says(), "b uses a CPU before the load")
				e.saysIdle(r, "b", 70, 130)
				e.saysIdle(r, "a", 0, 15)
				e.saysNotOther(r.Findings, r.says())
			},
		}
	}
	spin, child := spins("-spin"), spins("-busy-child")
	return []Case{
		{"idle/spins", "b spins on a CPU from its start on", spin.examine},
		{"idle/busy-child", "b starts a process that uses a CPU", child.examine},
		{"idle/load-on-a-spinning-server", "the server spins on a CPU from its start on", loadOnSpinning},
	}
}

func loadOnSpinning(ctx context.Context, l *lab, e *Examined) error {
	return l.serveApart(ctx, faults{Spin: true}, func(url string) error {
		r, err := l.load(ctx, e, nil, nil, "-c", "4", "-R", "200", "-d", "4s", url)
		if err != nil {
			return err
		}
		e.say("what is said of the server", mentions(fmt.Sprint(r.Findings), "idle-cpu"), r.says(), "it uses a CPU before the load")
		e.saysNotOther(r.Findings, r.says())
		e.heard(r.stderr)
		return nil
	})
}

// saysNotOther says that what the service uses is not said to be another program's:
// that others are busy too may be so.
func (e *Examined) saysNotOther(findings []finding, said string) {
	for _, f := range findings {
		if f.Name == "other-load" && mentions(f.Detail, "truth (pid") {
			e.say("the machine", false, f.Detail, "it is the service's own work")
			return
		}
	}
	e.say("the machine", true, said, "it is the service's own work")
}

// found reports whether a finding of the name is there.
func (r *studyReport) found(name string) bool {
	for _, f := range r.Findings {
		if f.Name == name {
			return true
		}
	}
	return false
}

// saysIdle holds the use before the load, in percent of a CPU, to what it can be.
func (e *Examined) saysIdle(r *studyReport, subject string, low, high float64) {
	so := fmt.Sprintf("%g to %g %%", low, high)
	values := e.values(r, subject, "cpu.idle")
	if len(values) == 0 {
		e.silent("cpu.idle of "+subject, "nothing", so)
	}
	for _, v := range values {
		e.say("cpu.idle of "+subject, v >= low && v <= high, fmt.Sprintf("%.3g %%", v), so)
	}
}
