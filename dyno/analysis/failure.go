package analysis

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
)

// Failure is a failed request that was kept in full, with its trial.
type Failure struct {
	Trial int `json:"trial"`
	measure.Failure
}

// How many failures an analysis shows. The archive may have more.
const (
	failuresPerKind = 2 // and trial
	maxFailures     = 20
)

// failures picks a few of each kind from each trial, in order.
func failures(trials []archive.Trial) []Failure {
	var list []Failure
	for i := range trials {
		kinds := make(map[string]int)
		for _, f := range trials[i].Failures {
			if kinds[f.Kind]++; kinds[f.Kind] <= failuresPerKind && len(list) < maxFailures {
				list = append(list, Failure{trials[i].Index, f})
			}
		}
	}
	return list
}
