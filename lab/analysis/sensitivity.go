package analysis

import (
	"fmt"
	"math"

	"dyno/lab/archive"
	"dyno/lab/stats"
	"dyno/lab/study"
)

// Sensitivity says how much of a metric's variance over the points of a Sobol
// design each factor accounts for.
type Sensitivity struct {
	Subject string           `json:"subject"`
	Load    string           `json:"load"`
	Metric  string           `json:"metric"`
	Factors []FactorVariance `json:"factors,omitempty"` // in the order of the study
	Missing string           `json:"missing,omitempty"` // which samples are left out, and why
}

// FactorVariance are the Sobol indices of one factor, as shares of the variance.
type FactorVariance struct {
	Factor string         `json:"factor"`
	First  stats.Interval `json:"first"` // by this factor alone
	Total  stats.Interval `json:"total"` // with all its interactions
}

// sensitivity computes the indices for each subject, load and metric that is
// ranked; none if the design is another.
func sensitivity(m *archive.Manifest, groups []Group) (list []Sensitivity) {
	d := m.Plan.Design
	if d == nil || d.Kind != study.SobolDesign || len(d.Factors) == 0 || len(d.Rows) != d.Samples*(len(d.Factors)+2) {
		return nil
	}
	surfaces, order := surfacesOf(m.Plan.Cells, groups)
	for _, key := range order {
		for _, f := range figures() {
			if f.ranked {
				list = append(list, sensitivityOf(d, surfaces[key], key, f.Name, m.Plan.Seed)...)
			}
		}
	}
	return list
}

// surface is what is measured of a subject under a load: its cells by the point
// of the design.
type surface map[int]*Cell

type surfaceKey struct{ subject, load string }

// surfacesOf sorts the cells of all groups by subject and load, in the order of
// the plan.
func surfacesOf(planned []study.Cell, groups []Group) (surfaces map[surfaceKey]surface, order []surfaceKey) {
	surfaces = map[surfaceKey]surface{}
	byIndex := map[int]*Cell{}
	for i := range groups {
		for k := range groups[i].Cells {
			byIndex[groups[i].Cells[k].Cell] = &groups[i].Cells[k]
		}
	}
	for i := range planned {
		p := &planned[i]
		key := surfaceKey{p.Subject, p.Load}
		if cell := byIndex[p.Index]; cell != nil && !p.Twin {
			if surfaces[key] == nil {
				surfaces[key] = surface{}
				order = append(order, key)
			}
			surfaces[key][p.Point] = cell
		}
	}
	return surfaces, order
}

// sensitivityOf returns the indices of one metric, or why there are none, or
// nothing if it was not measured anywhere.
func sensitivityOf(d *study.PlannedDesign, s surface, key surfaceKey, metric string, seed uint64) []Sensitivity {
	out := Sensitivity{Subject: key.subject, Load: key.load, Metric: metric}
	y, missing := make([]float64, len(d.Rows)), 0
	for row, point := range d.Rows {
		cell := s[point]
		if cell == nil || cell.Estimates[metric].N == 0 {
			y[row] = math.NaN()
			missing++
			continue
		}
		y[row] = cell.Estimates[metric].Estimate
	}
	switch {
	case missing == len(d.Rows):
		return nil
	case missing > 0:
		out.Missing = fmt.Sprintf("%d of %d samples have no figure and are left out, with those that belong to them", missing, len(d.Rows))
	}
	for i, index := range stats.Sobol(y, d.Samples, len(d.Factors), level, seed) {
		out.Factors = append(out.Factors, FactorVariance{Factor: d.Factors[i], First: index.First, Total: index.Total})
	}
	return []Sensitivity{out}
}
