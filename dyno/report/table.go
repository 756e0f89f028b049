package report

import (
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/present"
)

// defaultWidth is the width that Table assumes when it is given none.
const defaultWidth = 80

// Table writes the rankings for a terminal that is width characters wide (80 if
// not positive), dropping the less important columns where they don't fit, with
// ANSI colours if color is set. Below each ranking stands its answer, then the
// Sobol indices of a design that has them, the run's validity, and last the
// verdicts on its claims. It is in the language given ("en" if empty; see [Languages]).
func Table(w io.Writer, a *analysis.Analysis, lang string, width int, color bool) error {
	c, err := openLanguage(lang)
	if err != nil {
		return err
	}
	if width <= 0 {
		width = defaultWidth
	}
	p := painter{on: color}
	var out strings.Builder
	for i, h := range answers(a, c) {
		if i < len(a.Groups) {
			r := rank(a, &a.Groups[i], c)
			out.WriteString(terminalRanking(r, c, width, p))
			if r.By != "" {
				out.WriteString(terminalLanguages(newRanks(a, &a.Groups[i], r.By, c), c, width, p, i == 0))
			}
			out.WriteString(terminalServices(newServiceTable(r, c), c, width, p))
			out.WriteString(terminalUnusable(newUnusableTable(a, &a.Groups[i], c), c, width, p))
		}
		out.WriteString(present.Wrap(printable(c.paragraph(h.Sentences)), width) + "\n\n")
	}
	if variance := terminalSensitivity(a, c, width, p); variance != "" {
		out.WriteString(variance + "\n")
	}
	out.WriteString(terminalValidity(a, c, width, p))
	if claims := terminalClaims(a, c, width, p); claims != "" {
		out.WriteString("\n" + claims)
	}
	if _, err := io.WriteString(w, plainSpaces(out.String())); err != nil {
		return fmt.Errorf("report: writing the table: %w", err)
	}
	return nil
}

// painter colours text with ANSI escapes, or leaves it.
type painter struct{ on bool }

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

func (p painter) paint(code, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func terminalRanking(r ranking, c language, width int, p painter) string {
	title := p.paint(bold, present.Clip(printable(r.Title), width)) + "\n"
	if len(r.Columns) == 0 {
		return title + present.Wrap(c.text("ranking.empty"), width) + "\n"
	}
	g := newGrid(r, c)
	g.fit(width)
	out := title + "\n" + g.String(p) + "\n"
	for _, note := range []string{warmingNote(r.warmed(), c), slicesNote(r.Group, c), twinNote(r, c)} {
		if note != "" {
			out += present.Wrap(printable(note), width) + "\n\n"
		}
	}
	return out
}

func terminalValidity(a *analysis.Analysis, c language, width int, p painter) string {
	b := newBadge(a, c)
	code := map[string]string{string(finding.Valid): green, string(finding.Suspect): yellow, string(finding.Invalid): red, accepted: blue}[b.Level]
	out := p.paint(code, b.Text()) + "  " + present.Wrap(b.Detail, max(width-present.Width(b.Text())-2, 1)) + "\n"
	for _, f := range explainFindings(a, c) {
		title := f.Title
		if f.Level == accepted {
			title += " (" + f.Word + ")"
		}
		line := title + c.text("list.colon") + f.Detail
		if f.Where != "" {
			line += " (" + f.Where + ")"
		}
		out += TerminalParagraph("- ", TerminalText(line), width)
	}
	if n := len(leftOut(a, c)); n > 0 {
		out += present.Wrap(c.text("table.left", "trials", c.count("trials", n)), width) + "\n"
	}
	if why := ending(a, c); why != "" {
		out += present.Wrap(printable(why), width) + "\n"
	}
	return out
}
