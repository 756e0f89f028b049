package analysis

import "dyno.example/dyno/finding"

// Level is what the run is worth, in a word: its validity, or "accepted" if it is valid
// only because somebody accepted a finding.
func (a *Analysis) Level() string {
	findings := make([]finding.Finding, len(a.Findings))
	for i := range a.Findings {
		findings[i] = a.Findings[i].Finding
	}
	return finding.Level(a.Validity, findings)
}
