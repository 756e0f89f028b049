package analysis

import (
	"math"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// What makes a run SUSPECT need not bear on a claim. A finding can turn a verdict if it is
// about trials that the claim rests on, and the verdict is another without them; or, where the
// finding has a size, with their figures put right by all of it. That is tried for each finding
// and for all of them together. What can't be tried, such as that the run was broken off, is
// taken for something that could.

// doubt is a finding that lowers what a run is worth.
type doubt struct {
	finding *Finding
	in      map[int]map[int]float64 // by cell and block: by which factor its machine was slower; NaN: it is tried without
	levels  bool                    // starts have two levels: tried without those of either
	caveat  bool                    // it is what a subject did: that can't be left out
	whole   bool                    // it is about the run: nothing can be tried
}

// turning says of each outcome which of the run's doubts could turn its verdict.
func turning(run *archive.Run, a *Analysis, source *evidence, options claim.Options, usual *validity.UsualSpeed) {
	if a.Validity != finding.Suspect {
		return
	}
	doubts := doubtsOf(run, a, source, usual)
	for i := range a.Claims {
		out := &a.Claims[i]
		out.Basis.Tried = true
		c := &run.Manifest.Claims[i]
		used, indices := askedFor(c, source, options)
		stands := func(list ...*doubt) bool { return tried(c, out, source, options, list) }
		var movable []*doubt
		for k := range doubts {
			d := &doubts[k]
			switch {
			case !d.whole && !indices && !d.touches(used):
			case d.whole || d.caveat || indices || !stands(d):
				out.Basis.Turning = append(out.Basis.Turning, i18n.Join(string(d.finding.Name), ": ", d.finding.Detail))
			case !d.levels:
				movable = append(movable, d)
			}
		}
		if len(out.Basis.Turning) == 0 && len(movable) > 1 && !stands(movable...) {
			var names []string
			for _, d := range movable {
				names = append(names, string(d.finding.Name))
			}
			out.Basis.Turning = append(out.Basis.Turning, i18n.New("analysis.turning-together", "together: %s", strings.Join(names, ", ")))
		}
	}
}

// touches reports whether it is about one of these cells.
func (d *doubt) touches(cells map[int]bool) bool {
	for cell := range d.in {
		if cells[cell] {
			return true
		}
	}
	return false
}

// askedFor are the cells whose figures a claim asks for, and whether it asks for Sobol indices:
// these rest on all cells, and aren't there if a figure of one is missing.
func askedFor(c *claim.Claim, source *evidence, options claim.Options) (cells map[int]bool, indices bool) {
	s := &supposed{evidence: source, asked: map[int]bool{}}
	claim.Evaluate(c, s, options)
	return s.asked, s.indices
}

// doubtsOf are the findings that may have made the run suspect.
func doubtsOf(run *archive.Run, a *Analysis, source *evidence, usual *validity.UsualSpeed) (list []doubt) {
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Weight() == finding.Valid || f.Name == finding.RestartOutlier || f.Name == finding.RatiosPart {
			continue // these two are said of the figures themselves
		}
		d := doubt{finding: f, in: map[int]map[int]float64{}, levels: f.Name == finding.RestartPlateau, caveat: slices.Contains(caveats, f.Name), whole: len(f.Trials) == 0}
		for _, trial := range f.Trials {
			t := trialOf(run, trial)
			if t == nil || !source.rests(t) {
				continue // its figures are in none
			}
			if d.in[t.Cell] == nil {
				d.in[t.Cell] = map[int]float64{}
			}
			by := math.NaN()
			if f.Name == finding.CPUSpeed && t.Speed != nil {
				by = usual.Slower(t.Speed)
			}
			d.in[t.Cell][t.Block] = by
		}
		list = append(list, d)
	}
	return list
}

func trialOf(run *archive.Run, index int) *archive.Trial {
	if at := slices.IndexFunc(run.Trials, func(t archive.Trial) bool { return t.Index == index }); at >= 0 {
		return &run.Trials[at]
	}
	return nil
}

// tried reports whether a verdict, and that of each part, is the same if the doubts are
// given in to.
func tried(c *claim.Claim, out *claim.Outcome, source *evidence, options claim.Options, doubts []*doubt) bool {
	if len(doubts) == 1 && doubts[0].levels {
		lower, upper := source.levelsOf(doubts[0])
		return same(c, out, source, options, lower) && same(c, out, source, options, upper)
	}
	changed := map[int]map[int]float64{}
	for _, d := range doubts {
		for cell, blocks := range d.in {
			if changed[cell] == nil {
				changed[cell] = map[int]float64{}
			}
			for block, by := range blocks {
				if old, seen := changed[cell][block]; seen {
					by = old * by // NaN if either is
				}
				changed[cell][block] = by
			}
		}
	}
	return same(c, out, source, options, changed)
}

