package analysis

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/validity"
)

// usualSpeed is that of the CPUs over all trials of a run.
func usualSpeed(run *archive.Run) *validity.UsualSpeed {
	var all []*archive.Speed
	for i := range run.Trials {
		all = append(all, run.Trials[i].Speed)
	}
	return validity.NewUsualSpeed(all)
}

// addSpeed compares a trial's CPUs with those of the whole run. When it ended, it was
// compared only with the trials before it, and the first trials have too few of those.
func (y *findingSet) addSpeed(t *archive.Trial, usual *validity.UsualSpeed, accept []finding.Name) {
	if t.Speed == nil || t.Status != archive.Complete || named(t.Findings, finding.CPUSpeed) {
		return
	}
	for _, f := range finding.Accept(usual.Judge(t.Speed), accept) {
		y.add(t.Index, f)
	}
}

// atOddSpeed are the trials whose CPUs had another speed than in most, unless that
// is accepted.
func atOddSpeed(findings []Finding) map[int]bool {
	odd := map[int]bool{}
	for i := range findings {
		if f := &findings[i]; f.Name == finding.CPUSpeed && f.Weight() != finding.Valid {
			for _, trial := range f.Trials {
				odd[trial] = true
			}
		}
	}
	return odd
}
