package stats

import (
	"math"
	"sort"

	"dyno.example/internal/i18n"
)

// Days is the ratio of what was measured on one day to what was measured on several
// others.
type Days struct {
	Ratio Interval // N counts days: those before, and the new one
	// Between is the standard deviation of the logarithms of the days' means; 0 if
	// there is one day only.
	Between float64
	Days    int // before
}

// DaysRatio estimates how many times the values of a new day are of those of the days
// before, each of which has one value a restart. Machine, neighbours and temperature
// differ from day to day, and move all restarts of a day alike, so that a day is one
// observation, and the new one differs from the others by what they differ by among
// themselves.
//
// The interval is that of a further observation (a prediction interval: Student's t
// with one degree of freedom less than there were days, and the standard error
// s·√(1+1/days)) on the logarithms of the days' means; where the new day has fewer
// restarts than those before, what that adds to the scatter of its mean is added. It
// is never narrower than Welch's of [UnpairedRatio], of which it takes the wider end
// on either side. Both assume log-normal noise, and that days are independent.
//
// Of one day nothing can be said about days: the interval is that of
// [UnpairedRatio], and Note says so. Days without values don't count. Values that
// are not above zero are left out.
func DaysRatio(before [][]float64, day []float64, level float64) Days {
	var all []float64
	var means []float64
	within, freedom, inverse := 0.0, 0, 0.0
	for _, values := range before {
		x := logs(values)
		if len(x) == 0 {
			continue
		}
		all = append(all, values...)
		m := mean(x)
		means = append(means, m)
		inverse += 1 / float64(len(x))
		for _, v := range x {
			within += (v - m) * (v - m)
		}
		freedom += len(x) - 1
	}
	welch, _ := UnpairedRatio(day, all, level)
	out := Days{Ratio: welch, Days: len(means)}
	if len(means) < 2 || welch.Level == 0 {
		if welch.Level > 0 {
			out.Ratio.Note = i18n.New("stats.one-day", "of one day: what differs from day to day is not in the interval")
		}
		return out
	}
	size := float64(len(means))
	center, centerError := meanAndError(means)
	out.Between = centerError * math.Sqrt(size)
	variance := out.Between * out.Between * (1 + 1/size)
	x := logs(day)
	if more := 1/float64(len(x)) - inverse/size; more > 0 && freedom > 0 {
		variance += within / float64(freedom) * more
	}
	difference := mean(x) - center
	half := math.Sqrt(variance) * studentQuantile(size-1, 1-(1-level)/2)
	out.Ratio = Interval{
		N: len(means) + 1, Estimate: math.Exp(difference), Level: level,
		Low:  min(math.Exp(difference-half), welch.Low),
		High: max(math.Exp(difference+half), welch.High),
	}
	if len(means) < fewDays {
		out.Ratio.Note = i18n.New("stats.few-days", "%d days tell little of how much days differ", len(means))
	}
	return out
}

// fewDays is the number of days below which the t quantile makes an interval several
// times wider than that of many.
const fewDays = 4

// DetectableDay is the smallest ratio above 1 of a new day that [DaysRatio] finds with
// the probability power if days scatter by the standard deviation between; infinite
// with fewer than two days.
func DetectableDay(between float64, days int, level, power float64) float64 {
	if days < 2 {
		return math.Inf(1)
	}
	size := float64(days)
	return math.Exp(detectable(size-1, level, power) * between * math.Sqrt(1+1/size))
}

// DaysFor is the smallest number of days with which a ratio is found with the
// probability power, at most 60. It is 0 if those are not enough: however many days
// there were before, the new one is a single one, and scatters as they do.
func DaysFor(ratio, between, level, power float64) int {
	const most = 60
	if !(ratio > 1) || DetectableDay(between, most, level, power) > ratio {
		return 0
	}
	return 2 + sort.Search(most-2, func(i int) bool { return DetectableDay(between, 2+i, level, power) <= ratio })
}
