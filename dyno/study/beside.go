package study

import (
	"slices"
	"strings"

	"dyno.example/dyno/claim"
)

// untold are the metrics that slices can't measure, by their first word: what a subject comes to
// hold under a long load, and what its runtime reports by the second. ofRare are those of times,
// by their last word, that are seen once in minutes.
var (
	untold = []string{"rss", "pss", "allocs", "alloc", "gc", "sched", "tail", "explained"}
	ofRare = []string{"p99.9", "p99.99", "max"}
)

// SlicesTell reports whether slices can measure a metric. Start-up, warm-up and what a subject does
// before its load are read when it is started, and are known of subjects in slices too.
func SlicesTell(metric string) bool {
	first, last, _ := strings.Cut(metric, ".")
	return !slices.Contains(untold, first) && !slices.Contains(ofRare, last)
}

// askedFor reports whether the study reports or claims something that slices can measure,
// and something that they can't. A study that does neither is about cost and response times.
func (s *Study) askedFor() (told, untold bool) {
	metrics := slices.Clone(s.Report)
	for i := range s.Claims {
		for _, text := range append(slices.Clone(s.Claims[i].Expressions), s.Claims[i].Direction) {
			if e, err := claim.Parse(text); err == nil { // else it is a direction that isn't said
				metrics = append(metrics, e.Metrics()...)
			}
		}
	}
	for _, metric := range metrics {
		told, untold = told || SlicesTell(metric), untold || !SlicesTell(metric)
	}
	return told || !untold, untold
}

// trialsBeside are the cells in slices once more, as trials, if the study asks for that.
func trialsBeside(s *Study, cells []Cell, groups [][]int) (all []Cell) {
	if !s.Trial.Slices.Beside {
		return nil
	}
	sliced := slices.Concat(groups...)
	slices.Sort(sliced)
	for _, index := range sliced {
		c := cells[index]
		c.Index, c.Beside = len(cells)+len(all), &index
		all = append(all, c)
	}
	return all
}

// TrialsBeside maps each cell in slices to the cell that is measured in trials alongside it.
func (p *Plan) TrialsBeside() map[int]int {
	at := make(map[int]int)
	for i := range p.Cells {
		if of := p.Cells[i].Beside; of != nil {
			at[*of] = i
		}
	}
	return at
}
