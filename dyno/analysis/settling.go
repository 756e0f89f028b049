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

// told reports whether enough slices say what they used in their first part.
func (p *parts) told() bool { return p.known > 0 && 2*p.known >= p.all }

func (s *sums) settling() (float64, i18n.Message) {
	p := &s.parts
	if !p.told() {
		return 0, i18n.New("analysis.parts-unknown", "what its slices used in their first part is known of %d of %d", p.known, p.all)
	}
	return p.settling(), i18n.Message{}
}

// settling is the figure, of parts that are told.
func (p *parts) settling() float64 { return p.firstCPU / p.first / (p.restCPU / p.rest) }

// whole is what a request costs in whole slices, as a multiple of what it costs after their first part; 1 if that
// isn't known.
func (p *parts) whole() float64 {
	if !p.told() {
		return 1
	}
	return (p.firstCPU + p.restCPU) / (p.first + p.rest) / (p.restCPU / p.rest)
}

const (
	// settlingErrors is in how many runs a subject may be said to be unsettled though all are alike.
	settlingErrors = 0.01
	// settlingApart is what the first part may cost a subject more than the reference, against the
	// rest. Of that, the share that the first part has of a slice is in their ratio.
	settlingApart = 0.02
)

// unsettled is a cell whose slices begin before its requests cost what they will cost, or cost less, otherwise
// than the reference's.
type unsettled struct {
	cell, reference *cellBuilder
	by              stats.Interval // cpu.settling, against the reference's
}

// unsettledCells are those of which chance doesn't explain it. The error is that of all comparisons together (Bonferroni).
func unsettledCells(tables []*table) (list []unsettled) {
	type test struct {
		cell, reference *cellBuilder
		a, b            []float64
	}
	var tests []test
	for _, t := range tables {
		for _, s := range t.builders {
			if t.reference == nil || s == t.reference {
				continue
			}
			if a, b := s.settlingPairs(t.reference); len(a) > 1 {
				tests = append(tests, test{s, t.reference, a, b})
			}
		}
	}
	for _, test := range tests {
		iv := stats.Ratio(test.a, test.b, 1-settlingErrors/float64(len(tests)))
		if limit := math.Log1p(settlingApart); iv.Level > 0 && (math.Log(iv.Low) > limit || math.Log(iv.High) < -limit) {
			list = append(list, unsettled{test.cell, test.reference, iv})
		}
	}
	return list
}

// settlingPairs are the figure of both, of the blocks that tell it. One in which either was measured alone takes no
// other away: what slices are like isn't said by it.
func (s *cellBuilder) settlingPairs(reference *cellBuilder) (a, b []float64) {
	for _, block := range s.blocks {
		if p, q := s.parts[block], reference.parts[block]; p.told() && q.told() {
			a, b = append(a, p.settling()), append(b, q.settling())
		}
	}
	return a, b
}

// addUnsettled names them.
func (y *findingSet) addUnsettled(cells []unsettled, accept []finding.Name) {
	var apart []i18n.Message
	for _, u := range cells {
		apart = append(apart, i18n.New("analysis.text-of", "%s: %s", u.cell.name, brief(u.by)))
	}
	if len(apart) == 0 {
		return
	}
	y.accepted(accept, finding.Finding{Name: finding.Unsettled, Validity: finding.Suspect,
		Detail: i18n.New("analysis.unsettled", "in the first part of a slice against the rest a request costs otherwise than the reference's, so that their ratio is off by the part of that which the first part is of a slice, half if the study doesn't say (longer slices, or slices: {settle: 60ms}, tell): %s", i18n.List("; ", apart...))})
}

// unsettledDoubt is what these cells' first parts may have made of their figures: anything from nothing to by how much
// more whole slices cost than what follows the first part, beyond what that is of the reference, and a quarter more as
// a subject may go on to settle after it. Nil if there is none, or the study accepts it.
func unsettledDoubt(a *Analysis, cells []unsettled) *doubt {
	at := slices.IndexFunc(a.Findings, func(f Finding) bool { return f.Name == finding.Unsettled && f.Weight() != finding.Valid })
	if at < 0 {
		return nil
	}
	d := &doubt{finding: &a.Findings[at], in: map[int]map[int]float64{}}
	for _, u := range cells {
		by := u.cell.wholeSlices() / u.reference.wholeSlices()
		d.in[u.cell.Cell.Cell] = map[int]float64{}
		for _, block := range u.cell.blocks {
			d.in[u.cell.Cell.Cell][block] = by
		}
	}
	return d
}

// wholeSlices is the geometric mean of [parts.whole] over the cell's starts.
func (s *cellBuilder) wholeSlices() float64 {
	sum := 0.0
	for _, block := range s.blocks {
		p := s.parts[block]
		sum += math.Log(p.whole()) / float64(len(s.blocks))
	}
	return math.Exp(sum)
}
