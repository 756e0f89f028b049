package history

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"dyno/lab/report"
)

// Text writes the history for a terminal so many columns wide.
func (h *History) Text(w io.Writer, width int) error {
	var b strings.Builder
	first, last := h.Runs[0].Started, h.Runs[len(h.Runs)-1].Started
	fmt.Fprintf(&b, "%s: %s, %s to %s\n", report.TerminalText(h.Study), runCount(len(h.Runs)), first.Local().Format(time.DateOnly), last.Local().Format(time.DateOnly))
	if h.AcrossMachines {
		b.WriteString("ACROSS MACHINES: not all runs are of the same machine\n")
	}
	heading := ""
	for i := range h.Series {
		s := &h.Series[i]
		if next := s.Subject + " under " + s.Group; next != heading {
			heading = next
			fmt.Fprintf(&b, "\n%s\n", report.TerminalText(heading))
		}
		value := report.Quantity(s.Unit, s.Points[len(s.Points)-1].Value.Estimate)
		fmt.Fprintf(&b, "  %-15s %s  %s\n", s.Metric, s.Sparkline(max(width-34, 10)), value)
		for _, c := range s.Changes {
			fmt.Fprintf(&b, "    %s %s\n", arrow(&c), report.TerminalText(c.Sentence))
		}
	}
	if bad := h.FirstBad(); len(bad) > 0 {
		fmt.Fprintf(&b, "\nfirst bad run  %s\n", strings.Join(bad, ", "))
	} else {
		b.WriteString("\nno change for the worse was found\n")
	}
	report.TerminalList(&b, "Left out", h.leftTexts())
	report.TerminalList(&b, "Mind", h.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func runCount(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func arrow(c *Change) string {
	if c.Worse {
		return "✗"
	}
	return "✓"
}

func (h *History) leftTexts() []string {
	var texts []string
	for _, l := range h.Left {
		texts = append(texts, l.Run+": "+l.Why)
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

// Markdown writes the history in GitHub's flavour of Markdown.
func (h *History) Markdown(w io.Writer) error {
	text := report.MarkdownText
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n", text(h.Study), runCount(len(h.Runs)))
	if h.AcrossMachines {
		b.WriteString("**Across machines:** not all runs are of the same machine.\n\n")
	}
	if bad := h.FirstBad(); len(bad) > 0 {
		fmt.Fprintf(&b, "**First bad run:** %s\n\n", text(strings.Join(bad, ", ")))
	} else {
		b.WriteString("No change for the worse was found.\n\n")
	}
	b.WriteString("| subject | load | metric | runs | oldest to newest | newest | changes |\n|:--|:--|:--|--:|:--|--:|:--|\n")
	const most = 60 // bars
	for i := range h.Series {
		s := &h.Series[i]
		var changes []string
		for _, c := range s.Changes {
			changes = append(changes, text(c.Sentence))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s |\n", text(s.Subject), text(s.Group), text(s.Metric), len(s.Points),
			s.Sparkline(most), report.Quantity(s.Unit, s.Points[len(s.Points)-1].Value.Estimate), strings.Join(changes, "<br>"))
	}
	report.MarkdownList(&b, "Left out", h.leftTexts())
	report.MarkdownList(&b, "Mind", h.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}
