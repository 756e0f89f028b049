package regression

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Text writes the result for a terminal so many columns wide (0: any) in a language, with
// ANSI colours if asked.
func (r *Result) Text(w io.Writer, t report.Texts, width int, colour bool) error {
	var b strings.Builder
	report.TerminalTable(&b, "", [][]string{
		{t.Text("compare.old"), report.TerminalText(t.Say(r.Old))}, {t.Text("compare.new"), report.TerminalText(t.Say(r.New))},
	}, width)
	if r.AcrossMachines {
		fmt.Fprintln(&b, t.Text("gate.across"))
	}
	for from := 0; from < len(r.Checks); {
		first := &r.Checks[from]
		table := [][]string{{"", t.Text("gate.fails.head"), t.Text("compare.old.head"), t.Text("compare.new.head"), t.Text("gate.finds.head"), ""}}
		for ; from < len(r.Checks) && r.Checks[from].of(first); from++ {
			c := &r.Checks[from]
			old, new := c.medians()
			table = append(table, []string{c.Decision.word(t), c.Threshold.String(), old, new, c.finds(), report.TerminalText(t.Say(c.Sentence))})
		}
		fmt.Fprintf(&b, "\n%s\n", report.TerminalText(t.Text("history.cell", "subject", first.Subject, "load", first.Group)))
		report.TerminalTable(&b, "  ", table, width)
	}
	report.TerminalList(&b, t, "compare.conditions", r.conditionTexts(), width)
	report.TerminalList(&b, t, "compare.mind", r.Remarks, width)
	b.WriteString("\n" + report.TerminalParagraph(r.Decision.painted(t, colour)+"  ", t.Say(r.summary()), width))
	_, err := io.WriteString(w, b.String())
	return err
}

// of reports whether two checks are of one subject and load.
func (c *Check) of(other *Check) bool { return c.Subject == other.Subject && c.Group == other.Group }

// keys of the decisions' texts.
var keys = map[Decision]string{OK: "ok", CannotTell: "unknown", Regression: "regression"}

// word is a decision as it stands in a column.
func (v Decision) word(t report.Texts) string { return t.Text("gate.word." + keys[v]) }

// name is a decision as it stands in a sentence.
func (v Decision) name(t report.Texts) string { return t.Text("gate.decision." + keys[v]) }

func (v Decision) painted(t report.Texts, colour bool) string {
	text := strings.ToUpper(v.name(t))
	code := map[Decision]string{OK: "32", CannotTell: "33", Regression: "31"}[v]
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
	percent, beyond := strings.CutPrefix(spelling.Percent(c.Finds, 2), ">")
	if beyond {
		sign = ">" + sign
	}
	return sign + percent + "%"
}

// summary says what the decision rests on.
func (r *Result) summary() i18n.Message {
	counts := make(map[Decision]int)
	for _, c := range r.Checks {
		counts[c.Decision]++
	}
	text := i18n.New("regression.checks-ok", "%d of %d checks ok", counts[OK], len(r.Checks))
	if n := counts[Regression]; n > 0 {
		text = i18n.Join(text, i18n.New("regression.worse-allowed", ", %d worse than allowed", n))
	}
	if n := counts[CannotTell]; n > 0 {
		text = i18n.Join(text, i18n.New("regression.undecided", ", %d undecided", n))
	}
	if len(r.Checks) == 0 {
		return text
	}
	given := i18n.New("regression.nothing-changed", "nothing had changed")
	if r.Days == 1 {
		given = i18n.Join(given, i18n.New("regression.day-included", ", the day included"))
	}
	return i18n.New("regression.alarm-rate", "%s; if %s, it would have alarmed in at most %s of runs", text, given, rate(r.FalseAlarm))
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

func (r *Result) conditionTexts() []i18n.Message {
	var texts []i18n.Message
	for _, c := range r.Conditions {
		texts = append(texts, c.Message())
	}
	return texts
}

// JSON writes the result as one JSON object.
func (r *Result) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}
