package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dyno.example/dyno/report"
)

// Markdown writes the comparison in GitHub's flavour of Markdown, in a language.
func (c *Comparison) Markdown(w io.Writer, t report.Texts) error {
	var b strings.Builder
	text := report.MarkdownText
	fmt.Fprintf(&b, "## %s%s%s\n\n", text(c.Old.Run), t.Text("list.and"), text(c.New.Run))
	if c.AcrossMachines {
		fmt.Fprintf(&b, "**%s**\n\n", t.Text("compare.across"))
	}
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n|:--|:--|--:|--:|:--|\n", t.Text("compare.load"), t.Text("compare.subject.cell"), t.Text("compare.old"), t.Text("compare.new"), c.marked(t, "compare.ratio"))
	for i := range c.Rows {
		r := &c.Rows[i]
		sentence := text(t.Say(r.Sentence))
		if r.Worse() {
			sentence = "**" + sentence + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", text(r.Group), text(r.Subject), report.Quantity(r.Unit, r.Old.Estimate), report.Quantity(r.Unit, r.New.Estimate), sentence)
	}
	c.functionsMarkdown(&b, t)
	report.MarkdownList(&b, t, "compare.conditions", c.conditionTexts())
	report.MarkdownList(&b, t, "compare.unmatched", c.Unmatched)
	report.MarkdownList(&b, t, "compare.mind", c.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

// CSV writes one row for each metric of each cell. Figures have full precision;
// low and high belong to the ratio. Lines end in \n.
func (c *Comparison) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"old_run", "new_run", "across_machines", "load", "subject", "metric", "unit", "old", "new",
		"ratio", "low", "high", "level", "p", "p_adjusted", "verdict",
	}}
	for i := range c.Rows {
		r := &c.Rows[i]
		row := []string{c.Old.Run, c.New.Run, strconv.FormatBool(c.AcrossMachines), r.Group, r.Subject, r.Metric, r.Unit}
		for _, x := range []float64{r.Old.Estimate, r.New.Estimate, r.Ratio.Estimate, r.Ratio.Low, r.Ratio.High, r.Ratio.Level, r.P, r.Adjusted} {
			row = append(row, strconv.FormatFloat(x, 'g', -1, 64))
		}
		rows = append(rows, append(row, string(r.Outcome)))
	}
	return out.WriteAll(rows)
}
