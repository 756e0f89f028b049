package runner

import (
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// limitsOf returns what a subject of a study may use.
func limitsOf(s study.Subject) subject.Limits {
	if s.Limits == nil {
		return subject.Limits{}
	}
	return subject.Limits(*s.Limits)
}

// limitsFor returns what a contender may use in a cell, whose levels win over
// the subject's own limits.
func limitsFor(c *contender, cell *study.Cell) subject.Limits {
	if cell.Limits != nil {
		return subject.Limits(*cell.Limits)
	}
	return limitsOf(c.Subject)
}

// hasQuota reports whether the study limits the contender's CPU time in a cell.
func hasQuota(c *contender, cell *study.Cell) bool { return limitsFor(c, cell).CPUs > 0 }

// checkCPUSets refuses CPUs that this machine doesn't have.
func checkCPUSets(subjects []study.Subject, online []int) error {
	for _, s := range subjects {
		for _, cpu := range limitsOf(s).CPUSet {
			if !slices.Contains(online, cpu) {
				return i18n.Errorf("runner.cpuset-unavailable", "subject %s: limits: cpuset: CPU %d can't be used; online are %v", s.Name, cpu, online)
			}
		}
	}
	return nil
}

// unenforced names the limits that the machine could not enforce.
func unenforced(in *subject.Instance) (found []finding.Finding) {
	for _, detail := range in.Unenforced() {
		found = append(found, finding.Finding{Name: finding.LimitNotEnforced, Validity: finding.Suspect, Detail: i18n.Verbatim(detail)})
	}
	return found
}
