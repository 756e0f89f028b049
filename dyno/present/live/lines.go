package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/dyno/runner"
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
type plainLines struct {
	w io.Writer
	t report.Texts
}

// NewLines prints to w what a reader of a log wants to know.
func NewLines(w io.Writer, t report.Texts) Observer { return &plainLines{w, t} }

func (p *plainLines) Close() {}

func (p *plainLines) Event(e runner.Event) {
	switch e.Kind {
	case runner.Busy, runner.Serving:
		fmt.Fprintln(p.w, p.t.Say(e.Line))
	case runner.Building:
		fmt.Fprintln(p.w, p.t.Text("live.line.build", "subject", e.Subject))
	case runner.BuildLine:
		fmt.Fprintf(p.w, "  %s\n", e.Line)
	case runner.Checked:
		fmt.Fprintln(p.w, p.t.Text("live.line.check", "subject", e.Subject))
	case runner.Begun:
		fmt.Fprintln(p.w, p.t.Text("live.line.run", "run", e.Run))
	case runner.TrialFinished:
		left := p.t.Text("live.line.left", "time", present.Right(present.Roughly(e.Remaining), 4))
		fmt.Fprintf(p.w, "%*d/%d  %s  %s  %s %s %s\n", digits(e.Total), e.Done, e.Total, left, p.t.Text("live.line.block", "n", e.Trial.Block+1),
			present.Left(e.Cell.Subject, 16), present.Left(e.Cell.Load, 10), outcomeText(p.t, e.Outcome))
	case runner.Repeating:
		fmt.Fprintf(p.w, "  %s\n", p.t.Text("live.line.repeated", "subject", e.Cell.Subject, "why", why(p.t, e.Outcome), "trial", e.Trial.Index+1, "block", e.Trial.Block+1))
	case runner.Assessed:
		for _, line := range progressLines(p.t, &e) {
			fmt.Fprintf(p.w, "  %s\n", line)
		}
	}
}

// why is what made a trial invalid, in a few words.
func why(texts report.Texts, t *archive.Trial) string {
	if t.Status != archive.Complete {
		return status(texts, t)
	}
	return reasons(texts, t)
}

// status is how a trial ended.
func status(texts report.Texts, t *archive.Trial) string {
	return texts.Text("live.status." + string(t.Status))
}

// progressLines say how far a run that goes on block by block is, and why it ends
// if it does.
func progressLines(t report.Texts, e *runner.Event) []string {
	var lines []string
	for _, g := range e.Progress.Goals {
		state := t.Text("live.goal.open")
		switch {
		case g.Done:
			state = t.Text("live.goal.done")
		case g.Blocks > 0:
			state = t.Text("live.goal.blocks", "n", g.Blocks)
		}
		lines = append(lines, t.Text("live.goal", "name", g.Name, "text", t.Say(g.Text), "state", state))
	}
	switch e.Line.String() {
	case runner.EndDecided:
		lines = append(lines, t.Text("live.end.decided"))
	case runner.EndTime:
		lines = append(lines, t.Text("live.end.time"))
	case runner.EndBlocks:
		lines = append(lines, t.Text("live.end.blocks"))
	}
	return lines
}

func digits(n int) int { return len(fmt.Sprint(n)) }

// outcomeText sums a trial up in a few words.
func outcomeText(texts report.Texts, t *archive.Trial) string {
	if t.Status != archive.Complete {
		return status(texts, t) + texts.Text("list.colon") + report.Excerpt(texts.Say(t.Error))
	}
	f := figuresOf(t.Windows)
	if f.throughput == 0 {
		return texts.Text("live.unusable", "why", reasons(texts, t))
	}
	text := fmt.Sprintf("%9s %s  p99 %-7s", present.Number(f.throughput), texts.Text("live.head.rate"), f.p99)
	if f.cpuPerRequest > 0 {
		text += "  " + texts.Text("live.line.cpu", "time", fmt.Sprintf("%5.1f", f.cpuPerRequest))
	}
	return text + "  " + texts.Text("live.validity."+finding.Level(t.Validity, t.Findings))
}

// reasons names the findings that make a trial invalid, or all if none does.
func reasons(texts report.Texts, t *archive.Trial) string {
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
	return strings.Join(finding.Words(invalid), texts.Text("list.comma"))
}
