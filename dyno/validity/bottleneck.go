package validity

import (
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// Thresholds of subject-not-the-bottleneck; dyno/docs/findings.md explains them.
const (
	loopsFull   = 0.95 // of the loops' CPUs
	subjectIdle = 0.85 // of the subject's CPUs
)

// judgeBottleneck says, where a maximum is asked, if it was the generator's and
// not the subject's: the loops had no time to spare, the subject had.
//
// A maximum is asked by a closed loop without think time. A loop that polls for
// the next arrival to come due is not at work, and [measure.Window.Spun] takes that
// off; one that waits for a slow subject sleeps. So loops that are full are busy
// sending and reading. That the subject is idle as well, because few connections
// are all that holds both back, is no finding: it is what so few connections ask
// for. Where both are full, which of them is the limit is unknown, and
// generator-full says so.
func judgeBottleneck(windows []archive.Window, c Conditions) []finding.Finding {
	if c.Profile.Mode != profile.Closed || c.Profile.Think.Mean > 0 || c.Loops == 0 || c.SubjectCPUs <= 0 {
		return nil
	}
	var length, loops, subject time.Duration
	upstream := false // is on the loops' CPUs
	for i := range windows {
		w := &windows[i]
		p := w.Server.Process
		if !usable(w) || p == nil || p.Reported || w.Server.Lacks("cpu", "process") {
			continue
		}
		length += w.Client.Length
		loops += w.Client.Worked()
		if up := w.Server.Upstream; up != nil && c.UpstreamCPUs == nil {
			loops += up.CPU // which has the same CPUs
			upstream = true
		}
		subject += p.CPU
		for j := range w.Server.Services {
			if one := &w.Server.Services[j]; one.Process != nil && overlap(c.ServiceCPUs[one.Name], c.ItsCPUs) {
				subject += one.Process.CPU // a CPU that a database of the subject's fills isn't idle
			}
		}
	}
	if length == 0 {
		return nil
	}
	full := float64(loops) / float64(length) / float64(c.Loops)
	used := float64(subject) / float64(length) / c.SubjectCPUs
	if full < loopsFull || used >= subjectIdle {
		return nil
	}
	if upstream {
		return []finding.Finding{newFinding(finding.SubjectNotTheBottleneck, finding.Suspect, nil,
			i18n.New("validity.loops-and-upstream-limit", "the load loops and the upstream used %.0f %% of their %d CPUs (limit %.0f %%) and the subject %.0f %% of its %g (limit %.0f %%): the throughput is theirs at most, the subject's is higher",
				100*full, c.Loops, 100*loopsFull, 100*used, c.SubjectCPUs, 100*subjectIdle))}
	}
	return []finding.Finding{newFinding(finding.SubjectNotTheBottleneck, finding.Suspect, nil,
		i18n.New("validity.loops-limit", "the load loops used %.0f %% of their %d CPUs (limit %.0f %%) and the subject %.0f %% of its %g (limit %.0f %%): the throughput is the generator's maximum, the subject's is higher",
			100*full, c.Loops, 100*loopsFull, 100*used, c.SubjectCPUs, 100*subjectIdle))}
}
