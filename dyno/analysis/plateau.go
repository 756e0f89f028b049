package analysis

import (
	"math"
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// addPlateaus says if the trials of a cell fall on separate plateaus, by the
// first metric that shows it; and if it is no matter of its starts, as the trials of
// others in the same blocks go up and down with them: that is a remark.
func (y *findingSet) addPlateaus(s *cellBuilder, all []*cellBuilder, accept []finding.Name) {
	metrics := []string{"throughput", "cpu"}
	if s.mode == profile.Open { // its throughput is the schedule's
		metrics[0] = "response.p50"
	}
	for _, metric := range metrics {
		name := i18n.New("analysis.metric-of", "%s's %s", s.Subject, metricName(metric))
		others, beside := s.beside(all, metric)
		restarts := s.restarts(metric)
		if s.tookTurns() && len(beside) > 0 {
			restarts = beside // they shared the machine's states within a second: what is common to all is no start's
		}
		found := finding.Accept(validity.Plateaus(name, y.marked(restarts)), accept)
		for _, f := range found {
			likewise := validity.Plateaus(metricName(metric), others)
			if len(likewise) > 0 && likewise[0].Name == f.Name && len(validity.Plateaus(metricName(metric), beside)) == 0 {
				f.Validity = finding.Valid // blocks have it in common, and ratios are taken within them
				f.Detail = i18n.Join(f.Detail, i18n.New("analysis.machine-not-starts", "; the other trials of their blocks lie apart likewise, and compared with them these do not: it is the machine at the time rather than the starts"))
			}
			y.list = append(y.list, Finding{Finding: f, Trials: s.Trials})
			return
		}
	}
}

// tookTurns reports whether all used trials of the cell were in slices.
func (s *cellBuilder) tookTurns() bool { return len(s.sliced) > 0 && !slices.Contains(s.sliced, nil) }

// marked adds what disturbed the machine in each restart's trial.
func (y *findingSet) marked(list []validity.Restart) []validity.Restart {
	for i := range list {
		r := &list[i]
		for _, f := range y.list {
			if validity.OfMachine(f.Name) && f.Validity != finding.Valid && slices.Contains(f.Trials, r.Trial) && !slices.Contains(r.Disturbed, f.Name) {
				r.Disturbed = append(r.Disturbed, f.Name)
			}
		}
	}
	return list
}

// restarts are the used trials with their values of a metric, and those of its
// windows where the seconds have them.
func (s *cellBuilder) restarts(metric string) []validity.Restart {
	values := s.Values[metric]
	if len(values) != len(s.Trials) {
		return nil
	}
	windows := map[int][]float64{}
	for _, second := range s.Seconds {
		if second.Index < 0 || second.Validity == finding.Invalid {
			continue
		}
		switch metric {
		case "throughput":
			windows[second.Trial] = append(windows[second.Trial], second.Throughput)
		case "response.p50":
			windows[second.Trial] = append(windows[second.Trial], second.P50)
		}
	}
	var list []validity.Restart
	for i, trial := range s.Trials {
		list = append(list, validity.Restart{Trial: trial, Value: values[i], Windows: windows[trial]})
	}
	return list
}

// beside are, for the block of each restart, the values of the other cells' trials as multiples
// of their usual ones (the median, as one of them may have levels of its own); and the restarts
// with their values divided by that. Nil if a block has no others.
func (s *cellBuilder) beside(all []*cellBuilder, metric string) (others, divided []validity.Restart) {
	divided = s.restarts(metric)
	others = slices.Clone(divided)
	for i := range divided {
		var logs []float64
		for _, o := range all {
			values, at := o.Values[metric], slices.Index(o.blocks, s.blocks[i])
			if o == s || at < 0 || len(values) != len(o.blocks) || !positive(values) {
				continue
			}
			usual := 0.0
			for _, v := range values {
				usual += math.Log(v) / float64(len(values))
			}
			logs = append(logs, math.Log(values[at])-usual)
		}
		if len(logs) == 0 {
			return nil, nil
		}
		others[i].Value = math.Exp(stats.Median(logs, level).Estimate)
		divided[i].Value /= others[i].Value
	}
	return others, divided
}

// metricName is a metric as a word of a sentence.
func metricName(metric string) i18n.Message {
	if metric == "throughput" {
		return i18n.New("signal.throughput", "throughput")
	}
	return i18n.Verbatim(metric)
}
