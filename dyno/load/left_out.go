package load

import (
	"slices"

	"dyno.example/dyno/finding"
)

// LeftOut returns how many measured windows there were, how many of them are
// invalid and in no figure, and the names of the findings that made them so, in
// the order they first came.
func (r *Result) LeftOut() (invalid, measured int, reasons []finding.Name) {
	seen := make(map[finding.Name]bool)
	for i := range r.Windows {
		w := &r.Windows[i]
		if w.Warmup() {
			continue
		}
		measured++
		if w.Validity() != finding.Invalid {
			continue
		}
		invalid++
		for _, f := range w.Findings {
			if f.Weight() == finding.Invalid && !seen[f.Name] {
				seen[f.Name] = true
				reasons = append(reasons, f.Name)
			}
		}
	}
	return invalid, measured, reasons
}

// Acceptable are the findings by which all windows are left out, if they can be accepted by
// their names and the windows count then; nil if some do already, or one of the findings
// can't be accepted.
func (r *Result) Acceptable() []finding.Name {
	invalid, measured, reasons := r.LeftOut()
	if measured == 0 || invalid < measured {
		return nil
	}
	for _, name := range reasons {
		if !slices.Contains(finding.Acceptable(), name) {
			return nil // it would leave them out all the same
		}
	}
	return reasons
}
