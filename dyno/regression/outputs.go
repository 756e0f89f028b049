package regression

import (
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/export"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// Markdown writes the result as a comment on a pull request, or a job's summary, in a
// language: the decision first, what is worse next, the rest to fold out.
func (r *Result) Markdown(w io.Writer, t report.Texts) error {
	text := report.MarkdownText
	var b strings.Builder
	fmt.Fprintf(&b, "### dyno gate%s%s\n\n%s\n\n", t.Text("list.colon"), r.Decision.sign(t),
		t.Text("gate.between", "old", text(t.Say(r.Old)), "new", text(t.Say(r.New)), "study", text(r.Study), "summary", text(t.Say(r.summary()))))
	if r.AcrossMachines {
		fmt.Fprintf(&b, "**%s**\n\n", t.Text("gate.across"))
	}
	for _, c := range r.Checks {
		if c.Decision != OK {
			fmt.Fprintf(&b, "- **%s** %s%s%s\n", c.Decision.name(t), text(t.Text("history.cell", "subject", c.Subject, "load", c.Group)), t.Text("list.colon"), text(t.Say(c.Sentence)))
		}
	}
	fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n|:--|:--|:--|:--|--:|--:|:--|--:|\n", t.Text("gate.all"), t.Text("gate.head"))
	for i := range r.Checks {
		c := &r.Checks[i]
		old, new := c.medians()
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", c.Decision.word(t), text(c.Subject), text(c.Group), text(c.Threshold.String()), old, new, text(t.Say(c.Sentence)), c.finds())
	}
	fmt.Fprintf(&b, "\n%s\n", t.Text("gate.finds"))
	report.MarkdownList(&b, t, "compare.conditions", r.conditionTexts())
	report.MarkdownList(&b, t, "compare.mind", r.Remarks)
	if len(r.Command) > 0 {
		fmt.Fprintf(&b, "\n%s\n", t.Text("gate.repeat", "runs", text(t.Say(i18n.Names(r.Runs...))), "command", strings.ReplaceAll(shell.Join(r.Command), "`", "'")))
	}
	b.WriteString("\n</details>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// sign is a decision as a heading.
func (v Decision) sign(t report.Texts) string {
	if v == Regression {
		return "**" + v.name(t) + "**"
	}
	return v.name(t)
}

// Suite is the result as a CI system sees it: a case for each check.
func (r *Result) Suite() *export.Suite {
	s := &export.Suite{
		Tool: "dyno gate", Name: r.Study, Started: r.Started, Took: r.Took,
		Properties: [][2]string{
			{"old", r.Old.String()}, {"new", r.New.String()}, {"mode", string(r.Mode)}, {"runs", strings.Join(r.Runs, " ")},
			{"level", fmt.Sprintf("%.4g", r.Level)}, {"false alarms at most", rate(r.FalseAlarm)},
		},
	}
	for _, remark := range r.Remarks {
		s.Properties = append(s.Properties, [2]string{"mind", remark.String()})
	}
	results := map[Decision]export.CheckResult{OK: export.Passed, Regression: export.Failed, CannotTell: export.Unknown}
	for _, c := range r.Checks {
		s.Checks = append(s.Checks, export.Check{
			Name: fmt.Sprintf("%s under %s: %s", c.Subject, c.Group, c.Threshold), Result: results[c.Decision],
			Message: i18n.New("regression.would-find", "%s (would find %s)", c.Sentence, c.finds()),
		})
	}
	return s
}
