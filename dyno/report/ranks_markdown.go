package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/internal/i18n"
)

// RankOptions choose what [Ranks] writes.
type RankOptions struct {
	Group string // title of the only group to write; empty for all
	By    string // metric to rank by; empty for the one each group's report ranks by
}

// Ranks writes tables of ranks in Markdown, as they stand in a README: for each group its
// languages, each by the best of its frameworks, and its frameworks. It is in the language
// given ("en" if empty; see [Languages]). A group or metric that the run doesn't have
// is an error that lists those it has.
func Ranks(w io.Writer, a *analysis.Analysis, o RankOptions, lang string) error {
	c, err := openLanguage(lang)
	if err != nil {
		return err
	}
	m := markdown{language: c, a: a}
	var titles []string
	written := false
	for i := range a.Groups {
		g := &a.Groups[i]
		titles = append(titles, g.Title)
		if o.Group != "" && o.Group != g.Title {
			continue
		}
		by := words(o.By, leading(a, g))
		if o.By != "" && len(g.Ranking[by]) == 0 {
			return i18n.Errorf("report.unknown-ranks", "%s has no ranks by %s; there are those by %s", g.Title, by, i18n.Names(slices.Sorted(maps.Keys(g.Ranking))...))
		}
		written = true
		m.line("### %s\n", escape(g.Title))
		if by == "" {
			m.line("%s\n", m.text("ranking.empty"))
			continue
		}
		m.ranks(newRanks(a, g, by, c), "####", true)
	}
	switch {
	case len(titles) == 0:
		return i18n.Errorf("report.no-groups", "the run has no group of cells, so there is nothing to rank")
	case !written:
		return i18n.Errorf("report.unknown-group", "the run has no group %q; there are: %s", o.Group, strings.Join(titles, "; "))
	}
	m.line("%s", m.text("ranks.from", "run", "`"+a.Run.ID+"`", "machine", escape(machineInWords(a)), "date", a.Run.Started.Format("2006-01-02")))
	if _, err := io.WriteString(w, plainSpaces(m.out.String())); err != nil {
		return fmt.Errorf("report: writing ranks: %w", err)
	}
	return nil
}

// machineInWords is what a reader of a table needs to know of the machine.
func machineInWords(a *analysis.Analysis) string {
	f := &a.Run.Machine
	return strings.TrimSpace(fmt.Sprintf("%s × %d", f.CPUModel, f.CPUs))
}

// ranks writes the languages, and the frameworks too if they are asked for.
func (m *markdown) ranks(r ranks, heading string, frameworks bool) {
	if len(r.Languages) > 0 {
		m.line("%s %s\n", heading, m.text("languages.title"))
		m.standings(r, r.Languages, true)
		m.line("\n%s\n", escape(rankNote(m.text("languages.note", "metric", r.ByTitle), r.Languages, m.language)))
	}
	if !frameworks {
		return
	}
	if len(r.Languages) > 0 {
		m.line("%s %s\n", heading, m.text("frameworks.title"))
	}
	m.standings(r, r.Frameworks, false)
	m.line("\n%s\n", escape(rankNote(m.text("ranking.note.rank", "metric", r.ByTitle), r.Frameworks, m.language)))
}

// rankNote is what stands below a table of standings.
func rankNote(text string, list []standing, c language) string {
	if note := warmingNote(warmedStandings(list), c); note != "" {
		return c.paragraph([]string{text, note})
	}
	return text
}

// standings writes a table: of languages, or of frameworks.
func (m *markdown) standings(r ranks, list []standing, languages bool) {
	heads := []string{"#", m.text("languages.language"), m.text("subjects.framework")}
	for _, col := range r.Columns {
		heads = append(heads, escape(col.Title))
	}
	if r.Sizes {
		heads = append(heads, m.text("ranks.size"))
	}
	var rows [][]string
	for _, s := range list {
		name := escape(frameworkOf(s, m.language)) + s.Warming.Mark()
		if languages && len(s.Alike) > 0 {
			name += " (" + escape(m.text("js.languages.alike", "subjects", strings.Join(s.Alike, m.text("js.comma")))) + ")"
		}
		texts := []string{s.Rank, escape(words(m.standsFor(s.Subject), "–")), name}
		for _, f := range s.Figures {
			texts = append(texts, f.text())
		}
		if r.Sizes {
			texts = append(texts, words(s.Size, "–"))
		}
		rows = append(rows, texts)
	}
	m.table("rll", heads, rows)
}

// shortName is a subject's name next to its language: without it, if it begins with it.
func (s standing) shortName() string {
	return strings.TrimPrefix(s.Subject.Name, s.Subject.Language+"/")
}

// frameworkOf is the subject's short name and version, and its role unless that is production.
func frameworkOf(s standing, c language) string {
	name := strings.TrimSpace(s.shortName() + " " + s.Subject.Version)
	if role := s.Subject.Role; role != "" && role != "production" {
		name += c.text("languages.role", "role", role)
	}
	return name
}