// same evaluates the claim again with values changed.
func same(c *claim.Claim, out *claim.Outcome, source *evidence, options claim.Options, changed map[int]map[int]float64) bool {
	other := claim.Evaluate(c, &supposed{evidence: source, changed: changed}, options)
	return other.Verdict == out.Verdict && slices.EqualFunc(other.Parts, out.Parts, func(a, b claim.Part) bool { return a.Verdict == b.Verdict })
}

// supposed is the evidence if some trials were not there, or on a machine as fast as usual.
type supposed struct {
	*evidence
	changed map[int]map[int]float64 // see doubt.in
	asked   map[int]bool            // cells of which there was a value asked for; nil: it isn't noted
	indices bool                    // a Sobol index was asked for
}

func (s *supposed) Index(of claim.Share) (stats.Interval, i18n.Message) {
	s.indices = true
	return s.evidence.Index(of)
}

func (s *supposed) Values(metric string, cell int) ([]float64, i18n.Message) {
	if s.asked != nil {
		s.asked[cell] = true
	}
	values, missing := s.evidence.Values(metric, cell)
	return s.change(metric, cell, values), missing
}

func (s *supposed) AtLeast(metric string, cell int) []float64 {
	return s.change(metric, cell, s.evidence.AtLeast(metric, cell))
}

func (s *supposed) Failed(cell int) []bool {
	failed := s.evidence.Failed(cell)
	for i, block := range s.blocks {
		if by, in := s.changed[cell][block]; in && math.IsNaN(by) {
			failed[i] = false
		}
	}
	return failed
}

// change takes values out, or puts them right where that is known of the metric.
func (s *supposed) change(metric string, cell int, values []float64) []float64 {
	power, known := s.bySpeed(metric, cell)
	for i, block := range s.blocks {
		if by, in := s.changed[cell][block]; in && i < len(values) {
			if math.IsNaN(by) || !known {
				values[i] = math.NaN()
			} else {
				values[i] *= math.Pow(by, power)
			}
		}
	}
	return values
}

// bySpeed is the power of a machine's slowness with which a metric goes: of CPU time, and
// of what a closed loop keeps busy all the time. Response times under a rate are another
// matter, as queues grow by more than that.
func (e *evidence) bySpeed(metric string, cell int) (power float64, known bool) {
	closed := e.builders[cell].mode == profile.Closed
	switch name, _, _ := strings.Cut(metric, "."); {
	case metric == "cpu", metric == "cpu.user", metric == "cpu.sys":
		return -1, true
	case metric == "executable", metric == "size":
		return 0, true
	case closed && metric == "throughput":
		return 1, true
	case closed && (name == "response" || name == "service" || name == "first_byte"):
		return -1, true
	}
	return 0, false
}

// rests reports whether figures rest on a trial.
func (e *evidence) rests(t *archive.Trial) bool {
	if t.Cell < 0 || t.Cell >= len(e.builders) {
		return false
	}
	s := e.builders[t.Cell]
	return slices.Contains(s.Trials, t.Index) || slices.Contains(s.Failed, t.Index)
}

// levelsOf are the starts of a cell on either of its two levels, as what is to be left out.
func (e *evidence) levelsOf(d *doubt) (lower, upper map[int]map[int]float64) {
	lower, upper = map[int]map[int]float64{}, map[int]map[int]float64{}
	for cell := range d.in {
		s := e.builders[cell]
		metric := "cpu"
		if len(s.Values[metric]) != len(s.blocks) {
			metric = "throughput"
		}
		values := s.Values[metric]
		if len(values) != len(s.blocks) || len(values) < 2 {
			continue
		}
		sorted := slices.Sorted(slices.Values(values))
		gap, split := 0.0, sorted[0]
		for i := 1; i < len(sorted); i++ {
			if g := sorted[i] / sorted[i-1]; g > gap {
				gap, split = g, sorted[i]
			}
		}
		lower[cell], upper[cell] = map[int]float64{}, map[int]float64{}
		for i, block := range s.blocks {
			if values[i] < split {
				lower[cell][block] = math.NaN()
			} else {
				upper[cell][block] = math.NaN()
			}
		}
	}
	return lower, upper
}
