package analysis

import (
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// settlingMetric is what a request costs in the first part of a subject's slices, half of each unless the
// study says otherwise, as a multiple of what it costs in the rest.
const settlingMetric = "cpu.settling"

// settlings is the figure of runs in slices that are cut out of a load. What all
// subjects have alike in the first part, as the machine's own ways after a change, is in each of
// them: ratios are right where these figures are equal.
func settlings() figure {
	return figure{Metric: Metric{settlingMetric, "", string(stats.Lower)}, of: (*sums).settling}
}

// cutInParts reports whether a run has slices whose first part is told apart.
func cutInParts(run *archive.Run) bool {
	return slices.ContainsFunc(run.Trials, func(t archive.Trial) bool { return t.Sliced != nil && t.Sliced.First > 0 })
}

// parts are what a trial's slices used before and after their first part was over.
type parts struct {
	known, all      int // slices
	firstCPU, first float64
	restCPU, rest   float64
}

func partsOf(t *archive.Trial) (p parts) {
	for i := range t.Slices {
		s := &t.Slices[i]
		p.all++
		over := s.Requests + s.Failed
		if s.FirstRequests == 0 || s.FirstRequests >= over || s.FirstCPU <= 0 || s.FirstCPU >= s.CPU {
			continue
		}
		p.known++
		p.firstCPU, p.first = p.firstCPU+float64(s.FirstCPU), p.first+float64(s.FirstRequests)
		p.restCPU, p.rest = p.restCPU+float64(s.CPU-s.FirstCPU), p.rest+float64(over-s.FirstRequests)
	}
	return p
}

func (s *sums) settling() (float64, i18n.Message) {
	p := &s.parts
	if p.known == 0 || 2*p.known < p.all {
		return 0, i18n.New("analysis.parts-unknown", "what its slices used in their first part is known of %d of %d", p.known, p.all)
	}
	return p.firstCPU / p.first / (p.restCPU / p.rest), i18n.Message{}
}

const (
	// settlingErrors is in how many runs a subject may be said to be unsettled though all are alike.
	settlingErrors = 0.01
	// settlingApart is what the first part may cost a subject more than the reference, against the
	// rest. Of that, the share that the first part has of a slice is in their ratio.
	settlingApart = 0.02
)

// addUnsettled says whose slices begin before its requests cost what they will cost, or cost less,
// otherwise than the reference's. The error is that of all comparisons together (Bonferroni).
func (y *findingSet) addUnsettled(tables []*table, accept []finding.Name) {
	type test struct {
		cell *cellBuilder
		a, b []float64
	}
	var tests []test
	for _, t := range tables {
		for _, s := range t.builders {
			if t.reference == nil || s == t.reference {
				continue
			}
			if a, b, ok := s.pairs(t.reference, settlingMetric); ok {
				tests = append(tests, test{s, a, b})
			}
		}
	}
	var apart []i18n.Message
	for _, test := range tests {
		iv := stats.Ratio(test.a, test.b, 1-settlingErrors/float64(len(tests)))
		if limit := math.Log1p(settlingApart); iv.Level > 0 && (math.Log(iv.Low) > limit || math.Log(iv.High) < -limit) {
			apart = append(apart, i18n.New("analysis.text-of", "%s: %s", test.cell.name, brief(iv)))
		}
	}
	if len(apart) == 0 {
		return
	}
	y.accepted(accept, finding.Finding{Name: finding.Unsettled, Validity: finding.Suspect,
		Detail: i18n.New("analysis.unsettled", "in the first part of a slice against the rest a request costs otherwise than the reference's, so that their ratio is off by the part of that which the first part is of a slice, half if the study doesn't say (longer slices, or slices: {settle: 60ms}, tell): %s", i18n.List("; ", apart...))})
}
