package report

import (
	"slices"

	"dyno.example/dyno/analysis"
)

// hollow is a section of the page that has nothing to show, and why. Such a section
// is left out, and named in one folded list.
type hollow struct {
	ID    string
	Title string
	Why   string
}

// hollowSections are the sections of charts that no group has anything for.
func hollowSections(a *analysis.Analysis, c language) []hollow {
	var out []hollow
	none := func(id, why string, any func(*analysis.Cell) bool) {
		for i := range a.Groups {
			if slices.ContainsFunc(a.Groups[i].Cells, func(cell analysis.Cell) bool { return any(&cell) }) {
				return
			}
		}
		out = append(out, hollow{id, c.text(id + ".title"), c.text("js.empty." + why)})
	}
	none("cost", "throughput", func(cell *analysis.Cell) bool {
		return cell.Estimates[cpu].N > 0 || cell.Estimates[throughput].N > 0
	})
	none("percentiles", "percentiles", func(cell *analysis.Cell) bool { return len(cell.Curve)+len(cell.Service) > 0 })
	none("heat", "heat", func(cell *analysis.Cell) bool {
		return slices.ContainsFunc(cell.Seconds, func(s analysis.Second) bool { return s.Index >= 0 })
	})
	none("windows", "client", func(cell *analysis.Cell) bool { return len(cell.Seconds) > 0 })
	return out
}

// Hollow reports whether a section has nothing to show.
func (p *page) Hollow(id string) bool {
	return slices.ContainsFunc(p.Empty, func(h hollow) bool { return h.ID == id })
}
