package claim

import (
	"math"
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// wanting is how many blocks a median lacks for an interval at the level given: that of n
// values reaches no more than 1 − 2·0.5ⁿ (see [stats.Median]).
func (s *sample) wanting(level float64) int {
	return int(math.Ceil(1-math.Log2(1-level))) - len(s.value)
}

// zeros says in how many blocks there is no ratio but an end of the scale.
func (m *measuredComparison) zeros() i18n.Message {
	if m.sample.zeros == 0 {
		return i18n.Message{}
	}
	return i18n.New("claim.blocks-with-zero", "; in %d of %d blocks one of the figures is zero, so that there is no mean ratio: the median stands for it", m.sample.zeros, m.blocks)
}

// rankLevel is the confidence of the intervals by ranks that a mean is compared with.
const rankLevel = 0.95

// byRank is the effect by ranks, in the unit that people read, where that is another than
// the mean over all starts (see [stats.Part]); else nil.
func (m *measuredComparison) byRank() *stats.Interval {
	s := &m.sample
	if !s.logs || s.ranked || !slices.Equal(s.low, s.value) || !slices.Equal(s.high, s.value) {
		return nil
	}
	ones := slices.Repeat([]float64{1}, len(s.value))
	byRank := stats.RankRatio(s.value, ones, rankLevel)
	if !stats.Part(stats.Ratio(s.value, ones, rankLevel), byRank) {
		return nil
	}
	_, scale := m.unit()
	byRank.Estimate, byRank.Low, byRank.High = byRank.Estimate*scale, byRank.Low*scale, byRank.High*scale
	return &byRank
}

// sameByRank reports whether intervals by ranks give the same verdict. They are those of one
// comparison, as a few blocks have none at the level that all of a claim keep together.
func (m *measuredComparison) sameByRank(v Verdict, o Options) bool {
	o.Ratio, o.Level, o.parts = stats.RankRatio, rankLevel, 1
	return m.read(0, o).verdict == v
}

// parting says that the effect depends on how starts are averaged, or that the verdict doesn't.
func (m *measuredComparison) parting(byRank *stats.Interval, same bool) i18n.Message {
	if byRank == nil {
		return i18n.Message{}
	}
	unit, _ := m.unit()
	if same {
		return i18n.New("claim.ranks-agree", "; by ranks, which tell of the usual start, it is %.3g%s (%.3g–%.3g), of which the verdict is the same", byRank.Estimate, unit, byRank.Low, byRank.High)
	}
	return i18n.New("claim.ranks-differ", "; by ranks, which tell of the usual start, it is %.3g%s (%.3g–%.3g): it depends on how starts are averaged", byRank.Estimate, unit, byRank.Low, byRank.High)
}

// unit is that in which people read the effect, and how many of it one of ours is.
func (m *measuredComparison) unit() (name string, scale float64) {
	name, scale = m.effect.shown()
	if name != "" && name != "×" {
		name = " " + name
	}
	return name, scale
}

// never says how little it means that no request failed: of the kinds of starts there are,
// few starts have seen those only that many of them are of.
func (m *measuredComparison) never() i18n.Message {
	value := m.sample.value
	if !slices.Contains(m.effect.metrics(), "errors") || slices.ContainsFunc(value, func(v float64) bool { return v != 0 }) {
		return i18n.Message{}
	}
	return i18n.New("claim.failures-all-zero", "; it was 0 in all of %d blocks, which rules out only kinds of starts that more than %.0f %% of starts are of", len(value), 100*stats.ModeExcluded(len(value), rankLevel))
}
