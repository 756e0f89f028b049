package report

import (
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
)

// few is how many subjects a page shows side by side. With more, colours no longer
// tell them apart and a chart of all their lines can't be read: tables can be filtered,
// charts have a panel or a row of one colour for each, and what is long is folded.
// assets/filter.js holds the same figure.
const few = 10

// named is how many subjects a sentence names if there are more than a few.
const named = 6

// Many reports whether the page has more subjects than it shows side by side.
func (p *page) Many() bool {
	return slices.ContainsFunc(p.Rankings, func(r ranking) bool { return len(r.Rows) > few })
}

// Folded reports whether the page's loads are folded, except for the first.
func (p *page) Folded() bool { return p.Many() && len(p.Rankings) > 1 }

// Long reports whether a table of so many rows is folded.
func (p *page) Long(rows int) bool { return rows > few }

// Sized reports whether the size of some build is known.
func (p *page) Sized() bool {
	return slices.ContainsFunc(p.Run.Subjects, func(s archive.Subject) bool { return s.BuildSize > 0 })
}

// Bytes writes a size, a dash if it is not known.
func (p *page) Bytes(n uint64) string {
	if n == 0 {
		return "–"
	}
	return quantity("bytes", float64(n))
}

// choice is something subjects can be filtered by, with how many have it.
type choice struct {
	Name  string
	Count int
}

// Languages are those of the subjects, in order of the alphabet.
func (p *page) Languages() []choice {
	return p.choices(func(i int) string { return p.standsFor(p.Run.Subjects[i]) })
}

// Roles are those of the subjects.
func (p *page) Roles() []choice {
	return p.choices(func(i int) string { return p.Run.Subjects[i].Role })
}

func (p *page) choices(of func(subject int) string) []choice {
	var list []choice
	for i := range p.Run.Subjects {
		name := of(i)
		if name == "" {
			continue
		}
		at := slices.IndexFunc(list, func(c choice) bool { return c.Name == name })
		if at < 0 {
			at, list = len(list), append(list, choice{Name: name})
		}
		list[at].Count++
	}
	slices.SortFunc(list, func(x, y choice) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// RankLimits are the ranks that can be asked for: those up to a limit.
func (p *page) RankLimits() []int {
	most := 0
	for _, r := range p.Rankings {
		most = max(most, len(r.Rows))
	}
	return slices.DeleteFunc([]int{1, 3, 5, 10, 20, 50}, func(n int) bool { return n >= most })
}

// names lists subjects in a sentence: all of them, or the first of very many.
func (c language) names(list []string) string {
	if len(list) <= few {
		return c.list(list)
	}
	return c.text("list.more", "some", strings.Join(list[:named], c.text("list.comma")), "n", len(list)-named)
}

// languageTable are a group's languages for the page.
type languageTable struct {
	ranks
	Lines []languageLine
}

// languageLine is a language by its best framework, or hidden by another one: with some
// filtered out, that may be the best, and the script shows it.
type languageLine struct {
	standing
	Hidden bool
}

func newLanguageTable(a *analysis.Analysis, r ranking, c language) languageTable {
	if r.By == "" {
		return languageTable{ranks: ranks{Title: r.Title}}
	}
	t := languageTable{ranks: newRanks(a, r.Group, r.By, c)}
	if len(t.ranks.Languages) == 0 {
		return t
	}
	for _, s := range t.ranks.Languages {
		t.Lines = append(t.Lines, languageLine{s, false})
	}
	for _, s := range t.Frameworks {
		best := func(l languageLine) bool { return l.Subject.Name == s.Subject.Name }
		if s.Subject.Language != "" && !slices.ContainsFunc(t.Lines, best) {
			t.Lines = append(t.Lines, languageLine{s, true})
		}
	}
	return t
}

// LanguagesNote is what stands below a table of languages.
func (p *page) LanguagesNote(t languageTable) string {
	return rankNote(p.text("languages.note", "metric", t.ByTitle), t.Frameworks, p.language)
}

// LanguageOf is the language that a subject represents in the table of languages.
func (p *page) LanguageOf(s archive.Subject) string { return p.standsFor(s) }

// Alike says which frameworks can't be told apart from the best of their language.
func (p *page) Alike(subjects []string) string {
	if len(subjects) == 0 {
		return ""
	}
	return p.text("js.languages.alike", "subjects", strings.Join(subjects, p.text("js.comma")))
}
