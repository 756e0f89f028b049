package published

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
)

// Words are what a report says below its tables, in today's words.
type Words struct {
	// Text is a text of reports by its key.
	Text func(key string, pairs ...any) string
	// Own reports whether a subject is of dyno's own project, and stands for no language.
	Own func(subject string) bool
}

// Rerank puts the tables of a published report into today's order: that of the estimates,
// with an interval of ranks for each subject, computed from the folder's trials.csv.gz. Reports
// of before ranked by the number of those that are surely better. Who was still warming up,
// by the report's own findings, is marked. Nothing else of the report changes, and a
// report of today's order is returned as it is.
func Rerank(results fs.FS, folder string, w Words) (string, error) {
	text, err := fs.ReadFile(results, path.Join(folder, "report.md"))
	if err != nil {
		return "", err
	}
	if !strings.Contains(string(text), rankedBy) {
		return string(text), nil
	}
	all, err := readFigures(results, folder)
	if err != nil {
		return "", err
	}
	run, err := ReadManifest(results, folder)
	if err != nil {
		return "", err
	}
	r := &reranker{words: w, run: &run, figures: all, warming: stillWarming(string(text))}
	parts := strings.Split(string(text), "\n\n")
	for i := range parts {
		if err := r.part(parts, i); err != nil {
			return "", fmt.Errorf("%s: %s: %w", path.Join(folder, "report.md"), r.group, err)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// What notes of before say.
const (
	rankedBy    = "Ranked by "
	shared      = ". A rank marked = is shared: the data can’t tell these subjects apart."
	byLanguage  = "Each language stands there by the best of its frameworks, ranked by "
	shareARank  = "so that subjects may share a rank though"
	subjectRow  = "| # | Subject |"
	languageRow = "| # | Language |"
)

type reranker struct {
	words   Words
	run     *archive.Manifest
	figures figures
	warming map[string]string // where, by subject

	group  string
	places []analysis.Place
	rows   map[string][]string // fields of the ranking's rows, by subject
	head   []string
}

// part works on one of the report's paragraphs and tables, with the note below it.
func (r *reranker) part(parts []string, i int) error {
	for line := range strings.Lines(parts[i]) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			r.group, r.places, r.rows = strings.ReplaceAll(strings.TrimSpace(title), `\`, ""), nil, nil
		}
	}
	if i+1 == len(parts) {
		return nil
	}
	switch {
	case strings.HasPrefix(parts[i], subjectRow):
		return r.ranking(parts, i)
	case strings.HasPrefix(parts[i], languageRow) && r.places != nil:
		return r.languages(parts, i)
	}
	return nil
}

// ranking orders the table of subjects. That its ranks of before can be computed again from
// what was published is seen to first.
func (r *reranker) ranking(parts []string, i int) error {
	by, rest, ok := strings.Cut(strings.TrimPrefix(parts[i+1], rankedBy), shared)
	if !ok {
		return nil // one subject has no rank
	}
	metric, better, ok := metricTitled(by)
	if !ok || r.figures[r.group][metric] == nil {
		return fmt.Errorf("nothing was published of %q, by which it ranks", by)
	}
	r.places = r.figures[r.group][metric].places(better)
	lines := strings.Split(parts[i], "\n")
	r.head, r.rows = fields(lines[0]), map[string][]string{}
	var was, unranked []string
	for _, line := range lines[2:] {
		row := fields(line)
		name := r.subjectOf(row[1])
		if row[0] == "–" {
			unranked = append(unranked, line)
			continue
		}
		was = append(was, row[0]+" "+name)
		r.rows[name] = row
	}
	if again := ranksOfBefore(r.places); !slices.Equal(was, again) {
		return fmt.Errorf("the ranks %q can't be computed again: %q", was, again)
	}
	out := lines[:2]
	for _, p := range r.places {
		row := slices.Clone(r.rows[p.Subject])
		row[0], row[1] = interval(p), row[1]+r.mark(p.Subject)
		out = append(out, "| "+strings.Join(row, " | ")+" |")
	}
	parts[i] = strings.Join(append(out, unranked...), "\n")
	note := r.words.Text("ranking.note.rank", "metric", by) + r.warmingNote(r.places)
	parts[i+1] = note + strings.Replace(rest, shareARank, "so that those of two subjects may overlap though", 1)
	return nil
}

// languages writes the table of languages again, from the rows of the ranking.
func (r *reranker) languages(parts []string, i int) error {
	by, _, ok := strings.Cut(strings.TrimPrefix(parts[i+1], byLanguage), ";")
	if !ok {
		return fmt.Errorf("the note below the table of languages isn't one that is known")
	}
	best := map[string]analysis.Place{}
	for _, p := range r.places {
		if language := r.languageOf(p.Subject); best[language].Subject == "" && language != "" {
			best[language] = p
		}
	}
	bests := analysis.Among(r.places, func(p analysis.Place) bool { return best[r.languageOf(p.Subject)].Subject == p.Subject })
	lines := strings.Split(parts[i], "\n")
	head, was := fields(lines[0]), lines[2:]
	out := slices.Clone(lines[:2])
	for _, p := range bests {
		s := r.subject(p.Subject)
		name := strings.TrimSpace(strings.TrimPrefix(s.Name, s.Language+"/") + " " + s.Version)
		if s.Role != "" && s.Role != "production" {
			name += r.words.Text("languages.role", "role", s.Role)
		}
		row := []string{interval(p), r.languageOf(p.Subject), name + r.mark(p.Subject) + r.alike(p)}
		before := rowOf(was, name, s.Name+" "+s.Version)
		for at, title := range head[3:] {
			figure, ok := r.figure(p.Subject, title)
			if !ok && before != nil {
				figure = before[at+3]
			}
			row = append(row, figure)
		}
		out = append(out, "| "+strings.Join(row, " | ")+" |")
	}
	parts[i] = strings.Join(out, "\n")
	parts[i+1] = r.words.Text("languages.note", "metric", by) + r.warmingNote(bests)
	return nil
}

// rowOf are the fields of the row of languages that is of the framework given; nil if
// another one stood for its language. It may be called by either of two names.
func rowOf(lines []string, names ...string) []string {
	for _, line := range lines {
		row := fields(line)
		for _, name := range names {
			if row[2] == name || strings.HasPrefix(row[2], name+" (") {
				return row
			}
		}
	}
	return nil
}

// figure is one of the ranking's row by the title of its column, if it has that. What was
// built has its size among the metrics as well, there with the interval of a constant.
func (r *reranker) figure(subject, title string) (text string, ok bool) {
	want := title
	if title == "Size as built" {
		want = "Size on disk"
	}
	for at, has := range r.head {
		if has != want {
			continue
		}
		if text, _, ok := strings.Cut(r.rows[subject][at], " ("); ok && want != title {
			return text, true
		}
		return r.rows[subject][at], true
	}
	return "–", false
}

// alike names the frameworks of its language that the best can't be told apart from.
func (r *reranker) alike(best analysis.Place) string {
	var names []string
	for _, p := range r.places {
		if p.Subject != best.Subject && r.languageOf(p.Subject) == r.languageOf(best.Subject) && !slices.Contains(p.Behind, r.cellOf(best.Subject)) {
			names = append(names, p.Subject)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + r.words.Text("js.languages.alike", "subjects", strings.Join(names, r.words.Text("list.comma"))) + ")"
}

func (r *reranker) cellOf(subject string) int {
	return r.places[slices.IndexFunc(r.places, func(p analysis.Place) bool { return p.Subject == subject })].Cell
}

func (r *reranker) languageOf(subject string) string {
	s := r.subject(subject)
	if s.Language != "" && r.words.Own(subject) {
		return r.words.Text("languages.own", "language", s.Language)
	}
	return s.Language
}

func (r *reranker) subject(name string) archive.Subject {
	for _, s := range r.run.Subjects {
		if s.Name == name {
			return s
		}
	}
	return archive.Subject{Name: name}
}

// subjectOf is whose name and version stand in a field.
func (r *reranker) subjectOf(text string) string {
	for _, s := range r.run.Subjects {
		if text == strings.TrimSpace(s.Name+" "+s.Version) {
			return s.Name
		}
	}
	return text
}

func (r *reranker) mark(subject string) string {
	if r.warming[subject] == "" {
		return ""
	}
	return " †"
}

func (r *reranker) warmingNote(places []analysis.Place) string {
	var list []string
	for _, p := range places {
		if where := r.warming[p.Subject]; where != "" {
			list = append(list, p.Subject+" "+where)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " " + r.words.Text("ranking.note.warming", "mark", "†", "list", strings.Join(list, "; "))
}

var warmingLine = regexp.MustCompile(`(?m)^- \*\*[A-Z]+\*\* .*\(still-warming-up\): .* – (.*)$`)

// stillWarming are the subjects that a report's finding names, and where.
func stillWarming(report string) map[string]string {
	found := map[string]string{}
	for _, line := range warmingLine.FindAllStringSubmatch(report, -1) {
		for part := range strings.SplitSeq(line[1], "; ") {
			if name, where, ok := strings.Cut(part, " in block"); ok {
				found[name] = "in block" + where
			}
		}
	}
	return found
}

// metricTitled is the metric that a report calls so in English.
func metricTitled(title string) (name string, better stats.Better, ok bool) {
	known := map[string]string{"CPU per request": "cpu", "Memory (RSS)": "rss", "Collection CPU per request": "gc.cpu"}
	switch clock, quantile, cut := strings.Cut(title, " "); {
	case title == "Throughput":
		return "throughput", stats.Higher, true
	case known[title] != "":
		return known[title], stats.Lower, true
	case cut && clock == "Response":
		return "response." + quantile, stats.Lower, true
	}
	return "", "", false
}

// ranksOfBefore writes ranks as reports did: one more than the number of those surely
// better, in that order, then by the median.
func ranksOfBefore(places []analysis.Place) []string {
	list := slices.Clone(places)
	slices.SortStableFunc(list, func(a, b analysis.Place) int { return cmp.Compare(a.Rank, b.Rank) })
	var out []string
	for _, p := range list {
		label := strconv.Itoa(p.Rank)
		if slices.ContainsFunc(list, func(o analysis.Place) bool { return o.Rank == p.Rank && o.Subject != p.Subject }) {
			label += "="
		}
		out = append(out, label+" "+p.Subject)
	}
	return out
}

// interval writes a place's ranks.
func interval(p analysis.Place) string {
	if p.Last > p.Rank {
		return fmt.Sprintf("%d–%d", p.Rank, p.Last)
	}
	return strconv.Itoa(p.Rank)
}

// fields are the texts of a row of a table.
func fields(line string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
}
