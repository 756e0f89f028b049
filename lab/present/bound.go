package present

import (
	"dyno/lab/load"
)

// NoFigure stands where there is none.
const NoFigure = "–"

// Quantile is a quantile of a window's response time.
func Quantile(w *load.Window, percent float64) string {
	ns, known := w.Quantile(load.Response, percent)
	if w.Timed(load.Response) == 0 || known && !w.Tells(load.Response, percent) {
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
