package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"dyno/internal/spelling"
	"dyno/lab/report"
)

// Text writes the result for a terminal, with ANSI colours if asked.
func (r *Result) Text(w io.Writer, colour bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "old  %s\nnew  %s\n", report.TerminalText(r.Old), report.TerminalText(r.New))
	if r.AcrossMachines {
		b.WriteString("ACROSS MACHINES: the baseline is of another machine\n")
	}
	group := ""
	var table *tabwriter.Writer
	for i := range r.Checks {
		c := &r.Checks[i]
		if heading := c.Subject + " under " + c.Group; table == nil || heading != group {
			if table != nil {
				table.Flush()
			}
			group = heading
			fmt.Fprintf(&b, "\n%s\n", report.TerminalText(heading))
			table = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "  \tFAILS IF\tOLD\tNEW\tWOULD FIND\t")
		}
		old, new := c.medians()
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", c.Verdict.word(), c.Threshold, old, new, c.finds(), report.TerminalText(c.Sentence))
	}
	if table != nil {
		table.Flush()
	}
	report.TerminalList(&b, "What else was different", r.conditionTexts())
	report.TerminalList(&b, "Mind", r.Remarks)
	fmt.Fprintf(&b, "\n%s  %s\n", r.Verdict.painted(colour), r.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// word is a verdict as it stands in a column.
func (v Verdict) word() string {
	if v == Regression {
		return "FAIL"
	}
	return string(v)
}

func (v Verdict) painted(colour bool) string {
	text := strings.ToUpper(string(v))
	code := map[Verdict]string{OK: "32", CannotTell: "33", Regression: "31"}[v]
	if !colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// medians writes both figures, or dashes.
func (c *Check) medians() (old, new string) {
	if c.Old.N == 0 || c.New.N == 0 {
		return "–", "–"
	}
	return report.Quantity(c.Unit, c.Old.Estimate), report.Quantity(c.Unit, c.New.Estimate)
}

// finds writes the smallest worsening that this check finds.
func (c *Check) finds() string {
	if c.Finds == 0 {
		return "–"
	}
	sign := "+"
	if !c.Threshold.Rises() {
		sign = "-"
	}
	return sign + spelling.Percent(c.Finds, 2) + "%"
}

// summary says what the verdict rests on.
func (r *Result) summary() string {
	counts := make(map[Verdict]int)
	for _, c := range r.Checks {
		counts[c.Verdict]++
	}
	text := fmt.Sprintf("%d of %d checks ok", counts[OK], len(r.Checks))
	if n := counts[Regression]; n > 0 {
		text += fmt.Sprintf(", %d worse than allowed", n)
	}
	if n := counts[CannotTell]; n > 0 {
		text += fmt.Sprintf(", %d undecided", n)
	}
	if len(r.Checks) == 0 {
		return text
	}
	given := "nothing had changed"
	if r.Days == 1 {
		given += ", the day included"
	}
	return fmt.Sprintf("%s; if %s, it would have alarmed in at most %s of runs", text, given, rate(r.FalseAlarm))
}

// rate writes a probability as a percentage with two digits.
func rate(p float64) string {
	percent := 100 * p
	if percent == 0 {
		return "0 %"
	}
	digits := max(0, 1-int(math.Floor(math.Log10(percent))))
	return fmt.Sprintf("%.*f %%", digits, percent)
}

func (r *Result) conditionTexts() []string {
	var texts []string
	for _, c := range r.Conditions {
		texts = append(texts, c.String())
	}
	return texts
}

// JSON writes the result as one JSON object.
func (r *Result) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}
