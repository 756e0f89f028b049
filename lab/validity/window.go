package validity

import (
	"fmt"
	"time"

	"dyno/lab/archive"
	"dyno/lab/load"
)

// Thresholds of the findings about single windows; docs/findings.md explains
// them.
const (
	otherSuspect      = 0.075 // of all CPUs' time, over the window
	otherInvalid      = 0.15
	retransmitSuspect = 0.001 // of the requests
)

// judgeServer names what the server's side says against one window. What befell
// the machine as a whole, such as steal, the generator has judged: it runs there
// too. Throttling is no finding where the study asked for it by a quota.
func judgeServer(w *archive.Window, quota bool) []load.Finding {
	var found []load.Finding
	add := func(name string, level load.Validity, format string, args ...any) {
		found = append(found, load.Finding{Name: name, Validity: level, Detail: fmt.Sprintf(format, args...), Windows: []int{w.Client.Index}})
	}
	if m := w.Server.Machine; m != nil && w.Server.Length > 0 {
		if m.ListenDrops > 0 {
			add("listen-drops", load.Suspect, "%d connections were dropped because a listen queue was full", m.ListenDrops)
		}
		if float64(m.Retransmits) > retransmitSuspect*float64(w.Client.Completed)+1 {
			add("retransmits", load.Suspect, "%d TCP segments were sent again (limit %.1f %% of the requests)", m.Retransmits, 100*retransmitSuspect)
		}
		if m.SwapOut > 0 {
			add("swapping", load.Suspect, "%d pages were swapped out", m.SwapOut)
		}
	}
	if share, ok := otherLoad(w); ok && share >= otherSuspect {
		level, limit := load.Suspect, otherSuspect
		if share >= otherInvalid {
			level, limit = load.Invalid, otherInvalid
		}
		add("other-load", level, "other programs used %.0f %% of the machine's CPU time (limit %.1f %%)", 100*share, 100*limit)
	}
	if p := w.Server.Process; p != nil && p.Throttled > 0 && !quota {
		add("throttled", load.Suspect, "a CPU quota kept the subject off its CPUs for %v", p.Throttled.Round(time.Millisecond))
	}
	return found
}

// otherLoad is the share of the machine's CPU time that neither the subject nor
// the load loops used. It can't be known of a subject that is not ours.
func otherLoad(w *archive.Window) (share float64, ok bool) {
	m, p := w.Server.Machine, w.Server.Process
	if m == nil || p == nil || p.Reported || m.CPUs == 0 || w.Server.Length <= 0 {
		return 0, false
	}
	other := m.Busy - p.CPU - w.Client.CPUUser - w.Client.CPUSys
	return float64(other) / float64(w.Server.Length) / float64(m.CPUs), true
}
