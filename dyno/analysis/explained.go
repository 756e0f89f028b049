package analysis

import "dyno.example/dyno/explain"

// explained says of each cell that has used trials why its slow requests were slow.
func explained(tables []*table) (list []explain.Explanation) {
	for _, t := range tables {
		for _, s := range t.builders {
			if len(s.Trials) == 0 {
				continue
			}
			e := s.explained.Explain()
			e.Subject, e.Load, e.Levels = s.Subject, t.Load, t.Levels
			list = append(list, e)
		}
	}
	return list
}
