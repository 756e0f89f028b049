package history

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// Text writes the history for a terminal so many columns wide, in a language.
func (h *History) Text(w io.Writer, t report.Texts, width int) error {
	var b strings.Builder
	first, last := h.Runs[0].Started, h.Runs[len(h.Runs)-1].Started
	fmt.Fprintln(&b, t.Text("history.title", "study", report.TerminalText(h.Study), "runs", runCount(t, len(h.Runs)), "first", first.Local().Format(time.DateOnly), "last", last.Local().Format(time.DateOnly)))
	if h.AcrossMachines {
		fmt.Fprintln(&b, t.Text("history.across"))
	}
	heading := ""
	for i := range h.Series {
		s := &h.Series[i]
		if next := t.Text("history.cell", "subject", s.Subject, "load", s.Group); next != heading {
			heading = next
			fmt.Fprintf(&b, "\n%s\n", report.TerminalText(heading))
		}
		value := report.Quantity(s.Unit, s.Points[len(s.Points)-1].Value.Estimate)
		fmt.Fprintf(&b, "  %-15s %s  %s\n", s.Metric, s.Sparkline(max(width-34, 10)), value)
		for _, c := range s.Changes {
			fmt.Fprintf(&b, "    %s %s\n", arrow(&c), report.TerminalText(t.Say(c.Sentence)))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", h.conclusion(t))
	report.TerminalList(&b, t, "history.left", h.leftTexts(), width)
	report.TerminalList(&b, t, "compare.mind", h.Notes, width)
	_, err := io.WriteString(w, b.String())
	return err
}

func runCount(t report.Texts, n int) string { return t.Count("history.runs", uint64(n)) }

// conclusion names the first bad run.
func (h *History) conclusion(t report.Texts) string {
	if bad := h.FirstBad(); len(bad) > 0 {
		return t.Text("history.bad", "runs", t.Say(i18n.Names(bad...)))
	}
	return t.Text("history.none")
}

func arrow(c *Change) string {
	if c.Worse {
		return "✗"
	}
	return "✓"
}

func (h *History) leftTexts() []i18n.Message {
	var texts []i18n.Message
	for _, l := range h.Left {
		texts = append(texts, i18n.Join(l.Run, ": ", l.Why))
	}
	return texts
}

// bars are the heights of a sparkline.
var bars = []rune("▁▂▃▄▅▆▇█")

// Sparkline draws the last values as one bar each, from the lowest to the
// highest of them, with a line before each change.
func (s *Series) Sparkline(width int) string {
	from := max(0, len(s.Points)-width)
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range s.Points[from:] {
		low, high = min(low, p.Value.Estimate), max(high, p.Value.Estimate)
	}
	var b strings.Builder
	for i, p := range s.Points[from:] {
		if slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Point == from+i }) {
			b.WriteRune('│')
		}
		step := 0
		if high > low {
			step = int((p.Value.Estimate - low) / (high - low) * float64(len(bars)-1))
		}
		b.WriteRune(bars[step])
	}
	return b.String()
}

// JSON writes the history as one JSON object.
func (h *History) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(h)
}

// Markdown writes the history in GitHub's flavour of Markdown, in a language.
func (h *History) Markdown(w io.Writer, t report.Texts) error {
	text := report.MarkdownText
	var b strings.Builder
	fmt.Fprintf(&b, "## %s%s%s\n\n", text(h.Study), t.Text("list.colon"), runCount(t, len(h.Runs)))
	if h.AcrossMachines {
		fmt.Fprintf(&b, "**%s**\n\n", t.Text("history.across"))
	}
	fmt.Fprintf(&b, "**%s**\n\n", text(h.conclusion(t)))
	fmt.Fprintf(&b, "%s\n|:--|:--|:--|--:|:--|--:|:--|\n", t.Text("history.head"))
	const most = 60 // bars
	for i := range h.Series {
		s := &h.Series[i]
		var changes []string
		for _, c := range s.Changes {
			changes = append(changes, text(t.Say(c.Sentence)))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s |\n", text(s.Subject), text(s.Group), text(s.Metric), len(s.Points),
			s.Sparkline(most), report.Quantity(s.Unit, s.Points[len(s.Points)-1].Value.Estimate), strings.Join(changes, "<br>"))
	}
	report.MarkdownList(&b, t, "history.left", h.leftTexts())
	report.MarkdownList(&b, t, "compare.mind", h.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}
