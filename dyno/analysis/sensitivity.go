package analysis

import (
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Sensitivity says how much of a metric's variance over the points of a Sobol
// design each factor accounts for.
type Sensitivity struct {
	Subject string           `json:"subject"`
	Load    string           `json:"load"`
	Metric  string           `json:"metric"`
	Factors []FactorVariance `json:"factors,omitempty"` // in the order of the study
	Missing i18n.Message     `json:"missing,omitzero"`  // which samples are left out, and why; what else is missing
	// Noise is the variance of one sample's figure by measuring alone, which is taken
	// from that of the samples; 0 if it isn't known.
	Noise float64 `json:"noise,omitempty"`

	noiseUnknown bool
}

// FactorVariance are the Sobol indices of one factor, as shares of the variance.
type FactorVariance struct {
	Factor string         `json:"factor"`
	First  stats.Interval `json:"first"` // by this factor on its own
	Total  stats.Interval `json:"total"` // with all its interactions
}

// sensitivity computes the indices for each subject, load and metric that is
// ranked; none if the design is another.
func sensitivity(m *archive.Manifest, groups []Group) (list []Sensitivity) {
	if !sobolDesign(m) {
		return nil
	}
	d := m.Plan.Design
	surfaces, order := surfacesOf(m.Plan.Cells, groups)
	for _, key := range order {
		for _, f := range figures() {
			if f.ranked {
				list = append(list, sensitivityOf(d, surfaces[key], key, f.Name, m.Plan.Seed, level)...)
			}
		}
	}
	return list
}

// sobolDesign reports whether a run has the samples that indices are computed from.
func sobolDesign(m *archive.Manifest) bool {
	d := m.Plan.Design
	return d != nil && d.Kind == study.SobolDesign && len(d.Factors) > 0 && len(d.Rows) == d.Samples*(len(d.Factors)+2)
}

// surface is what is measured of a subject under a load: its cells by the point
// of the design.
type surface map[int]*Cell

type surfaceKey struct {
	subject, load string
	inTrials      bool // of a load that is measured in slices too
}

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
		key := surfaceKey{p.Subject, p.Load, p.Beside != nil}
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

// noise is the variance of the figure of one cell, the median over its trials, that is
// due to measuring: what its trials differ by beyond what all trials of a block share.
// It is not known if no two blocks have trials of two cells.
func (s surface) noise(metric string) (variance float64, ok bool) {
	var cells [][]float64 // by block, less the cell's mean
	least := 0
	for _, point := range slices.Sorted(maps.Keys(s)) {
		byBlock := s[point].ByBlock(metric)
		if len(byBlock) < 2 {
			continue
		}
		mean := 0.0
		for _, v := range byBlock {
			mean += v / float64(len(byBlock))
		}
		row := make([]float64, 0, len(byBlock))
		for _, block := range slices.Sorted(maps.Keys(byBlock)) {
			row = append(row, byBlock[block]-mean)
		}
		if least == 0 || len(row) < least {
			least = len(row)
		}
		cells = append(cells, row)
	}
	if len(cells) < 2 {
		return 0, false
	}
	squares := 0.0
	for b := range least {
		shared := 0.0
		for _, row := range cells {
			shared += row[b] / float64(len(cells))
		}
		for _, row := range cells {
			squares += (row[b] - shared) * (row[b] - shared)
		}
	}
	one := squares / float64((len(cells)-1)*(least-1))
	return one * medianScatter(least) / float64(least), true
}

// medianScatter is how many times as large the variance of a median of n values is as
// that of their mean, of normal noise.
func medianScatter(n int) float64 {
	if table := []float64{1, 1, 1, 1.35, 1.19, 1.43, 1.29}; n < len(table) {
		return table[n]
	}
	return math.Pi / 2
}

// joined puts two remarks into one.
func joined(a, b i18n.Message) i18n.Message {
	if a.IsZero() {
		return b
	}
	return i18n.List("; ", a, b)
}

// sensitivityOf returns the indices of one metric, with intervals of the level, or why there are none, or
// nothing if it was not measured anywhere.
func sensitivityOf(d *study.PlannedDesign, s surface, key surfaceKey, metric string, seed uint64, level float64) []Sensitivity {
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
		out.Missing = i18n.New("analysis.samples-left-out", "%d of %d samples have no figure and are left out, with those that belong to them", missing, len(d.Rows))
	}
	noise, known := s.noise(metric)
	if out.Noise = noise; !known {
		out.noiseUnknown = true
		out.Missing = joined(out.Missing, i18n.New("analysis.noise-unknown", "the noise of a measurement is not known, so that it counts as interaction: measure at least two blocks"))
	}
	for i, index := range stats.Sobol(y, d.Rows, d.Samples, len(d.Factors), noise, level, seed) {
		out.Factors = append(out.Factors, FactorVariance{Factor: d.Factors[i], First: index.First, Total: index.Total})
	}
	return []Sensitivity{out}
}
