package present

import (
	"dyno.example/dyno/load/measure"
)

// NoFigure stands where there is none.
const NoFigure = "–"

// Failed stands where a percentile is among the requests that failed, which count as the
// slowest.
const Failed = "✗"

// Quantile is a quantile of a window's response time.
func Quantile(w *measure.Window, percent float64) string {
	ns, known := w.Quantile(measure.Response, percent)
	failed := w.AmongFailed(measure.Response, percent)
	switch {
	case w.Timed(measure.Response) == 0, (known || failed) && !w.Tells(measure.Response, percent):
		return NoFigure
	case failed:
		return Failed
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
