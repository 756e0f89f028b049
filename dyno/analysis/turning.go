package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// What makes a run SUSPECT need not bear on a claim. A finding can turn a verdict if it is
// about trials that the claim rests on, and the verdict could be another without what it says.
// Where its effect has a bound, the claim is decided again at both ends of it ([supposition]);
// else without the trials that have the finding. That is done for each finding and for all of
// them together. A finding that can't be tried, such as that the run was broken off, counts
// as one that could turn it.

// doubt is a finding that lowers what a run is worth.
type doubt struct {
	finding *Finding
	in      map[int]map[int]float64 // by cell and block: by which factor its machine was slower, if the finding says so, else 1
	levels  bool                    // starts have two levels: tried without those of either, and with all on one
	caveat  bool                    // it is what a subject did: that can't be left out
	whole   bool                    // it is about the run: nothing can be tried
}

// turning says for each outcome which of the run's doubts could turn its verdict.
func turning(run *archive.Run, a *Analysis, source *evidence, options claim.Options, usual *validity.UsualSpeed) {
	if a.Validity != finding.Suspect {
		return
	}
	doubts := doubtsOf(run, a, source, usual)
	for i := range a.Claims {
		out := &a.Claims[i]
		out.Basis.Tried, out.Basis.ByPart = true, true
		c := &run.Manifest.Claims[i]
		asked := askedFor(c, source, options)
		var movable, levels []*doubt
		for k := range doubts {
			d := &doubts[k]
			if !d.whole && !asked.indices && !d.touches(asked.cells) {
				continue
			}
			turned := newTurned(out)
			if d.whole || d.caveat || asked.indices {
				turned.everything()
			} else {
				turned.try(c, source, options, asked, []*doubt{d})
			}
			turned.tell(string(d.finding.Name), i18n.Join(string(d.finding.Name), ": ", d.finding.Detail))
			switch {
			case turned.all:
			case d.levels:
				levels = append(levels, d)
			default:
				movable = append(movable, d)
			}
		}
		for _, together := range [][]*doubt{movable, levels} {
			if len(out.Basis.Turning) == 0 && len(together) > 1 {
				turned := newTurned(out)
				turned.try(c, source, options, asked, together)
				turned.tellTogether(together)
			}
		}
	}
}

// scales reports whether it is that the machine, or its own start, made a subject so many times slower.
func (d *doubt) scales() bool {
	return d.finding.Name == finding.CPUSpeed || d.finding.Name == finding.Unsettled
}

