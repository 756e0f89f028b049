package stats

import (
	"math"

	"dyno.example/internal/i18n"
)

// Paired is [Ratio], of one value of each for each start, with the interval of the look
// after as many starts as there are: none before the first. A study that ends when intervals
// are narrow may end by those of one figure and have those of the others too.
func (w *Widths) Paired(a, b []float64) Interval {
	i := Ratio(a, b, w.Level)
	if i.Level == 0 {
		return i
	}
	if i.N < w.First {
		return pointRatio(i.N, math.Log(i.Estimate), i18n.New("stats.first-look-starts", "the first look is after %d starts", w.First))
	}
	note := i.Note
	i = ratioInterval(i.N, math.Log(i.Estimate), w.wider*math.Log(i.High/i.Estimate), w.Level)
	i.Note = note
	return i
}
