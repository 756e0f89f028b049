package validity

import (
	"math"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/steadiness"
	"dyno.example/internal/i18n"
)

// warmUpSignal is a cost by which a warm-up is seen to be over. Half of what is slight
// is the band about its last level, so that what is within it differs by no more.
type warmUpSignal struct {
	name   i18n.Message
	slight float64
	of     func(*archive.WarmUpSecond) float64
}

// warmUpSignals are those of a kind of load. That of an open loop has no say in how
// much is served.
func warmUpSignals(mode profile.Mode) []warmUpSignal {
	list := []warmUpSignal{
		{i18n.New("validity.cpu-per-request", "CPU per request"), steadiness.SlightRate, func(s *archive.WarmUpSecond) float64 { return float64(s.CPU) / float64(s.Completed) }},
		{i18n.Verbatim("p50"), steadiness.SlightLatency, func(s *archive.WarmUpSecond) float64 { return float64(s.P50) }},
	}
	if mode == profile.Closed {
		list = append(list, warmUpSignal{i18n.New("validity.time-per-request", "time per request"), steadiness.SlightRate, func(s *archive.WarmUpSecond) float64 { return float64(s.Length) / float64(s.Completed) }})
	}
	return list
}

// seen reports whether all of the warm-up's seconds after the first have the signal. CPU
// time can't be seen of every service.
func (g *warmUpSignal) seen(w *archive.WarmUp) bool {
	for i := range w.Seconds {
		if v := g.of(&w.Seconds[i]); i > 0 && w.Seconds[i].Completed > 0 && (v <= 0 || math.IsInf(v, 0)) {
			return false
		}
	}
	return true
}

// Settled says whether a subject is steady by the seconds of its warm-up so far, and
// notes it there: [stats.Settle] over CPU time per request, the median response and, of
// a closed loop, the throughput.
func Settled(w *archive.WarmUp, mode profile.Mode) {
	var costs [][]float64
	var bands []float64
	for _, g := range warmUpSignals(mode) {
		if !g.seen(w) {
			continue
		}
		values := make([]float64, len(w.Seconds))
		for i := range values {
			values[i] = g.of(&w.Seconds[i])
		}
		costs, bands = append(costs, values), append(bands, g.slight/2)
	}
	s := stats.Settle(costs, bands)
	w.Steady, w.Took = s.Steady, w.Lasted()
	if s.Steady {
		w.Took = 0
		for i := range s.From {
			w.Took += w.Seconds[i].Length
		}
	}
}

// WarmedUp says if a warm-up was given up before the subject was steady.
func WarmedUp(w *archive.WarmUp) []finding.Finding {
	if w == nil || w.Steady {
		return nil
	}
	detail := i18n.New("validity.subject-not-steady", "the subject was not steady in a warm-up of %v", w.Lasted().Round(time.Second))
	if moved := moving(w); !moved.IsZero() {
		detail = i18n.Join(detail, ": ", moved)
	}
	return []finding.Finding{newFinding(finding.StillWarmingUp, finding.Suspect, nil, detail)}
}

// moving says what the last third of a warm-up has over the third before it.
func moving(w *archive.WarmUp) i18n.Message {
	third := len(w.Seconds) / 3
	if third == 0 {
		return i18n.Message{}
	}
	before, after := sumOf(w.Seconds[len(w.Seconds)-2*third:len(w.Seconds)-third]), sumOf(w.Seconds[len(w.Seconds)-third:])
	var parts []i18n.Message
	for _, g := range warmUpSignals(profile.Closed) {
		if g.name.String() == "p50" {
			continue // medians don't add up
		}
		if change := g.of(&after)/g.of(&before) - 1; change > -1 && !math.IsInf(change, 0) {
			parts = append(parts, i18n.Format("%s %+.0f %%", g.name, 100*change))
		}
	}
	return i18n.Enumerate(parts...)
}

func sumOf(seconds []archive.WarmUpSecond) (s archive.WarmUpSecond) {
	for i := range seconds {
		s.Length += seconds[i].Length
		s.Completed += seconds[i].Completed
		s.CPU += seconds[i].CPU
	}
	return s
}
