package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dyno/lab/archive"
	"dyno/lab/finding"
	"dyno/lab/present"
	"dyno/lab/runner"
)

// Observer shows a run as it goes on.
type Observer interface {
	Event(runner.Event)
	Close()
}

// Silent shows nothing.
type Silent struct{}

func (Silent) Event(runner.Event) {}

func (Silent) Close() {}

// jsonLines prints every event as one line of JSON.
type jsonLines struct{ enc *json.Encoder }

func (j jsonLines) Event(e runner.Event) { j.enc.Encode(e) }

func (j jsonLines) Close() {}

// NewJSONLines prints every event to w as one line of JSON.
func NewJSONLines(w io.Writer) Observer { return jsonLines{json.NewEncoder(w)} }

// plainLines prints a line for what a reader of a log wants to know.
type plainLines struct{ w io.Writer }

// NewLines prints to w what a reader of a log wants to know.
func NewLines(w io.Writer) Observer { return &plainLines{w} }

func (p *plainLines) Close() {}

func (p *plainLines) Event(e runner.Event) {
	switch e.Kind {
	case runner.Busy:
		fmt.Fprintln(p.w, e.Line)
	case runner.Building:
		fmt.Fprintf(p.w, "build %s\n", e.Subject)
	case runner.BuildLine:
		fmt.Fprintf(p.w, "  %s\n", e.Line)
	case runner.Checked:
		fmt.Fprintf(p.w, "check %s: answers as it should\n", e.Subject)
	case runner.Begun:
		fmt.Fprintf(p.w, "run %s\n", e.Run)
	case runner.TrialFinished:
		fmt.Fprintf(p.w, "%*d/%d  %4s left  block %d  %-16s %-10s %s\n", digits(e.Total), e.Done, e.Total, present.Roughly(e.Remaining), e.Trial.Block+1, e.Cell.Subject, e.Cell.Load, outcomeText(e.Outcome))
	case runner.Repeating:
		fmt.Fprintf(p.w, "  %s is invalid (%s): it is repeated as trial %d, at the end of block %d\n", e.Cell.Subject, why(e.Outcome), e.Trial.Index+1, e.Trial.Block+1)
	case runner.Assessed:
		for _, line := range progressLines(&e) {
			fmt.Fprintf(p.w, "  %s\n", line)
		}
	}
}

// why is what made a trial invalid, in a few words.
func why(t *archive.Trial) string {
	if t.Status != archive.Complete {
		return string(t.Status)
	}
	return reasons(t)
}

// progressLines say how far a run that goes on block by block is, and why it ends
// if it does.
func progressLines(e *runner.Event) []string {
	var lines []string
	for _, g := range e.Progress.Goals {
		state := "open"
		switch {
		case g.Done:
			state = "done"
		case g.Blocks > 0:
			state = fmt.Sprintf("about %d more blocks", g.Blocks)
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", g.Name, g.Text, state))
	}
	switch e.Line {
	case runner.EndDecided:
		lines = append(lines, "ends here: nothing is left to decide")
	case runner.EndTime:
		lines = append(lines, "ends here: another block would take longer than there is time for")
	case runner.EndBlocks:
		lines = append(lines, "ends here: it has all its blocks")
	}
	return lines
}

func digits(n int) int { return len(fmt.Sprint(n)) }

// outcomeText sums a trial up in a few words.
func outcomeText(t *archive.Trial) string {
	if t.Status != archive.Complete {
		return string(t.Status) + ": " + t.Error
	}
	f := figuresOf(t.Windows)
	if f.throughput == 0 {
		return "no usable second: " + reasons(t)
	}
	text := fmt.Sprintf("%9s req/s  p99 %-7s", present.Number(f.throughput), f.p99)
	if f.cpuPerRequest > 0 {
		text += fmt.Sprintf("  %5.1f µs CPU", f.cpuPerRequest)
	}
	return text + "  " + string(t.Validity)
}

// reasons names the findings that make a trial invalid, or all if none does.
func reasons(t *archive.Trial) string {
	var all, invalid []finding.Name
	for _, f := range t.Findings {
		all = append(all, f.Name)
		if f.Weight() == finding.Invalid {
			invalid = append(invalid, f.Name)
		}
	}
	if len(invalid) == 0 {
		invalid = all
	}
	return strings.Join(finding.Words(invalid), ", ")
}
