package report

import (
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/internal/shell"
)

// Markdown writes the report's answer, rankings, quantiles, findings and command in
// GitHub's flavour of Markdown, in the language given ("en" if empty; see [Languages]).
func Markdown(w io.Writer, a *analysis.Analysis, lang string) error {
	c, err := openLanguage(lang)
	if err != nil {
		return err
	}
	m := markdown{language: c, a: a}
	m.headline()
	m.claims()
	for i := range a.Groups {
		r := rank(a, &a.Groups[i], c)
		m.ranking(r)
		if r.By != "" {
			m.ranks(newRanks(a, &a.Groups[i], r.By, c), "###", false)
		}
		m.services(newServiceTable(r, c))
		m.unusable(newUnusableTable(a, &a.Groups[i], c))
		m.curves(newCurveTable(a, r, c))
	}
	for _, t := range sensitivityTables(a, c) {
		m.sensitivity(t)
	}
	m.validity()
	m.method()
	if _, err := io.WriteString(w, plainSpaces(m.out.String())); err != nil {
		return fmt.Errorf("report: writing Markdown: %w", err)
	}
	return nil
}

// plainSpaces turns the spaces that don't break into ordinary ones, which
// terminals and text tools handle better.
func plainSpaces(s string) string { return strings.ReplaceAll(s, gap, " ") }

type markdown struct {
	language
	a   *analysis.Analysis
	out strings.Builder
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

// table writes a table. Its first columns are aligned as given, l to the left and r to the
// right, and those after them, which are figures, to the right. The texts are Markdown.
func (m *markdown) table(first string, heads []string, rows [][]string) {
	rule := "|"
	for i := range heads {
		if i < len(first) && first[i] == 'l' {
			rule += ":--|"
		} else {
			rule += "--:|"
		}
	}
	m.line("%s\n%s", tableRow(heads), rule)
	for _, texts := range rows {
		m.line("%s", tableRow(texts))
	}
}

func tableRow(texts []string) string { return "| " + strings.Join(texts, " | ") + " |" }

func (m *markdown) headline() {
	run := &m.a.Run
	m.line("# %s\n", escape(words(run.Question, run.Study, m.text("title"))))
	for _, h := range answers(m.a, m.language) {
		if h.Group != "" {
			m.line("**%s%s** %s\n", escape(h.Group), strings.TrimSpace(m.text("list.colon")), escape(m.paragraph(h.Sentences)))
			continue
		}
		m.line("%s\n", escape(m.paragraph(h.Sentences)))
	}
	b := newBadge(m.a, m.language)
	m.line("**%s** · %s\n", b.Text(), escape(b.Detail))
	if why := ending(m.a, m.language); why != "" {
		m.line("> %s\n", escape(why))
	}
	var parts []string
	for _, f := range keyFacts(m.a, m.language) {
		parts = append(parts, escape(f.Name)+m.text("list.colon")+escape(f.Value))
	}
	m.line("%s\n", strings.Join(parts, " · "))
}

func (m *markdown) ranking(r ranking) {
	m.line("## %s\n", escape(r.Title))
	if len(r.Columns) == 0 {
		m.line("%s\n", m.text("ranking.empty"))
		return
	}
	heads := []string{"#", m.text("ranking.subject")}
	for _, col := range r.Columns {
		heads = append(heads, escape(strings.TrimSpace(col.Title+" "+col.Noise)))
	}
	var rows [][]string
	for _, row := range r.Rows {
		rows = append(rows, m.row(row))
	}
	m.table("rl", append(heads, m.text("ranking.worst")), rows)
	m.line("\n%s\n", escape(rankingNote(r, m.language, false)))
}

func (m *markdown) row(r row) []string {
	texts := []string{r.Rank, escape(strings.TrimSpace(r.Subject.Name+" "+r.Subject.Version)) + r.Warming.Mark()}
	for _, f := range r.Figures {
		texts = append(texts, f.text())
	}
	worst := "–"
	if r.Worst != nil {
		worst = quantity("µs", r.Worst.Micros) + ", " + m.text("ranking.worst.where", "block", r.Worst.Block, "second", r.Worst.Second)
	}
	return append(texts, worst)
}

// text is the figure with its interval on one line.
func (f figure) text() string {
	if f.Missing {
		return "–"
	}
	if f.Range() == "" {
		return f.Estimate
	}
	return f.Estimate + " (" + f.Range() + ")"
}

func (m *markdown) validity() {
	m.line("## %s\n", m.text("validity.title"))
	findings := explainFindings(m.a, m.language)
	if len(findings) == 0 {
		m.line("%s\n", m.text("validity.none"))
	}
	for _, f := range findings {
		m.line("- **%s** %s (%s)%s%s%s", f.Word, escape(f.Title), escape(f.Name), m.text("list.colon"), escape(f.Detail), suffix(f.Where))
	}
	list := leftOut(m.a, m.language)
	if len(list) > 0 {
		m.line("\n### %s\n", m.text("left.title"))
	}
	for _, l := range list {
		m.line("- %s %d, %s, %s %d: %s", m.text("left.trial"), l.Trial, escape(l.Subject), strings.ToLower(m.text("left.block")), l.Block, escape(l.Why))
	}
	if len(findings)+len(list) > 0 {
		m.line("")
	}
}

// suffix is a place after a dash, or nothing.
func suffix(where string) string {
	if where == "" {
		return ""
	}
	return " – " + escape(where)
}

func (m *markdown) method() {
	m.line("## %s\n", m.text("method.title"))
	for _, list := range [][]fact{methodFacts(m.a, m.language), machineFacts(m.a.Run.Machine, m.language)} {
		for _, f := range list {
			m.line("- %s%s%s", escape(f.Name), m.text("list.colon"), escape(f.Value))
		}
	}
	for _, remark := range m.a.Run.Machine.Remarks {
		m.line("- %s%s%s", m.text("machine.remarks"), m.text("list.colon"), escape(remark.String()))
	}
	if len(m.a.Run.Command) > 0 {
		m.line("\n%s\n\n%s", m.text("method.repeat.lead"), fenced(shell.Join(m.a.Run.Command)))
	}
}

// fenced writes a code block whose fence is longer than any in the code.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "sh\n" + code + "\n" + fence
}

// special are the characters Markdown or HTML may read something into.
var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "\n", " ", "\r", " ",
)

// escape makes user-given text show as it is.
func escape(s string) string { return special.Replace(s) }
