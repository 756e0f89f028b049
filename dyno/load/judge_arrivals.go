package load

import (
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// Thresholds of the finding below; dyno/docs/findings.md explains them.
const (
	arrivalAlarms = 0.001 // probability that chance alone makes a load's arrivals look off
	unevenGaps    = 0.05  // of the gaps of a batch
	queuedMuch    = 0.01  // of the arrivals
)

// judgeArrivals holds what was sent to what was scheduled. Many batches are
// tested, so each has only its share of the permitted false alarms (Bonferroni).
func (r *Result) judgeArrivals(spec *Spec) {
	usable := make(map[int]*measure.Window, len(r.Windows))
	for i := range r.Windows {
		if w := &r.Windows[i]; !w.Warmup() && w.Validity() != finding.Invalid {
			usable[w.Index] = w
		}
	}
	var tested []arrivalBatch
	for _, b := range r.arrivals {
		if b.within(usable) {
			tested = append(tested, b)
		}
	}
	limit := arrivalAlarms / float64(max(1, len(tested)))
	worst := make(map[int]arrivalBatch) // by window
	for _, b := range tested {
		if !b.off(limit) {
			continue
		}
		for index := b.first; index <= b.last; index++ {
			if had, ok := worst[index]; !ok || b.a2 > had.a2 || b.uneven > had.uneven {
				worst[index] = b
			}
		}
	}
	var found []finding.Finding
	for i := range r.Windows {
		if b, ok := worst[r.Windows[i].Index]; ok {
			f := finding.Finding{Name: finding.ArrivalsOff, Validity: finding.Suspect, Detail: i18n.Join(b.detail(limit), b.cause(usable, spec.Profile.Connections)), Windows: []int{r.Windows[i].Index}}
			f.Accepted = slices.Contains(spec.Accept, f.Name)
			r.Windows[i].Findings = append(r.Windows[i].Findings, f)
			found = append(found, f)
		}
	}
	r.Findings = append(r.Findings, finding.Merge(found, r.measured)...)
}

// within reports whether all windows of the batch may be used.
func (b *arrivalBatch) within(usable map[int]*measure.Window) bool {
	for index := b.first; index <= b.last; index++ {
		if usable[index] == nil {
			return false
		}
	}
	return true
}

// cause says what kept requests from being sent when they were due.
func (b *arrivalBatch) cause(windows map[int]*measure.Window, connections int) i18n.Message {
	var sum measure.Window
	for index := b.first; index <= b.last; index++ {
		sum.AddCounts(windows[index])
	}
	switch {
	case float64(sum.Queued) >= queuedMuch*float64(sum.Offered) && sum.Queued > sum.Late:
		return i18n.New("load.connections-not-answered", ": the service had not responded on any of the %d connections, so %d of %d arrivals had to wait for one; they count from when they were due, and with more connections they would not have waited", connections, sum.Queued, sum.Offered)
	case sum.Late > 0:
		return i18n.New("load.arrivals-sent-late", ": the generator itself took up %d of %d arrivals more than %v late", sum.Late, sum.Offered, measure.LateAfter)
	}
	return i18n.Message{}
}

func (b *arrivalBatch) off(limit float64) bool {
	return b.p < limit || float64(b.uneven) > unevenGaps*float64(b.gaps)
}

func (b *arrivalBatch) detail(limit float64) i18n.Message {
	if b.uneven > 0 {
		return i18n.New("load.gaps-uneven", "%d of %d gaps between requests were not as even as scheduled (limit %.0f %%)", b.uneven, b.gaps, 100*unevenGaps)
	}
	return i18n.New("load.gaps-not-exponential", "the gaps between requests were not exponential as scheduled: Anderson-Darling A² = %.1f over %d gaps, p = %.1g (limit %.1g)", b.a2, b.gaps, b.p, limit)
}
