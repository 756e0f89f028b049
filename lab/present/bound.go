package present

import (
	"dyno/lab/load/measure"
)

// NoFigure stands where there is none.
const NoFigure = "–"

// Quantile is a quantile of a window's response time.
func Quantile(w *measure.Window, percent float64) string {
	ns, known := w.Quantile(measure.Response, percent)
	if w.Timed(measure.Response) == 0 || known && !w.Tells(measure.Response, percent) {
		return NoFigure
	}
	return AtLeast(known, Duration(float64(ns)))
}

// AtLeast marks a lower bound.
func AtLeast(known bool, text string) string {
	if known {
		return text
	}
	return ">=" + text
}
