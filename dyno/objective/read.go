package objective

import (
	"math"
	"strings"

	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// read returns the bounds of the metric in a window, in the unit of its kind. If
// nothing was measured they are NaN, and why says what lacks.
func (m Metric) read(w *measure.Window) (low, high float64, why i18n.Message) {
	if m.ofClock() {
		return m.readClock(w)
	}
	if kind, isError := strings.CutPrefix(m.Figure, "errors"); isError {
		return errorShare(w, strings.TrimPrefix(kind, "."))
	}
	x, why := m.readLoad(w)
	if !why.IsZero() {
		return math.NaN(), math.NaN(), why
	}
	return x, x, i18n.Message{}
}

// readClock reads a figure of a clock. A percentile that no request lies beyond is
// not below the largest of them, and that is all that so few can tell. With requests that were given up, as slow
// as they may have been, only percentiles below them, and minima, are known. Those that
// failed are the slowest: a percentile among them is worse than any time.
func (m Metric) readClock(w *measure.Window) (low, high float64, why i18n.Message) {
	h, lost := w.Hist[m.Clock], w.GivenUp(m.Clock)
	failed := w.Failed(m.Clock)
	amongFailed := i18n.New("objective.failures-as-slowest", "%d of %d requests failed, which count as the slowest", failed, w.Judged(m.Clock))
	switch {
	case m.Figure == "p" && w.AmongFailed(m.Clock, m.Percentile) && w.Judged(m.Clock) >= measure.Needs(m.Percentile):
		return math.Inf(1), math.Inf(1), amongFailed
	case w.Timed(m.Clock) > 0:
	case lost > 0 && failed == 0:
		return math.NaN(), math.NaN(), i18n.New("objective.all-given-up", "all %d requests were given up", lost)
	case lost+failed > 0:
		return math.NaN(), math.NaN(), amongFailed
	default:
		return math.NaN(), math.NaN(), i18n.New("objective.nothing-timed", "nothing was timed")
	}
	known := lost == 0 && !w.Failing(m.Clock)
	if lost == 0 && !known && m.Figure != "p" {
		why = amongFailed
	}
	switch m.Figure {
	case "p":
		var ns int64
		ns, known = w.Quantile(m.Clock, m.Percentile)
		low = float64(ns)
		if known && !w.Tells(m.Clock, m.Percentile) {
			known, why = false, i18n.New("objective.too-few-beyond", "of only %d requests, and it takes %d for one to lie beyond it", w.Judged(m.Clock), measure.Needs(m.Percentile))
		}
	case "mean":
		low = h.Mean()
	case "max":
		low = float64(w.Longest(m.Clock))
	case "min":
		return float64(h.Min()), float64(h.Min()), i18n.Message{}
	case "stddev":
		low = h.StdDev()
		if !known {
			low = 0 // slower ones may bring it closer together as well as apart
		}
	}
	if known {
		return low, low, i18n.Message{}
	}
	return low, math.Inf(1), why
}

// readLoad reads a figure of the whole.
func (m Metric) readLoad(w *measure.Window) (x float64, why i18n.Message) {
	if w.Length <= 0 {
		return 0, i18n.New("objective.no-time-measured", "no time was measured")
	}
	switch m.Figure {
	case "throughput":
		return float64(w.Completed) / w.Length.Seconds(), i18n.Message{}
	case "sent":
		return float64(w.Sent), i18n.Message{}
	case "completed":
		return float64(w.Completed), i18n.Message{}
	case "shed":
		return float64(w.Shed), i18n.Message{}
	case "in_flight":
		return w.InFlight, i18n.Message{}
	case "cpu":
		if w.Completed == 0 {
			return 0, i18n.New("objective.no-request-completed", "no request was completed")
		}
		return float64(w.Worked()) / float64(w.Completed), i18n.Message{}
	}
	return 0, i18n.New("objective.metric-missing", "there is no such metric")
}

// errorShare is the share of the requests that failed; of one kind, or of any
// if kind is empty. What became of those that had no response by the end is not known.
func errorShare(w *measure.Window, kind string) (low, high float64, why i18n.Message) {
	e := &w.Errors
	all := w.Right() + e.Total()
	if all == 0 {
		return math.NaN(), math.NaN(), i18n.New("objective.no-request-ended", "no request came to an end")
	}
	failed := uint64(0)
	for _, k := range e.ByKind() {
		if kind == "" || kind == k.Kind {
			failed += k.Count
		}
	}
	all += w.Unfinished
	low, high = float64(failed)/float64(all), float64(failed+w.Unfinished)/float64(all)
	if w.Unfinished > 0 {
		why = i18n.New("objective.bound-by-unfinished", "at most %s: %d requests had no response by the end", share.text(high), w.Unfinished)
	}
	return low, high, why
}
