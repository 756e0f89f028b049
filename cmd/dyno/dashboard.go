package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"

	"dyno/lab/archive"
	"dyno/lab/runner"
)

// dashboard redraws a few lines on a terminal: how far the run is, what runs
// now, and a line per subject with what is known so far.
type dashboard struct {
	w        io.Writer
	subjects []string
	rows     map[string]*row
	drawn    int // lines on the screen that belong to it
	run      string
	phase    string
	done     int
	total    int
	left     time.Duration
	now      string // the trial that runs
	problems []string
}

// row is what is known about a subject.
type row struct {
	state  string // while building and checking
	trials int
	last   figures
}

func newDashboard(w io.Writer, r *runner.Runner) *dashboard {
	d := &dashboard{w: w, rows: make(map[string]*row), total: len(r.Plan.Trials), left: r.Plan.Estimate}
	for _, s := range r.Study.Subjects {
		d.subjects = append(d.subjects, s.Name)
		d.rows[s.Name] = &row{state: "waiting"}
	}
	return d
}

func (d *dashboard) event(e runner.Event) {
	d.done, d.total = e.Done, e.Total
	if e.Remaining > 0 {
		d.left = e.Remaining
	}
	switch e.Kind {
	case runner.Building:
		d.phase, d.rows[e.Subject].state = "building", "building"
	case runner.BuildLine:
		d.rows[e.Subject].state = "building: " + e.Line
	case runner.Built:
		d.rows[e.Subject].state = strings.TrimSpace("built " + e.Line)
	case runner.Checking:
		d.phase, d.rows[e.Subject].state = "checking answers", "checking"
	case runner.Checked:
		d.rows[e.Subject].state = "answers as it should"
	case runner.Begun:
		d.phase, d.run = "measuring", e.Run
	case runner.TrialStarted:
		d.now = fmt.Sprintf("block %d, %s, %s", e.Trial.Block+1, e.Cell.Subject, e.Cell.Load)
	case runner.WindowDone:
		d.showWindow(e)
	case runner.TrialFinished:
		d.finish(e)
	}
	d.draw()
}

func (d *dashboard) showWindow(e runner.Event) {
	r := d.rows[e.Cell.Subject]
	f := figuresOf([]archive.Window{*e.Window})
	if !e.Window.Client.Warmup() {
		f.cpuPerRequest = r.last.cpuPerRequest
		r.last = f
	}
}

func (d *dashboard) finish(e runner.Event) {
	r := d.rows[e.Cell.Subject]
	r.trials++
	if e.Outcome.Status == archive.Complete {
		r.last = figuresOf(e.Outcome.Windows)
		return
	}
	problem, _, _ := strings.Cut(e.Outcome.Error, "\n")
	d.problems = append(d.problems, fmt.Sprintf("trial %d %s: %s", e.Trial.Index+1, e.Outcome.Status, problem))
}

// draw writes the display over the last one.
func (d *dashboard) draw() {
	columns, height, err := term.GetSize(2)
	if err != nil || columns < 20 {
		columns, height = 80, 24
	}
	var b strings.Builder
	if d.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", d.drawn)
	}
	lines := d.lines(columns)
	if len(lines) > height-1 {
		lines = lines[:height-1] // what scrolled away could not be written over
	}
	for _, line := range lines {
		b.WriteString("\r" + cut(line, columns-1) + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	d.drawn = len(lines)
	io.WriteString(d.w, b.String())
}

func (d *dashboard) lines(columns int) []string {
	const barWidth = 30
	filled := 0
	if d.total > 0 {
		filled = barWidth * d.done / d.total
	}
	lines := []string{
		fmt.Sprintf("%s %s%s  %d/%d trials  about %s left", d.phase, strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled), d.done, d.total, roughly(d.left)),
		"",
	}
	wide := 0
	for _, name := range d.subjects {
		wide = max(wide, len(name))
	}
	for _, name := range d.subjects {
		lines = append(lines, d.rows[name].line(name, wide))
	}
	lines = append(lines, "")
	if d.now != "" {
		lines = append(lines, "now: "+d.now)
	}
	return append(lines, d.problems[max(0, len(d.problems)-3):]...)
}

func (r *row) line(name string, wide int) string {
	if r.last.throughput == 0 {
		return fmt.Sprintf("  %-*s  %s", wide, name, r.state)
	}
	text := fmt.Sprintf("  %-*s  %9s req/s   p50 %-7s p99 %-7s", wide, name, number(r.last.throughput), duration(r.last.p50), duration(r.last.p99))
	if r.last.cpuPerRequest > 0 {
		text += fmt.Sprintf("  %5.1f µs CPU", r.last.cpuPerRequest)
	}
	if r.last.errors > 0 {
		text += fmt.Sprintf("  %d errors", r.last.errors)
	}
	return text + fmt.Sprintf("   %d trials", r.trials)
}

// cut shortens a line to so many columns. Wide characters count as one: build
// output is the only text here that may hold them.
func cut(line string, columns int) string {
	runes := []rune(line)
	if len(runes) <= columns {
		return line
	}
	return string(runes[:columns-1]) + "…"
}

// close leaves the last display on the screen.
func (d *dashboard) close() { fmt.Fprintln(d.w) }
