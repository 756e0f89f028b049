package analysis

import (
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Each figure of a load that is measured in slices and in trials comes from one of the two:
// from slices what they can measure ([study.SlicesTell]), and everything else from trials.

// joinBesides joins the builders of cells that are measured in both ways.
func joinBesides(cells []study.Cell, builders []*cellBuilder) {
	for i := range cells {
		of := cells[i].Beside
		if of == nil || *of < 0 || *of >= len(builders) || *of == i {
			continue
		}
		a, b := builders[*of], builders[i]
		a.other, b.other, b.inTrials = b, a, true
	}
}

// has reports whether a metric is the cell's to tell.
func (s *cellBuilder) has(metric string) bool {
	return s.other == nil || study.SlicesTell(metric) != s.inTrials
}

// leave takes out what is the other's to tell.
func (s *cellBuilder) leave(all []figure) {
	if s.other == nil {
		return
	}
	why := i18n.New("analysis.told-by-other", "it is measured apart: see %s", s.other.title)
	s.aside = map[string][]float64{}
	for i := range all {
		name := all[i].Name
		if s.has(name) {
			continue
		}
		s.aside[name], s.Omitted[name], s.absent[name] = s.Values[name], why, why
		delete(s.Values, name)
		delete(s.known, name)
		delete(s.unusable, name)
	}
}

// besideOf is the title of the group that has the other figures of this one's load.
func (t *table) besideOf() string {
	for _, s := range t.builders {
		if s.other != nil {
			return s.other.title
		}
	}
	return ""
}

// measured are a metric's values, whoever tells it.
func (s *cellBuilder) measured(metric string) []float64 {
	if s.has(metric) {
		return s.Values[metric]
	}
	return s.aside[metric]
}

// of is the cell that tells a metric of one that claims name.
func (e *evidence) of(metric string, cell int) int {
	if s := e.builders[cell]; !s.has(metric) {
		return s.other.Cell.Cell
	}
	return cell
}
