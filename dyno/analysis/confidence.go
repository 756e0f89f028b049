package analysis

import (
	"math"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
)

// level is the confidence of all intervals and ranks.
const level = 0.95

// firstLook is the part of a bounded sequential run's blocks after which it may
// first end.
const firstLook = 4

// confidence is how intervals and ranks are made. A run that could end by what
// it found, after any of its blocks, needs intervals that hold at any stopping
// time: with those for a single look it would stop too often where chance looks
// like an effect.
type confidence struct {
	sequential  bool
	strict      float64                     // level of what is tested at each look alike
	first, last int                         // looks of a run that is bounded
	spending    map[float64]*stats.Spending // by level; nil of others
	widths      map[float64]*stats.Widths   // by level, of a run that ends by nothing but the width of intervals; nil of others
}

func confidenceOf(m *archive.Manifest) *confidence {
	if !m.Until.Sequential() {
		return &confidence{strict: level}
	}
	looks := float64(max(1, m.Plan.Blocks()))
	c := &confidence{
		sequential: true,
		// Of all errors the k-th look may make the share 6/(π²k²): they add up to
		// one however many looks there are (Bonferroni).
		strict: 1 - (1-level)*6/(math.Pi*math.Pi*looks*looks),
	}
	switch last := m.Until.Blocks; {
	case last <= 1:
	case byWidth(m):
		c.first, c.last, c.widths = leastWidths, last, map[float64]*stats.Widths{}
	default:
		c.first, c.last, c.spending = max(2, last/firstLook), last, map[float64]*stats.Spending{}
	}
	return c
}

// leastWidths is after how many blocks a run may first end by the width of its intervals.
const leastWidths = 3

// byWidth reports whether a run ends by the width of its intervals and not by what they
// say, as it does without claims.
func byWidth(m *archive.Manifest) bool {
	return m.Until.Precision > 0 && len(m.Claims) == 0
}

// ratio is that of a to b, paired by block.
func (c *confidence) ratio(a, b []float64) stats.Interval { return c.ratioAt(a, b, level) }

// ratioAt is ratio at another level: that which several comparisons keep together.
func (c *confidence) ratioAt(a, b []float64, level float64) stats.Interval {
	switch {
	case !c.sequential:
		return stats.Ratio(a, b, level)
	case c.widths != nil:
		if c.widths[level] == nil {
			c.widths[level] = stats.NewWidths(c.first, c.last, level)
		}
		return c.widths[level].Paired(a, b)
	case c.spending == nil:
		return stats.RatioAnytime(a, b, level)
	case c.spending[level] == nil:
		c.spending[level] = stats.NewSpending(c.first, c.last, level)
	}
	return c.spending[level].Ratio(a, b)
}

// median is that of a cell's values.
func (c *confidence) median(values []float64) stats.Interval { return c.medianAt(values, level) }

// strictAt is the level of a single look that keeps the one given at any stopping time.
func (c *confidence) strictAt(at float64) float64 { return 1 - (1-at)*(1-c.strict)/(1-level) }

// medianAt is median at another level.
func (c *confidence) medianAt(values []float64, at float64) stats.Interval {
	strict := c.strictAt(at)
	i := stats.Median(values, strict)
	if i.Level == strict {
		i.Level = at // at any stopping time
	}
	return i
}
