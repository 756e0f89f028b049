package load

import (
	"dyno/lab/finding"
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
