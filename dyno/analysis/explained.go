package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/explain"
)

// explained says for each cell with used trials why its slow requests were slow.
func explained(tables []*table, run *archive.Run) (list []explain.Explanation) {
	for _, t := range tables {
		for _, s := range t.builders {
			if len(s.Trials) == 0 {
				continue
			}
			e := s.explained.Explain()
			e.Subject, e.Load, e.Levels = s.Subject, t.Load, t.Levels
			e.Profiles = profilesOf(run, s.Trials)
			list = append(list, e)
		}
	}
	return list
}

// profilesOf are the profiles of slow requests that trials have, by their indices.
func profilesOf(run *archive.Run, indices []int) (names []string) {
	for i := range run.Trials {
		t := &run.Trials[i]
		if !slices.Contains(indices, t.Index) {
			continue
		}
		for _, kind := range []archive.Kind{archive.SlowProfile, archive.SlowOffCPUProfile} {
			if name := t.KeptName(kind); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}