// unsettling says with each outcome that the first part of slices could have turned it. That doesn't make the run
// suspect, as it is said of the figures themselves.
func unsettling(run *archive.Run, a *Analysis, source *evidence, options claim.Options, cells []unsettled) {
	d := unsettledDoubt(a, cells)
	if d == nil {
		return
	}
	for i := range a.Claims {
		out, c := &a.Claims[i], &run.Manifest.Claims[i]
		asked := askedFor(c, source, options)
		turned := newTurned(out)
		switch {
		case asked.indices:
			turned.everything()
		case d.touches(asked.cells):
			turned.try(c, source, options, asked, []*doubt{d})
		}
		if turned.all {
			out.Basis.Doubts = append(slices.Clip(out.Basis.Doubts), i18n.Join(string(d.finding.Name), ": ", d.finding.Detail))
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

// doubtsOf are the findings that may have made the run suspect.
func doubtsOf(run *archive.Run, a *Analysis, source *evidence, usual *validity.UsualSpeed) (list []doubt) {
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Weight() == finding.Valid || f.Name == finding.RestartOutlier || f.Name == finding.RatiosPart || f.Name == finding.Unsettled {
			continue // these are said of the figures themselves
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
			by := 1.0
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

// turned is what doubts could have turned of an outcome.
type turned struct {
	out   *claim.Outcome
	all   bool   // the verdict on the whole
	parts []bool // that on each part
}

func newTurned(out *claim.Outcome) *turned {
	return &turned{out: out, parts: make([]bool, len(out.Parts))}
}

func (t *turned) everything() {
	t.all = true
	for i := range t.parts {
		t.parts[i] = true
	}
}

// try decides a claim again, both without the trials that have the doubts and with whatever the
// doubts may have made of their figures, as far as that is known. A verdict that survives both
// stands.
func (t *turned) try(c *claim.Claim, source *evidence, options claim.Options, asked *asking, doubts []*doubt) {
	compare := func(as *supposed) (more bool) {
		other := claim.Evaluate(c, as, options)
		return t.compare(&other)
	}
	if doubts[0].levels {
		t.tryLevels(source, doubts, compare)
		return
	}
	without := map[int]map[int]bool{}
	for _, d := range doubts {
		for cell, blocks := range d.in {
			for block := range blocks {
				if without[cell] == nil {
					without[cell] = map[int]bool{}
				}
				without[cell][block] = true
			}
		}
	}
	compare(&supposed{evidence: source, without: without})
	if !t.all && !slices.Contains(t.parts, true) {
		return
	}
	left := *t
	*t = *newTurned(t.out)
	supposing(source, asked, doubts).each(compare)
	t.either(&left)
}

// either leaves what both could have turned.
func (t *turned) either(other *turned) {
	t.all = t.all && other.all
	for i := range t.parts {
		t.parts[i] = t.parts[i] && other.parts[i]
	}
	if t.tellsOfParts() {
		t.all = slices.Contains(t.parts, true)
	}
}

// tellsOfParts reports whether the verdict on the whole is one on each part, or there is no
// other verdict.
func (t *turned) tellsOfParts() bool {
	v := t.out.Verdict
	return v == claim.Mixed || v == claim.Undecided || v == claim.Direction
}

// compare notes what of another outcome is not as it was. It reports whether more could be.
func (t *turned) compare(other *claim.Outcome) (more bool) {
	if len(other.Parts) != len(t.parts) {
		t.everything()
		return false
	}
	t.all = t.all || other.Verdict != t.out.Verdict
	for i := range t.parts {
		if !t.parts[i] && !stands(other.Parts[i], t.out.Parts[i]) {
			t.parts[i] = true
			t.all = t.all || t.tellsOfParts()
		}
		more = more || !t.parts[i]
	}
	return more || !t.all
}

// tell notes a finding with what it could have turned.
func (t *turned) tell(name string, detail i18n.Message) {
	if t.all {
		t.out.Basis.Turning = append(t.out.Basis.Turning, detail)
	} else {
		t.out.Basis.Dismissed++
	}
	for i := range t.parts {
		if t.parts[i] {
			t.out.Parts[i].Turning = append(t.out.Parts[i].Turning, name)
		}
	}
}

// tellTogether notes what several could have turned that none could alone.
func (t *turned) tellTogether(doubts []*doubt) {
	var names []string
	for _, d := range doubts {
		names = append(names, string(d.finding.Name))
	}
	if t.all {
		t.out.Basis.Dismissed = 0
		t.out.Basis.Turning = append(t.out.Basis.Turning, i18n.New("analysis.turning-together", "together: %s", i18n.Names(names...)))
	}
	for i := range t.parts {
		if part := &t.out.Parts[i]; t.parts[i] && len(part.Turning) == 0 {
			part.Turning = names
		}
	}
}

// stands reports whether a part's verdict is as it was. With fewer blocks less can be decided:
// what was undecided stays so, whatever was left out, and that shows nothing.
func stands(now, was claim.Part) bool {
	if now.Verdict != was.Verdict {
		return false
	}
	return now.Blocks == was.Blocks || was.Verdict != claim.Undecided && was.Verdict != claim.Direction
}

// rests reports whether figures rest on a trial.
func (e *evidence) rests(t *archive.Trial) bool {
	if t.Cell < 0 || t.Cell >= len(e.builders) {
		return false
	}
	s := e.builders[t.Cell]
	return slices.Contains(s.Trials, t.Index) || slices.Contains(s.Failed, t.Index)
}
