package explain

import (
	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// nagleLeast is the share of ordinary requests' time from which it is said that Nagle's
// algorithm takes it. The tail has no more of it than the rest then, and no cause is named.
const nagleLeast = 0.1

// smallWrites says it if ordinary requests wait for the acknowledgement of a write before.
func (t *tally) smallWrites(e *Explanation) {
	held, took, weights := 0.0, 0.0, 0.0
	for i := range t.ordinary {
		r := &t.ordinary[i]
		w := weight(r.Record)
		weights += w
		took += w * float64(r.Response())
		for k := range r.Intervals {
			if v := &r.Intervals[k]; v.Reason == evidence.Nagle {
				held += w * float64(v.To-v.From)
			}
		}
	}
	if held < nagleLeast*took || took == 0 {
		return
	}
	e.Notes = append(e.Notes, i18n.New("explain.small-writes",
		"ordinary requests too: %s of the %s that one takes on average is a small write's wait until the client acknowledges the one before it, which clients put off (Nagle's algorithm): write head and body at once, or set TCP_NODELAY",
		brief(held/weights), brief(took/weights)))
}
