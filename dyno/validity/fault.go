package validity

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// ofSubject are the findings that are the subject's own fault. What it does wrong is
// a result, and neither lowers what the measurement is worth below suspect nor is
// measured again until it comes out better.
var ofSubject = []finding.Name{finding.Errors, finding.WrongResponses, finding.ListenDrops, finding.Drifting, finding.NeverSteady, finding.Leak, finding.IdleCPU, finding.ProcessEnded}

// OfSubject reports whether a finding of that name is the subject's own fault, not
// that of the machine, the generator or the study.
func OfSubject(name finding.Name) bool { return slices.Contains(ofSubject, name) }

// ofMachine are the findings that are the machine's fault, or the generator's on it:
// another time, or on another machine, they may not be there.
var ofMachine = []finding.Name{finding.OtherLoad, finding.Steal, finding.Suspended, finding.GeneratorStalled, finding.GeneratorLate, finding.GeneratorGC, finding.CPUSpeed}

// OfMachine reports whether a finding of that name is the fault of the machine, or of
// the generator on it.
func OfMachine(name finding.Name) bool { return slices.Contains(ofMachine, name) }

// Worth is what a trial with the findings is worth as a measurement: the worst of
// them that is not accepted, where those that are the subject's own fault make it
// suspect at most.
func Worth(findings []finding.Finding) finding.Validity {
	worst := finding.Valid
	for i := range findings {
		weight := findings[i].Weight()
		if weight == finding.Invalid && OfSubject(findings[i].Name) {
			weight = finding.Suspect
		}
		worst = worst.Worse(weight)
	}
	return worst
}

// Spoiled reports whether a trial can't be used by a fault of the machine, the
// generator or the study: not one that older versions called invalid for what its
// subject did wrong.
func Spoiled(t *archive.Trial) bool {
	if t.Validity != finding.Invalid {
		return false
	}
	bySubject := finding.Worst(t.Findings) == finding.Invalid && Worth(t.Findings) != finding.Invalid
	return !bySubject
}

// lenient lowers the findings that are the subject's own fault to suspect.
func lenient(findings []finding.Finding) []finding.Finding {
	for i := range findings {
		if f := &findings[i]; f.Validity == finding.Invalid && OfSubject(f.Name) {
			f.Validity = finding.Suspect
		}
	}
	return findings
}

// Misserved reports whether the subject failed so many requests of a trial, or
// has so many wrong responses, that it is named.
func Misserved(findings []finding.Finding) bool {
	return slices.ContainsFunc(findings, func(f finding.Finding) bool {
		return (f.Name == finding.Errors || f.Name == finding.WrongResponses) && f.Validity != finding.Valid
	})
}
