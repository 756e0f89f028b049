package analysis

import (
	"slices"

	"dyno/lab/finding"
	"dyno/lab/load/profile"
	"dyno/lab/validity"
)

// addPlateaus says if the trials of a cell fall on separate plateaus, by the
// first metric that shows it.
func (y *findingSet) addPlateaus(s *sheet, accept []finding.Name) {
	metrics := []string{"throughput", "cpu"}
	if s.mode == profile.Open { // its throughput is the schedule's
		metrics[0] = "response.p50"
	}
	for _, metric := range metrics {
		found := finding.Accept(validity.Plateaus(s.Subject+"'s "+metric, y.marked(s.restarts(metric))), accept)
		for _, f := range found {
			y.list = append(y.list, Finding{Finding: f, Trials: s.Trials})
			return
		}
	}
}

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
func (s *sheet) restarts(metric string) []validity.Restart {
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
