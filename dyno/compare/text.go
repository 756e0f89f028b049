package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"dyno.example/dyno/report"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Text writes the comparison for a terminal so many columns wide (0: any) in a language, with
// ANSI colours if asked.
func (c *Comparison) Text(w io.Writer, t report.Texts, width int, colour bool) error {
	var b strings.Builder
	report.TerminalTable(&b, "", [][]string{{t.Text("compare.old"), c.Old.text(t)}, {t.Text("compare.new"), c.New.text(t)}}, width)
	if c.AcrossMachines {
		fmt.Fprintf(&b, "\n%s\n", t.Text("compare.across"))
	}
	for from := 0; from < len(c.Rows); {
		group := c.Rows[from].Group
		table := [][]string{{t.Text("compare.subject"), t.Text("compare.old.head"), t.Text("compare.new.head"), c.marked(t, "compare.ratio.head")}}
		for ; from < len(c.Rows) && c.Rows[from].Group == group; from++ {
			r := &c.Rows[from]
			table = append(table, []string{report.TerminalText(r.Subject), report.Quantity(r.Unit, r.Old.Estimate), report.Quantity(r.Unit, r.New.Estimate), r.paint(t, colour)})
		}
		fmt.Fprintf(&b, "\n%s\n", report.TerminalText(group))
		report.TerminalTable(&b, "  ", table, width)
	}
	c.functionsText(&b, t, width)
	report.TerminalList(&b, t, "compare.conditions", c.conditionTexts(), width)
	report.TerminalList(&b, t, "compare.unmatched", c.Unmatched, width)
	report.TerminalList(&b, t, "compare.mind", c.Notes, width)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Side) text(t report.Texts) string {
	return fmt.Sprintf("%s  (%s, %s, %s)", s.Run, report.TerminalText(s.Study), s.Started.Local().Format(time.DateTime), t.Text("validity."+string(s.Validity)))
}

// marked adds to a heading that the machines differ.
func (c *Comparison) marked(t report.Texts, heading string) string {
	if c.AcrossMachines {
		return t.Text("compare.marked", "heading", t.Text(heading))
	}
	return t.Text(heading)
}

func (c *Comparison) conditionTexts() []i18n.Message {
	var texts []i18n.Message
	for _, d := range c.Conditions {
		texts = append(texts, d.Message())
	}
	return texts
}

// Worse reports whether the metric is certainly worse in the new run.
func (r *Row) Worse() bool {
	return r.Outcome == stats.IsHigher && r.Better == "lower" || r.Outcome == stats.IsLower && r.Better == "higher"
}

func (r *Row) paint(t report.Texts, colour bool) string {
	const red, green = "31", "32"
	code := ""
	switch {
	case r.Worse():
		code = red
	case r.Outcome == stats.IsHigher || r.Outcome == stats.IsLower:
		code = green
	}
	if !colour || code == "" {
		return t.Say(r.Sentence)
	}
	return "\x1b[" + code + "m" + t.Say(r.Sentence) + "\x1b[0m"
}

// JSON writes the comparison as one JSON object.
func (c *Comparison) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(c)
}
