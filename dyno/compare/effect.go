package compare

import (
	"fmt"
	"math"
	"strconv"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Effect is how the new value of a metric relates to the old one.
type Effect struct {
	Ratio    stats.Interval `json:"ratio"` // new by old
	Outcome  stats.Outcome  `json:"verdict"`
	Sentence i18n.Message   `json:"sentence"` // "CPU per request is 4.1 % lower (2.9–5.3 %)"
}

// Contradicts reports whether two medians tell of a change the other way than the ratio,
// which is of the means over all starts: some starts of one version are far off, and
// which version is better depends on how starts are averaged.
func Contradicts(ratio, old, new stats.Interval) bool {
	return ratio.Level > 0 && old.N > 0 && new.N > 0 && (ratio.Low > 1 && new.Estimate < old.Estimate || ratio.High < 1 && new.Estimate > old.Estimate)
}

// ByMedians is added to what [Contradicts].
func ByMedians() i18n.Message {
	return i18n.New("compare.medians-disagree", "; by their medians it is the other way: it depends on how starts are averaged")
}

// NewEffect judges the ratio of a metric by [stats.Judge].
func NewEffect(metric string, ratio stats.Interval, margin float64) Effect {
	e := Effect{Ratio: ratio, Outcome: stats.Judge(ratio, margin).Outcome}
	e.Sentence = e.says(MetricName(metric), margin)
	return e
}

func (e *Effect) says(what i18n.Message, margin float64) i18n.Message {
	r := e.Ratio
	switch {
	case e.Outcome == stats.IsLower, e.Outcome == stats.IsHigher:
		return i18n.New("compare.is", "%s is %s", what, Change(r))
	case e.Outcome == stats.IsSame:
		return i18n.New("compare.same-within", "%s is the same within %s (%s to %s)", what, percentText(margin), change(r.Low), change(r.High))
	case r.Level == 0:
		return i18n.New("compare.cant-tell-why", "can't tell about %s: %s", what, r.Note)
	}
	return i18n.New("compare.cant-tell-range", "can't tell: %s is between %s and %s", what, change(r.Low), change(r.High))
}

// fold is the ratio from which on people say "times as high".
const fold = 2

// Change writes a ratio with its interval as a change: "4.1 % lower (2.9–5.3 %)",
// "2.31 times as high (2.20–2.43)"; without the interval if there is none.
func Change(r stats.Interval) i18n.Message {
	if r.Estimate >= fold {
		text := i18n.New("compare.times-high", "%.2f times as high", r.Estimate)
		if r.Level > 0 {
			text = i18n.Join(text, fmt.Sprintf(" (%.2f–%.2f)", r.Low, r.High))
		}
		return text
	}
	estimate := 100 * (r.Estimate - 1)
	n := decimals(math.Abs(estimate))
	text := i18n.New("compare.percent-higher", "%.*f %% higher", n, estimate)
	low, high := 100*(r.Low-1), 100*(r.High-1)
	if estimate < 0 {
		text, low, high = i18n.New("compare.percent-lower", "%.*f %% lower", n, -estimate), -high, -low
	}
	switch {
	case r.Level == 0:
	case r.Low < 1 && r.High > 1: // an interval with both signs needs them to be read
		text = i18n.Join(text, i18n.New("compare.interval-percent", " (%+.*f to %+.*f %%)", n, 100*(r.Low-1), n, 100*(r.High-1)))
	default:
		text = i18n.Join(text, fmt.Sprintf(" (%.*f–%.*f %%)", n, low, n, high))
	}
	return text
}

// change writes one ratio: "3.0 % lower".
func change(ratio float64) i18n.Message {
	return Change(stats.Interval{Estimate: ratio, Low: ratio, High: ratio})
}

// decimals gives a percentage two to three digits.
func decimals(percent float64) int {
	switch {
	case percent < 1:
		return 2
	case percent < 10:
		return 1
	}
	return 0
}

// percentText writes a share: 0.02 is "2 %".
func percentText(share float64) string {
	return strconv.FormatFloat(100*share, 'g', 4, 64) + " %"
}

// MetricName is a metric in words.
func MetricName(metric string) i18n.Message {
	switch metric {
	case "cpu":
		return i18n.New("validity.cpu-per-request", "CPU per request")
	case "cpu.user":
		return i18n.New("compare.user-cpu", "user CPU per request")
	case "cpu.sys":
		return i18n.New("compare.system-cpu", "system CPU per request")
	case "rss":
		return i18n.New("compare.memory", "memory")
	case "throughput":
		return i18n.New("compare.throughput", "throughput")
	case "errors":
		return i18n.New("compare.share-errors", "the share of errors")
	}
	return i18n.Verbatim(metric)
}
