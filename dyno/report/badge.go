package report

import (
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
)

// accepted is the level of what would be suspect or invalid had it not been
// accepted by name. It has a style of its own: neither fine nor doubtful.
const accepted = finding.Accepted

// badge says what a run's data are worth, in a word and a sentence. It says
// nothing of how sure a difference is, and is labelled so.
type badge struct {
	Level  string // a validity, or accepted
	Label  string // "data"
	Word   string
	Detail string
}

// Text is "data: VALID".
func (b badge) Text() string { return b.Label + b.Word }

func newBadge(a *analysis.Analysis, c language) badge {
	b := badge{Level: string(finding.Valid), Label: c.text("badge.data") + c.text("list.colon"), Detail: c.text("validity.clean")}
	if a.Validity != "" {
		b.Level = string(a.Validity)
	}
	if n := len(a.Findings); n > 0 {
		b.Detail = c.count("findings", n)
	}
	if names, otherwise := acceptedFindings(a); len(names) > 0 {
		if b.Level == string(finding.Valid) {
			b.Level = accepted
		}
		b.Detail += c.text("list.semicolon") + c.text("badge.accepted", "names", strings.Join(names, c.text("list.comma")), "level", c.text("validity."+string(otherwise)))
	}
	b.Word = c.text("validity." + b.Level)
	return b
}

// acceptedFindings are the names of the findings that were accepted and would
// count otherwise, and the worst that they would have been.
func acceptedFindings(a *analysis.Analysis) (names []string, otherwise finding.Validity) {
	otherwise = finding.Valid
	seen := map[string]bool{}
	for i := range a.Findings {
		f := &a.Findings[i]
		if !f.Accepted || f.Validity == finding.Valid {
			continue
		}
		otherwise = otherwise.Worse(f.Validity)
		if !seen[string(f.Name)] {
			seen[string(f.Name)] = true
			names = append(names, string(f.Name))
		}
	}
	return names, otherwise
}
