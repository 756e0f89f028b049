package analysis

import "dyno.example/dyno/stats"

// wrongShare is the share of wrong responses that takes a subject out of rankings, as by
// the finding "wrong-answers": what it did is not what the others did.
const wrongShare = 0.001

// failsMoreChance is how improbable a share of failures must be, if failures fell on
// subjects by chance, for it to be reported.
const failsMoreChance = 0.001

// noteFailures notes which of the subjects sent wrong responses, and which failed more of
// their requests than the one that failed the fewest, by more than chance, however few that
// are: to fail may be cheaper than to respond.
func noteFailures(builders []*cellBuilder) {
	for _, s := range builders {
		m := s.merged
		if all := m.right + m.errors.Total(); all > 0 {
			if share := float64(m.errors.Expect+m.errors.Body) / float64(all); share >= wrongShare {
				s.Wrong = 100 * share
			}
		}
	}
	for _, s := range builders {
		for _, other := range builders {
			failed, all := s.merged.failures()
			less, of := other.merged.failures()
			if failed*of > less*all && stats.FisherExact(failed, all, less, of)*float64(max(len(builders)-1, 1)) < failsMoreChance {
				s.FailsMore = true
			}
		}
	}
}

// failures are the requests that failed or had no response by the end, of all whose
// outcome is known.
func (s *sums) failures() (failed, all int) {
	n := s.errors.Total() - min(s.apart, s.errors.Total()) + s.unfinished
	return int(n), int(s.right + n)
}
