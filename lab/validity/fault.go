package validity

import (
	"slices"

	"dyno/lab/archive"
	"dyno/lab/load"
)

// ofSubject are the findings that are the subject's own fault. What it does wrong is
// a result, and neither lowers what the measurement is worth below suspect nor is
// measured again until it comes out better.
var ofSubject = []string{"errors", "wrong-answers", "listen-drops", "drifting", "never-steady", "leak"}

// OfSubject reports whether a finding of that name is the subject's own fault, not
// that of the machine, the generator or the study.
func OfSubject(name string) bool { return slices.Contains(ofSubject, name) }

// Worth is what a trial with the findings is worth as a measurement: the worst of
// them that is not accepted, where those that are the subject's own fault make it
// suspect at most.
func Worth(findings []load.Finding) load.Validity {
	worst := load.Valid
	for i := range findings {
		weight := findings[i].Weight()
		if weight == load.Invalid && OfSubject(findings[i].Name) {
			weight = load.Suspect
		}
		worst = worst.Worse(weight)
	}
	return worst
}

// Spoiled reports whether a trial can't be used by a fault of the machine, the
// generator or the study: not one that older versions called invalid for what its
// subject did wrong.
func Spoiled(t *archive.Trial) bool {
	if t.Validity != load.Invalid {
		return false
	}
	bySubject := load.Worst(t.Findings) == load.Invalid && Worth(t.Findings) != load.Invalid
	return !bySubject
}

// lenient lowers the findings that are the subject's own fault to suspect.
func lenient(findings []load.Finding) []load.Finding {
	for i := range findings {
		if f := &findings[i]; f.Validity == load.Invalid && OfSubject(f.Name) {
			f.Validity = load.Suspect
		}
	}
	return findings
}

// Misserved reports whether the subject failed so many requests of a trial, or
// answered so many wrongly, that it is named.
func Misserved(findings []load.Finding) bool {
	return slices.ContainsFunc(findings, func(f load.Finding) bool {
		return (f.Name == "errors" || f.Name == "wrong-answers") && f.Validity != load.Valid
	})
}
