package load

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/steadiness"
	"dyno.example/internal/i18n"
)

// leastSteady is how long a window must be to say how it compares with others: the last
// one may be cut short.
const leastSteady = 500 * time.Millisecond

// seconds are what the windows that count show of the service's steadiness, on the client's
// side alone. They are noted as windows come, because the histograms of long loads are not kept.
type seconds struct {
	index       []int
	rates, p50s []float64
}

func (s *seconds) add(w *measure.Window) {
	h := w.Hist[measure.Response]
	if w.Length < leastSteady || h == nil {
		return
	}
	s.index = append(s.index, w.Index)
	s.rates = append(s.rates, float64(w.Completed)/w.Length.Seconds())
	s.p50s = append(s.p50s, float64(h.ValueAtQuantile(50)))
}

// judge says if the service changed between the beginning and the end, unless the load
// itself changes: a service may be steady under one rate and not under the next, stages are
// rarely long enough to judge, and what the first left behind is in the next.
func (s *seconds) judge(p *profile.Profile) []finding.Finding {
	if len(p.Phases) > 0 {
		return nil
	}
	series := steadiness.Series{Index: s.index}
	add := func(name i18n.Message, values []float64, worse, slight float64) {
		for _, v := range values {
			if v <= 0 {
				return
			}
		}
		series.Signals = append(series.Signals, steadiness.Signal{Name: name, Values: values, Worse: worse, Slight: slight})
	}
	if p.Mode == profile.Closed { // an open loop's is the schedule's
		add(i18n.New("signal.throughput", "throughput"), s.rates, -1, steadiness.SlightRate)
	}
	add(i18n.Verbatim("p50"), s.p50s, +1, steadiness.SlightLatency)
	return series.Judge()
}
