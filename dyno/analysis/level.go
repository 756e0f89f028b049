package analysis

import "dyno.example/dyno/finding"

// Level is the run's validity in a word, or "accepted" if it is valid only because a
// finding was accepted.
func (a *Analysis) Level() string {
	findings := make([]finding.Finding, len(a.Findings))
	for i := range a.Findings {
		findings[i] = a.Findings[i].Finding
	}
	return finding.Level(a.Validity, findings)
}
