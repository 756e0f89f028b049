package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"dyno/lab/report"
	"dyno/lab/stats"
)

// Text writes the comparison for a terminal, with ANSI colours if asked.
func (c *Comparison) Text(w io.Writer, colour bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "old  %s\nnew  %s\n", c.Old.text(), c.New.text())
	if c.AcrossMachines {
		b.WriteString("\nACROSS MACHINES: the machines differ, so the ratios are not those of the programs alone\n")
	}
	group := ""
	var table *tabwriter.Writer
	for i := range c.Rows {
		r := &c.Rows[i]
		if table == nil || r.Group != group {
			if table != nil {
				table.Flush()
			}
			group = r.Group
			fmt.Fprintf(&b, "\n%s\n", report.TerminalText(group))
			table = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			fmt.Fprintf(table, "  SUBJECT\tOLD\tNEW\t%s\n", c.marked("NEW BY OLD"))
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", report.TerminalText(r.Subject), report.Quantity(r.Unit, r.Old.Estimate), report.Quantity(r.Unit, r.New.Estimate), r.paint(colour))
	}
	if table != nil {
		table.Flush()
	}
	report.TerminalList(&b, "What else was different", c.conditionTexts())
	report.TerminalList(&b, "Not compared", c.Unmatched)
	report.TerminalList(&b, "Mind", c.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Side) text() string {
	return fmt.Sprintf("%s  (%s, %s, %s)", s.Run, report.TerminalText(s.Study), s.Started.Local().Format(time.DateTime), s.Validity)
}

// marked adds to a heading that the machines differ.
func (c *Comparison) marked(heading string) string {
	if c.AcrossMachines {
		return heading + " (ACROSS MACHINES)"
	}
	return heading
}

func (c *Comparison) conditionTexts() []string {
	var texts []string
	for _, d := range c.Conditions {
		texts = append(texts, d.String())
	}
	return texts
}

// Worse reports whether the metric is certainly worse in the new run.
func (r *Row) Worse() bool {
	return r.Verdict == stats.IsHigher && r.Better == "lower" || r.Verdict == stats.IsLower && r.Better == "higher"
}

func (r *Row) paint(colour bool) string {
	const red, green = "31", "32"
	code := ""
	switch {
	case r.Worse():
		code = red
	case r.Verdict == stats.IsHigher || r.Verdict == stats.IsLower:
		code = green
	}
	if !colour || code == "" {
		return r.Sentence
	}
	return "\x1b[" + code + "m" + r.Sentence + "\x1b[0m"
}

// JSON writes the comparison as one JSON object.
func (c *Comparison) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(c)
}
