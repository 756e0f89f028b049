package explain

import (
	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// looked says in which part of the time requests were looked at, and which of them were given up as
// they took longer than the probes were on.
func (c *Cell) looked(e *Explanation) {
	var all evidence.Looked
	var cut, kept uint64
	stand := 0.0 // slow requests that records stand for
	for i := range c.trials {
		h := c.trials[i].header
		if h == nil {
			continue
		}
		for r := range c.trials[i].records {
			if one := &c.trials[i].records[r]; one.Class == evidence.Tail {
				stand += weight(one)
			}
		}
		cut, kept = cut+h.Counts.Cut, kept+h.Counts.Kept
		if l := h.Looked; l != nil {
			all.In, all.Of, all.Windows, all.Slow = all.In+l.In, all.Of+l.Of, all.Windows+l.Windows, all.Slow+l.Slow
		}
	}
	if e.Sampled.Share = all.Share(); e.Sampled.Share < allOfIt {
		e.Notes = append(e.Notes, i18n.New("explain.share", "requests were looked at that were due in %.0f %% of the time, in %d stretches at random places: at this rate the probes would cost too much if they were always on", 100*e.Sampled.Share, all.Windows))
		if stand < seenLeast*float64(all.Slow) {
			e.Notes = append(e.Notes, i18n.New("explain.missed", "%d requests were slow, and those looked at stand for %.0f: others came at once, mostly while the probes were off, and what made them slow is not known. A longer run sees such times in proportion", all.Slow, stand))
		}
	}
	if float64(cut) > lostMost*float64(cut+kept) {
		e.Notes = append(e.Notes, i18n.New("explain.cut-off", "%d of %d samples took longer than the probes were on, and are left out: what makes requests wait for longest has a larger share than it says here", cut, cut+kept))
	}
}

// seenLeast is for which part of the slow requests those that were looked at have to stand.
const seenLeast = 0.5

// allOfIt is the share of the time from which on no word is lost about the rest.
const allOfIt = 0.95
