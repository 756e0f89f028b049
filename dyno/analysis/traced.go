package analysis

import (
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Figures of traced requests, for claims about what the lab says of them.
const (
	explainedName   = "explained." // and a cause, with _ for -
	longestWaitName = "wait.max"
)

// ofTraced are the figures of traced requests that claims of the run name. They are no merit of
// the subject.
func ofTraced(m *archive.Manifest) (list []figure) {
	for _, name := range claimed(m) {
		switch cause, explained := strings.CutPrefix(name, explainedName); {
		case explained:
			list = append(list, figure{Metric: Metric{name, "%", string(stats.Higher)}, of: func(s *sums) (float64, i18n.Message) {
				share, missing := s.traced.Share(explain.Name(strings.ReplaceAll(cause, "_", "-")))
				return 100 * share, missing
			}})
		case name == longestWaitName:
			list = append(list, figure{Metric: Metric{name, "µs", string(stats.Lower)}, of: func(s *sums) (float64, i18n.Message) {
				longest, missing := s.traced.LongestWait()
				return micro(longest), missing
			}, atLeast: func(s *sums) (float64, bool) {
				longest, _ := s.traced.LongestWait()
				return micro(longest), longest > 0
			}})
		}
	}
	return list
}

func (f figure) isOfTraced() bool {
	return strings.HasPrefix(f.Name, explainedName) || f.Name == longestWaitName
}

// claimed are the metrics that claims of the run name, sorted.
func claimed(m *archive.Manifest) (names []string) {
	for i := range m.Claims {
		for _, text := range append(slices.Clone(m.Claims[i].Expressions), m.Claims[i].Direction) {
			if e, err := claim.Parse(text); err == nil { // else it is a direction that isn't said
				names = append(names, e.Metrics()...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
