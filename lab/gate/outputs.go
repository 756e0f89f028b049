package gate

import (
	"fmt"
	"io"
	"strings"

	"dyno/internal/shell"
	"dyno/lab/export"
	"dyno/lab/report"
)

// Markdown writes the result as a comment on a pull request, or a job's summary:
// the verdict first, what is worse next, the rest to fold out.
func (r *Result) Markdown(w io.Writer) error {
	text := report.MarkdownText
	var b strings.Builder
	fmt.Fprintf(&b, "### dyno gate: %s\n\n%s and %s, study %s. %s.\n\n", r.Verdict.sign(), text(r.Old), text(r.New), text(r.Study), text(r.summary()))
	if r.AcrossMachines {
		b.WriteString("**Across machines:** the baseline is of another machine.\n\n")
	}
	for _, c := range r.Checks {
		if c.Verdict != OK {
			fmt.Fprintf(&b, "- **%s** %s under %s: %s\n", c.Verdict, text(c.Subject), text(c.Group), text(c.Sentence))
		}
	}
	b.WriteString("\n<details><summary>All checks</summary>\n\n| | subject | load | fails if | old | new | change | would find |\n|:--|:--|:--|:--|--:|--:|:--|--:|\n")
	for i := range r.Checks {
		c := &r.Checks[i]
		old, new := c.medians()
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", c.Verdict.word(), text(c.Subject), text(c.Group), text(c.Threshold.String()), old, new, text(c.Sentence), c.finds())
	}
	b.WriteString("\n\"Would find\" is the smallest worsening at which the check alarms in nine of ten cases.\n")
	report.MarkdownList(&b, "What else was different", r.conditionTexts())
	report.MarkdownList(&b, "Mind", r.Remarks)
	if len(r.Command) > 0 {
		fmt.Fprintf(&b, "\nRuns: %s. Repeat it with `%s`\n", text(strings.Join(r.Runs, ", ")), strings.ReplaceAll(shell.Join(r.Command), "`", "'"))
	}
	b.WriteString("\n</details>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// sign is a verdict as a heading.
func (v Verdict) sign() string {
	if v == Regression {
		return "**regression**"
	}
	return string(v)
}

// Suite is the result as a CI system sees it: a case for each check.
func (r *Result) Suite() *export.Suite {
	s := &export.Suite{
		Tool: "dyno gate", Name: r.Study, Started: r.Started, Took: r.Took,
		Properties: [][2]string{
			{"old", r.Old}, {"new", r.New}, {"mode", string(r.Mode)}, {"runs", strings.Join(r.Runs, " ")},
			{"level", fmt.Sprintf("%.4g", r.Level)}, {"false alarms at most", rate(r.FalseAlarm)},
		},
	}
	for _, remark := range r.Remarks {
		s.Properties = append(s.Properties, [2]string{"mind", remark})
	}
	results := map[Verdict]export.CheckResult{OK: export.Passed, Regression: export.Failed, CannotTell: export.Unknown}
	for _, c := range r.Checks {
		s.Checks = append(s.Checks, export.Check{
			Name: fmt.Sprintf("%s under %s: %s", c.Subject, c.Group, c.Threshold), Result: results[c.Verdict],
			Message: fmt.Sprintf("%s (would find %s)", c.Sentence, c.finds()),
		})
	}
	return s
}
